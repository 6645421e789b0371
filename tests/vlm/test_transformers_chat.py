"""A tiny Llava through its chat template: batches, limits, seeds, refusals."""

from __future__ import annotations

import json
import re
import shutil
import warnings
from pathlib import Path
from typing import Any

import pytest
import torch
from PIL import Image

from oodexp.error import OodexpError
from oodexp.vlm.base import Reply
from oodexp.vlm.memory import Fitting
from oodexp.vlm.transformers_chat import TransformersChat
from tests.vlm.families import save_family

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
    yes = greedy._wording.tokenizer.encode("Yes", add_special_tokens=False)
    reply = greedy._decoder.reply
    assert reply([*yes, 2, 0, 0], 12) == Reply("Yes", "ok", None, len(yes) + 1)
    assert reply(yes * 4, 12) == Reply("YesYesYesYes", "truncated", None, 12)
    assert reply([*yes, 2, 0, 0], 3) == Reply("Yes", "truncated", None, 3)
    assert reply([*yes, 2, 0, 0], 4) == Reply("Yes", "ok", None, 4)
    assert reply([2, 0, 0], 3) == Reply("", "empty", None, 1)


def test_text_is_kept_as_generated(greedy: TransformersChat) -> None:
    text = "  Yes , it 's\n"
    ids = greedy._wording.tokenizer.encode(text, add_special_tokens=False)
    assert greedy._decoder.reply([*ids, 2], 99).text == text


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
    vlm = TransformersChat(str(llava_folder), do_sample=True, temperature=5.0)
    vlm.load("cpu")
    torch.manual_seed(7)
    expected = torch.rand(3)
    torch.manual_seed(7)
    vlm.complete(images[:1], ["Yes or no?"])
    assert torch.equal(torch.rand(3), expected)


def test_sampling_settings_without_sampling_are_refused(llava_folder: Path) -> None:
    with pytest.raises(OodexpError, match="do nothing"):
        TransformersChat(str(llava_folder), temperature=0.5)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"prompt": "Question:"}, "no {} for the question"),
        ({"prompt": "{}", "system": "Be brief."}, "no place for a system message"),
        ({"decode": "beam"}, "generate or logits"),
        ({"reuse": "yes"}, "auto or none"),
        ({"quantization": "int2"}, "int8, int4 or null"),
    ],
)
def test_a_wrong_setting_is_refused(
    llava_folder: Path, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(OodexpError, match=re.escape(message)):
        TransformersChat(str(llava_folder), **changes)


def test_a_tokenizer_without_yes_and_no_is_refused(llava_folder: Path) -> None:
    with pytest.raises(OodexpError, match="single tokens"):
        TransformersChat(str(llava_folder), decode="logits").load("cpu")


def test_only_prompts_that_offer_both_words_are_read_off_the_logits(
    tmp_path: Path, images: list[Image.Image]
) -> None:
    folder = save_family("llava", tmp_path)
    generated = TransformersChat(str(folder), max_new_tokens=6)
    judged = TransformersChat(str(folder), max_new_tokens=6, decode="logits")
    for vlm in (generated, judged):
        vlm.load("cpu")
    prompts = ["How many?", "Dog? (yes or no)", "Where?", "No dog? Yes or no?"]
    free, first, also, second = judged.complete([images[0]] * 4, prompts)
    assert [free, also] == generated.complete([images[0]] * 2, [prompts[0], prompts[2]])
    for reply in (first, second):
        assert reply.text in ("Yes", "No")
        assert reply.yes_probability is not None
        assert (reply.text == "Yes") == (reply.yes_probability > 0.5)
        assert (reply.status, reply.tokens) == ("ok", 1)


def test_a_batch_that_does_not_fit_is_halved(
    greedy: TransformersChat, images: list[Image.Image], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = [i for i in images[:3] for _ in PROMPTS], PROMPTS * 3
    expected = greedy.complete(*asked)
    prepare, sizes = greedy._reuse.prepare, list[int]()

    def small(images: Any, texts: Any, most: int) -> Any:
        sizes.append(len(texts))
        if len(texts) > 3:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return prepare(images, texts, most)

    monkeypatch.setattr(greedy._reuse, "prepare", small)
    monkeypatch.setattr(greedy, "_fitting", Fitting())
    assert greedy.complete(*asked) == expected
    assert sizes == [9, 5, 3, 3, 3]


@pytest.mark.parametrize(
    "changes",
    [
        {"max_new_tokens": 8},
        {"system": "Be brief."},
        {"dtype": "bfloat16"},
        {"do_sample": True},
        {"decode": "logits"},
        {"prompt": "<image>{}"},
        {"processor": {"do_resize": False}},
        {"attn_implementation": "eager"},
    ],
)
def test_a_setting_changes_the_fingerprint(llava_folder: Path, changes: dict[str, Any]) -> None:
    before = TransformersChat(str(llava_folder)).fingerprint()
    after = TransformersChat(str(llava_folder), **changes).fingerprint()
    assert json.dumps(before) != json.dumps(after)


def test_what_changes_no_answer_changes_no_fingerprint(llava_folder: Path) -> None:
    usual = TransformersChat(str(llava_folder)).fingerprint()
    same = {"reuse": "none", "device_map": "auto", "decode": "generate", "processor": {}}
    assert TransformersChat(str(llava_folder), **same).fingerprint() == usual
    # Stored completions are found by it: a key more or less would ask every question again.
    assert set(usual) == {
        "kind", "weights", "files", "max_new_tokens", "do_sample", "temperature", "top_p", "seed",
        "system", "dtype", "versions",
    }  # fmt: skip


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
