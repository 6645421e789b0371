"""Every class of VLM that transformers has for OODBench: alone, in a batch, and with reuse."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from oodexp.vlm.base import Reply
from oodexp.vlm.transformers_chat import TransformersChat
from tests.vlm.families import FAMILIES, PLAIN, save_family

WAYS = {"paligemma": "features", "blip2-t5": "plain"}
"""How images are reused, where it is not by their keys and values."""
QUESTIONS = [
    "Yes or no?",
    "Does this image contain a very long traffic light? (yes or no)",
    "Does this image not contain a cat? (yes or no)",
]
TOWERS = ("vision_tower", "visual", "vision_model")


@pytest.fixture(scope="module")
def shown() -> list[Image.Image]:
    """Two images of different shape, so that some processors cut them into different tiles."""
    rng = np.random.default_rng(6)
    return [Image.fromarray(rng.integers(0, 256, (*s, 3), np.uint8)) for s in [(40, 56), (64, 36)]]


@pytest.fixture(scope="module")
def load(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Gives a family's VLM, loaded by the Auto classes from a folder that is written once."""

    @cache
    def folder(name: str) -> Path:
        return save_family(name, tmp_path_factory.mktemp(name))

    @cache
    def vlm(name: str, **settings: Any) -> TransformersChat:
        given = {"max_new_tokens": 8, "prompt": PLAIN.get(name), **settings}
        made = TransformersChat(str(folder(name)), **given)
        made.load("cpu")
        return made

    return vlm


def asked(shown: list[Image.Image]) -> tuple[list[Image.Image], list[str]]:
    """Three questions on each image, in another order on the second."""
    return [i for i in shown for _ in QUESTIONS], QUESTIONS + QUESTIONS[::-1]


def alone(vlm: TransformersChat, shown: list[Image.Image]) -> list[Reply]:
    images, prompts = asked(shown)
    return [vlm.complete([i], [p])[0] for i, p in zip(images, prompts, strict=True)]


def pixels_seen(vlm: TransformersChat, images: list[Image.Image], prompts: list[str]) -> int:
    """Number of values that the image tower is given."""
    towers = [m for n, m in vlm._net.named_modules() if n.rpartition(".")[2] in TOWERS]
    seen: list[int] = []

    def count(_: Any, given: tuple[Any, ...], named: dict[str, Any]) -> None:
        seen.append((given[0] if given else named["pixel_values"]).numel())

    hook = towers[0].register_forward_pre_hook(count, with_kwargs=True)
    vlm.complete(images, prompts)
    hook.remove()
    return sum(seen)


@pytest.mark.parametrize("name", FAMILIES)
def test_a_reply_is_the_same_alone_in_a_batch_and_with_reuse(
    name: str, load: Any, shown: list[Image.Image]
) -> None:
    plain = load(name, reuse="none")
    expected = alone(plain, shown)
    assert plain.complete(*asked(shown)) == expected
    assert load(name).complete(*asked(shown)) == expected
    assert alone(load(name), shown) == expected
    assert len({reply.text for reply in expected}) > 1


@pytest.mark.parametrize("name", FAMILIES)
def test_an_image_is_computed_once_for_its_questions(
    name: str, load: Any, shown: list[Image.Image]
) -> None:
    vlm, plain = load(name), load(name, reuse="none")
    vlm.complete(*asked(shown))
    once = pixels_seen(plain, shown, [QUESTIONS[0], QUESTIONS[-1]])
    assert pixels_seen(plain, *asked(shown)) == 3 * once
    assert vlm._reuse.way == WAYS.get(name, "prefix")
    assert pixels_seen(vlm, *asked(shown)) == (3 if vlm._reuse.way == "plain" else 1) * once
    assert bool(vlm.notes) == (vlm._reuse.way == "plain")


@pytest.mark.parametrize("name", FAMILIES)
def test_the_image_is_seen(name: str, load: Any, shown: list[Image.Image]) -> None:
    vlm = load(name, reuse="none")
    texts = vlm._wording.texts([QUESTIONS[1]] * 2)
    one, other = vlm._decoder.first_logits(vlm._reuse.prepare(shown, texts, 1))
    assert (one - other).abs().max() > 1e-3


@pytest.mark.parametrize("name", FAMILIES)
def test_prompt_tokens_are_those_of_the_model_without_padding(
    name: str, load: Any, shown: list[Image.Image]
) -> None:
    vlm = load(name)
    images, prompts = asked(shown)
    texts = vlm._wording.texts(prompts)
    each = [
        vlm._wording.batch([i], [t])["input_ids"].shape[1]
        for i, t in zip(images, texts, strict=True)
    ]
    assert [reply.prompt_tokens for reply in vlm.complete(images, prompts)] == each


@pytest.mark.parametrize("name", FAMILIES)
def test_logits_equal_a_forward_pass_over_the_whole_prompt(
    name: str, load: Any, shown: list[Image.Image]
) -> None:
    vlm = load(name, decode="logits")
    images, prompts = asked(shown)
    for image, prompt, reply in zip(images, prompts, vlm.complete(images, prompts), strict=True):
        yes, no = slow_yes_and_no(vlm, image, prompt)
        assert reply.yes_no_mass == pytest.approx(yes + no, rel=1e-3)
        assert reply.yes_probability == pytest.approx(yes / (yes + no), abs=1e-3)
        assert (reply.text, reply.status) == ("Yes" if yes > no else "No", "ok")
        (again,) = vlm.complete([image], [prompt])
        assert again.yes_probability == pytest.approx(reply.yes_probability, abs=1e-4)


def slow_yes_and_no(vlm: TransformersChat, image: Image.Image, prompt: str) -> tuple[float, float]:
    """P(yes) and P(no): no cache, the whole prompt, softmax over the vocabulary in float64."""
    import torch

    inputs = vlm._wording.batch([image], vlm._wording.texts([prompt]))
    kept = {k: v for k, v in inputs.items() if k not in ("labels",)}
    if vlm._net.config.model_type not in ("gemma3", "paligemma"):
        kept.pop("token_type_ids", None)
    if vlm._net.config.get_text_config().is_encoder_decoder:
        kept["decoder_input_ids"] = torch.zeros(1, 1, dtype=torch.long)
    if vlm._net.config.model_type == "paligemma":
        kept["position_ids"] = torch.arange(1, inputs["input_ids"].shape[1] + 1)[None]
    with torch.inference_mode():
        logits = vlm._net(**kept, use_cache=False).logits[0, -1].double().numpy()
    chances = np.exp(logits - logits.max())
    chances /= chances.sum()
    words = vlm._wording.tokenizer
    sums = []
    for word in ("yes", "no"):
        forms = {word, word.title(), word.upper()}
        texts = {token: words.decode([token]).removeprefix(" ") for token in range(len(words))}
        sums.append(sum(chances[token] for token, text in texts.items() if text in forms))
    return float(sums[0]), float(sums[1])
