"""When an image is reused over its questions, and what happens where that is not sound."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from oodexp.vlm.prefix import Prefix
from oodexp.vlm.reuse import Reuse
from oodexp.vlm.transformers_chat import TransformersChat

PROMPTS = ["Yes or no?", "Does this image contain a very long traffic light? (yes or no)", "Hm"]


def made(folder: Path, **settings: Any) -> TransformersChat:
    vlm = TransformersChat(str(folder), **{"max_new_tokens": 12, **settings})
    vlm.load("cpu")
    return vlm


def questions(images: list[Image.Image]) -> tuple[list[Image.Image], list[str]]:
    return [i for i in images[:2] for _ in PROMPTS], PROMPTS * 2


def test_questions_on_different_images_are_computed_for_themselves(
    llava_folder: Path, images: list[Image.Image]
) -> None:
    vlm = made(llava_folder)
    vlm.complete(images[:3], PROMPTS)
    assert (vlm._reuse._proven, vlm.notes) == (False, [])


def test_an_image_with_one_question_goes_with_one_that_has_several(
    llava_folder: Path, images: list[Image.Image]
) -> None:
    vlm, plain = made(llava_folder), made(llava_folder, reuse="none")
    asked = [*images[:1] * 3, images[1]], [*PROMPTS, PROMPTS[0]]
    assert vlm.complete(*asked) == plain.complete(*asked)
    assert (vlm._reuse.way, vlm._reuse._proven) == ("prefix", True)


def test_questions_of_one_length_share_their_image(
    llava_folder: Path, images: list[Image.Image]
) -> None:
    vlm = made(llava_folder)
    vlm.complete([images[0]] * 3, ["Is it a cat?", "Is it a dog?", "Is it a cow?"])
    assert vlm._reuse._proven


def test_the_same_question_twice_is_answered_twice(
    llava_folder: Path, images: list[Image.Image]
) -> None:
    vlm = made(llava_folder)
    vlm.complete(*questions(images))
    one, two, other = vlm.complete([images[0]] * 3, [PROMPTS[1], PROMPTS[1], PROMPTS[0]])
    assert one == two == vlm.complete([images[0]], [PROMPTS[1]])[0] != other


def test_wrong_logits_end_reuse_by_that_way_with_a_note(
    llava_folder: Path, images: list[Image.Image], monkeypatch: pytest.MonkeyPatch
) -> None:
    right = Prefix._prepared

    def shifted(self: Prefix, numbers: Any, cache: Any) -> Any:
        prepared = right(self, numbers, cache)
        ids = prepared.inputs["input_ids"]
        places = prepared.inputs["attention_mask"].cumsum(1) + 5
        places[:, : self.inputs["input_ids"].shape[1]] -= 6
        return prepared._replace(
            inputs={**prepared.inputs, "position_ids": places, "input_ids": ids}
        )

    monkeypatch.setattr(Prefix, "_prepared", shifted)
    vlm, plain = made(llava_folder), made(llava_folder, reuse="none")
    assert vlm.complete(*questions(images)) == plain.complete(*questions(images))
    assert vlm._reuse.way == "features"
    assert "first logits differ" in vlm.notes[0]


def test_an_architecture_that_raises_is_asked_plainly(
    llava_folder: Path, images: list[Image.Image], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise ValueError("no such thing here")

    monkeypatch.setattr(Prefix, "all", refuse)
    monkeypatch.setattr(Reuse, "_features", refuse)
    vlm, plain = made(llava_folder), made(llava_folder, reuse="none")
    for _ in range(2):
        assert vlm.complete(*questions(images)) == plain.complete(*questions(images))
    assert vlm._reuse.way == "plain"
    assert [note.rpartition(": ")[2] for note in vlm.notes] == ["no such thing here"] * 2


def test_longer_than_a_sliding_window_is_computed_plainly(
    llava_folder: Path, images: list[Image.Image], monkeypatch: pytest.MonkeyPatch
) -> None:
    vlm, plain = made(llava_folder), made(llava_folder, reuse="none")
    vlm.complete(*questions(images))
    for one in (vlm, plain):
        monkeypatch.setattr(one._net.config.text_config, "sliding_window", 60, raising=False)
    used: list[str] = []
    monkeypatch.setattr(Prefix, "__init__", lambda *_: used.append("prefix"))
    assert vlm._reuse._proven
    assert vlm.complete(*questions(images)) == plain.complete(*questions(images))
    assert used == []


def test_a_penalty_on_repeated_tokens_counts_no_padding(
    llava_folder: Path, images: list[Image.Image], tmp_path: Path
) -> None:
    folder = tmp_path / "penalty"
    shutil.copytree(llava_folder, folder)
    file = folder / "generation_config.json"
    # Padded with the token that ends replies, as several checkpoints are.
    told = json.loads(file.read_text()) | {"repetition_penalty": 3.0, "pad_token_id": 2}
    file.write_text(json.dumps(told))
    for mark in ("tokenizer_config.json",):
        words = json.loads((folder / mark).read_text()) | {"pad_token": "</s>"}
        (folder / mark).write_text(json.dumps(words))
    vlm, plain = made(folder), made(folder, reuse="none")
    images_, prompts = questions(images)
    alone = [plain.complete([i], [p])[0] for i, p in zip(images_, prompts, strict=True)]
    assert plain.complete(images_, prompts) == alone == vlm.complete(images_, prompts)
    assert vlm._reuse.way == "prefix"
    assert alone != made(llava_folder).complete(images_, prompts)


def test_sampling_shares_the_image_and_draws_as_without(
    llava_folder: Path, images: list[Image.Image], monkeypatch: pytest.MonkeyPatch
) -> None:
    how = {"do_sample": True, "temperature": 2.0}
    vlm, plain = made(llava_folder, **how), made(llava_folder, reuse="none", **how)
    shared: list[int] = []
    one = Prefix.one
    monkeypatch.setattr(Prefix, "one", lambda self, n: shared.append(n) or one(self, n))
    assert vlm.complete(*questions(images)) == plain.complete(*questions(images))
    assert shared == [0, 1, 2, 0, 1, 2]


def test_limits_of_a_batch_are_each_questions_own(
    llava_folder: Path, images: list[Image.Image]
) -> None:
    for vlm in (made(llava_folder), made(llava_folder, reuse="none")):
        limits = [1, None, 30, 2, 5, 12]
        together = vlm.complete(*questions(images), limits)
        each = zip(*questions(images), limits, strict=True)
        assert [vlm.complete([i], [p], [m])[0] for i, p, m in each] == together
        for reply, limit in zip(together, limits, strict=True):
            assert (reply.tokens or 0) <= (limit or 12)
            assert reply.status == "ok" or reply.tokens == (limit or 12)
        assert {together[0].status, together[3].status} == {"truncated"}
