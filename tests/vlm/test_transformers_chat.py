"""A tiny Llava through its chat template: batches, limits, seeds, refusals."""

from __future__ import annotations

import json
import shutil
import warnings
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from oodexp.error import OodexpError
from oodexp.vlm.base import Reply
from oodexp.vlm.transformers_chat import TransformersChat

PROMPTS = ["Yes or no?", "Does this image contain a very long traffic light? (yes or no)", "Hm"]


@pytest.fixture(scope="module")
def greedy(llava_folder: Path) -> TransformersChat:
    vlm = TransformersChat(str(llava_folder), max_new_tokens=12)
    vlm.load("cpu")
    return vlm


def test_a_reply_is_the_same_alone_and_in_a_batch(
    greedy: TransformersChat, images: list[Image.Image]
) -> None:
    questions = [(i, p) for i in images[:3] for p in PROMPTS]
    together = greedy.complete([i for i, _ in questions], [p for _, p in questions])
    assert [greedy.complete([i], [p])[0] for i, p in questions] == together
    assert len({r.text for r in together}) > 1


def test_a_reply_equals_a_loop_over_single_tokens(
    greedy: TransformersChat, llava_folder: Path, images: list[Image.Image]
) -> None:
    import torch
    from transformers import AutoModelForImageTextToText, AutoProcessor

    net = AutoModelForImageTextToText.from_pretrained(llava_folder).eval()
    processor = AutoProcessor.from_pretrained(llava_folder)
    inputs = processor(
        images=images[0], text="user: <image>Yes or no?\nassistant: ", return_tensors="pt"
    )
    ids, new = inputs["input_ids"], []
    for _ in range(12):
        with torch.no_grad():
            seen = net(input_ids=ids, pixel_values=inputs["pixel_values"]).logits[0, -1]
        new.append(int(seen.argmax()))
        if new[-1] == 2:
            break
        ids = torch.cat([ids, torch.tensor([[new[-1]]])], dim=1)
    expected = processor.tokenizer.decode(new, skip_special_tokens=True)
    reply = greedy.complete([images[0]], ["Yes or no?"])[0]
    assert (reply.text, reply.tokens) == (expected, len(new))


def test_a_reply_without_an_end_is_truncated(
    greedy: TransformersChat, images: list[Image.Image]
) -> None:
    for reply in greedy.complete(images, ["Yes or no?"] * len(images)):
        assert (reply.status == "truncated") == (reply.tokens == 12)


def test_an_end_token_ends_the_reply(greedy: TransformersChat) -> None:
    import torch

    yes = greedy._processor.tokenizer.encode("Yes", add_special_tokens=False)
    ended = torch.tensor([*yes, 2, 0, 0])
    assert greedy._reply(ended) == Reply("Yes", "ok", None, len(yes) + 1)
    full = torch.tensor(yes * 4)
    assert greedy._reply(full) == Reply("YesYesYesYes", "truncated", None, 12)


def test_text_is_kept_as_generated(greedy: TransformersChat) -> None:
    import torch

    text = "  Yes , it 's\n"
    ids = greedy._processor.tokenizer.encode(text, add_special_tokens=False)
    assert greedy._reply(torch.tensor([*ids, 2])).text == text


def test_greedy_decoding_warns_of_nothing(
    greedy: TransformersChat, images: list[Image.Image], caplog: pytest.LogCaptureFixture
) -> None:
    with warnings.catch_warnings(), caplog.at_level("WARNING"):
        warnings.simplefilter("error")
        greedy.complete(images[:2], PROMPTS[:2])
    assert caplog.records == []


def test_a_sampled_reply_can_be_repeated_in_any_batch(
    llava_folder: Path, images: list[Image.Image]
) -> None:
    vlm = TransformersChat(
        str(llava_folder), max_new_tokens=12, do_sample=True, temperature=5.0, top_p=1.0
    )
    vlm.load("cpu")
    first = vlm.complete(images[:3], PROMPTS)
    again = vlm.complete(images[2::-1], PROMPTS[::-1])[::-1]
    assert first == again
    assert len({r.text for r in vlm.complete(images, ["Yes or no?"] * 6)}) == 6


def test_another_seed_gives_another_sample(llava_folder: Path, images: list[Image.Image]) -> None:
    texts = []
    for seed in (0, 1):
        vlm = TransformersChat(str(llava_folder), do_sample=True, temperature=5.0, seed=seed)
        vlm.load("cpu")
        texts.append(vlm.complete(images[:1], ["Yes or no?"])[0].text)
    assert texts[0] != texts[1]


def test_sampling_leaves_the_global_generator_alone(
    llava_folder: Path, images: list[Image.Image]
) -> None:
    import torch

    vlm = TransformersChat(str(llava_folder), do_sample=True, temperature=5.0)
    vlm.load("cpu")
    torch.manual_seed(7)
    expected = torch.rand(3)
    torch.manual_seed(7)
    vlm.complete(images[:1], ["Yes or no?"])
    assert torch.equal(torch.rand(3), expected)


def test_a_system_message_comes_first(llava_folder: Path, images: list[Image.Image]) -> None:
    vlm = TransformersChat(str(llava_folder), system="Be brief.")
    vlm.load("cpu")
    messages = vlm._messages(images[0], "Hm")
    text = vlm._processor.apply_chat_template(messages, add_generation_prompt=True)
    assert text == "system: Be brief.\nuser: <image>Hm\nassistant: "


def test_sampling_settings_without_sampling_are_refused(llava_folder: Path) -> None:
    with pytest.raises(OodexpError, match="do nothing"):
        TransformersChat(str(llava_folder), temperature=0.5)


def test_a_processor_without_a_chat_template_is_refused(llava_folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(llava_folder, copy)
    (copy / "chat_template.jinja").unlink()
    with pytest.raises(OodexpError, match="no chat template"):
        TransformersChat(str(copy)).load("cpu")


def test_missing_weights_are_an_error_not_random_numbers(
    llava_folder: Path, tmp_path: Path
) -> None:
    from safetensors.torch import load_file, save_file

    copy = tmp_path / "copy"
    shutil.copytree(llava_folder, copy)
    state = load_file(copy / "model.safetensors")
    lost = next(name for name in state if "multi_modal_projector" in name)
    del state[lost]
    save_file(state, copy / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(OodexpError, match="multi_modal_projector"):
        TransformersChat(str(copy)).load("cpu")


@pytest.mark.parametrize(
    "changes",
    [{"max_new_tokens": 8}, {"system": "Be brief."}, {"dtype": "bfloat16"}, {"do_sample": True}],
)
def test_a_setting_changes_the_fingerprint(llava_folder: Path, changes: dict[str, Any]) -> None:
    before = TransformersChat(str(llava_folder)).fingerprint()
    after = TransformersChat(str(llava_folder), **changes).fingerprint()
    assert json.dumps(before) != json.dumps(after)


@pytest.mark.parametrize(
    "name", ["chat_template.jinja", "tokenizer.json", "generation_config.json", "config.json"]
)
def test_a_changed_file_changes_the_fingerprint(
    llava_folder: Path, tmp_path: Path, name: str
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(llava_folder, copy)
    before = TransformersChat(str(copy)).fingerprint()
    file = copy / name
    file.write_text(file.read_text() + " ")
    assert TransformersChat(str(copy)).fingerprint() != before
