"""A dual encoder that answers: prompts, negation, quantiles, folds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PIL import Image

from oodexp.error import OodexpError
from oodexp.record import ABSENT, PRESENT, UNKNOWN
from oodexp.vlm.base import Calibrated, Calibration
from oodexp.vlm.pixels import pixel_digest
from oodexp.vlm.threshold import Threshold

CONTAINS = "Does this image contain a dog? (yes or no)"
LACKS = "Does this image not contain a dog? (yes or no)"
STEPS = "Yes or No? Let's break down the information step by step."


def red(value: int, mark: int = 0) -> Image.Image:
    """An image of cosine value / 255; `mark` makes it another image of the same cosine."""
    return Image.new("RGB", (2, 2), (value, mark, 0))


def asked(vlm: Threshold, image: Image.Image, prompt: str) -> str | None:
    return vlm.complete([image], [prompt])[0].text


def fixed(known: Any, threshold: float = 0.5) -> Threshold:
    vlm = Threshold(known, threshold=threshold)
    vlm.load("cpu")
    return vlm


@pytest.mark.parametrize(
    ("prompt", "high", "low"),
    [
        (CONTAINS, "Yes", "No"),
        (LACKS, "No", "Yes"),
        (f"Does this image contain dog? {STEPS}", "Yes", "No"),
        (f"Does this image not contain dog? {STEPS}", "No", "Yes"),
        ("does this image contain a dog ? ( yes or no )", "Yes", "No"),
    ],
)
def test_the_answer_is_to_the_question_as_asked(
    known: Any, prompt: str, high: str, low: str
) -> None:
    vlm = fixed(known)
    assert (asked(vlm, red(200), prompt), asked(vlm, red(50), prompt)) == (high, low)


@pytest.mark.parametrize(
    ("prompt", "category"),
    [
        ("Does this image contain a Bus (bendy)? (yes or no)", "Bus (bendy)"),
        ("Does this image contain a what? is it? (yes or no)", "what? is it"),
        (f"Does this image not contain traffic light? {STEPS}", "traffic light"),
        ("Does this image contain a not a dog? (yes or no)", "not a dog"),
    ],
)
def test_the_category_is_read_word_for_word(
    known: Any, monkeypatch: pytest.MonkeyPatch, prompt: str, category: str
) -> None:
    seen: list[list[str]] = []
    original = known.encode_texts
    monkeypatch.setattr(known, "encode_texts", lambda c: seen.append(c) or original(c))
    asked(fixed(known), red(200), prompt)
    assert seen == [[category]]


@pytest.mark.parametrize("prompt", ["How many dogs are there?", "Is there a dog?", ""])
def test_other_questions_are_not_answered(known: Any, prompt: str) -> None:
    reply = fixed(known).complete([red(200)], [prompt])[0]
    assert (reply.text, reply.status) == ("I cannot answer this question.", "ok")


def test_a_category_is_encoded_once(known: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[list[str]] = []
    original = known.encode_texts
    monkeypatch.setattr(known, "encode_texts", lambda c: calls.append(c) or original(c))
    vlm = fixed(known)
    vlm.complete([red(200)] * 3, [CONTAINS, LACKS, CONTAINS])
    assert calls == [["dog"]]


def test_an_image_that_repeats_is_encoded_once(known: Any) -> None:
    fixed(known).complete([red(200), red(200), red(10)], [CONTAINS] * 3)
    assert known.encoded == 2


def calibration(values: list[int], presence: np.ndarray) -> Calibration:
    shown = [red(v, i % 256) for i, v in enumerate(values)]
    return Calibration("d1", shown, ["dog"], presence.astype(np.uint8))


def test_the_value_is_the_quantile_of_absent_pairs_of_all_images(known: Any) -> None:
    rng = np.random.default_rng(0)
    values = rng.integers(0, 256, 200).tolist()
    presence = rng.choice([ABSENT, PRESENT, UNKNOWN], (200, 1))
    vlm = Threshold(known, quantile=0.9)
    vlm.calibrate(calibration(values, presence))
    vlm.load("cpu")
    absent = np.array(values)[presence[:, 0] == ABSENT] / 255
    cut = np.quantile(absent, 0.9) * 255
    new = [red(int(np.floor(cut)), 255), red(int(np.floor(cut)) + 1, 255)]
    assert [asked(vlm, image, CONTAINS) for image in new] == ["No", "Yes"]


def test_an_image_is_judged_by_the_other_folds(known: Any) -> None:
    values = np.random.default_rng(1).integers(0, 256, 60).tolist()
    held = calibration(values, np.zeros((60, 1)))
    vlm = Threshold(known, quantile=0.5, folds=3)
    vlm.calibrate(held)
    vlm.load("cpu")
    shown = list(held.images)
    folds = [int.from_bytes(pixel_digest(i)[:8], "big") % 3 for i in shown]
    for image, value, fold in zip(shown, values, folds, strict=True):
        others = [v / 255 for v, f in zip(values, folds, strict=True) if f != fold]
        expected = "Yes" if np.float32(value / 255) > np.quantile(others, 0.5) + 1e-6 else "No"
        assert asked(vlm, image, CONTAINS) == expected


def test_a_calibration_image_is_not_encoded_again(known: Any) -> None:
    held = calibration([10, 90, 170, 250], np.zeros((4, 1)))
    vlm = Threshold(known, quantile=0.5)
    vlm.calibrate(held)
    vlm.load("cpu")
    before = known.encoded
    vlm.complete(list(held.images), [CONTAINS] * 4)
    assert (before, known.encoded) == (4, 4)


def test_it_asks_to_be_calibrated(known: Any) -> None:
    assert isinstance(Threshold(known), Calibrated)


def test_neither_value_nor_images_is_an_error_with_the_remedy(known: Any) -> None:
    vlm = Threshold(known)
    for step in (vlm.fingerprint, lambda: vlm.load("cpu")):
        with pytest.raises(OodexpError, match="give `threshold` as a cosine"):
            step()


def test_no_absent_pair_is_an_error(known: Any) -> None:
    vlm = Threshold(known)
    vlm.calibrate(calibration([1, 2, 3], np.full((3, 1), PRESENT)))
    with pytest.raises(OodexpError, match="no absent pair"):
        vlm.load("cpu")


@pytest.mark.parametrize("changes", [{"quantile": 0.0}, {"quantile": 1.0}, {"folds": 1}])
def test_settings_without_sense_are_refused(known: Any, changes: dict[str, Any]) -> None:
    with pytest.raises(OodexpError):
        Threshold(known, **changes)


def test_a_nan_cosine_is_an_error_reply(known: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    vlm = fixed(known)
    monkeypatch.setattr(known, "logits", lambda i, b: np.full((len(i), 1), np.nan, np.float32))
    reply = vlm.complete([red(200)], [CONTAINS])[0]
    assert (reply.text, reply.status, "nan" in str(reply.reason)) == (None, "error", True)


def test_a_refused_category_is_an_error_reply(known: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(categories: list[str]) -> None:
        raise OodexpError(f"{categories} would be cut")

    vlm = fixed(known)
    monkeypatch.setattr(known, "encode_texts", refuse)
    reply = vlm.complete([red(200)], [CONTAINS])[0]
    assert (reply.status, reply.reason) == ("error", "['dog'] would be cut")


def test_the_calibration_is_in_the_fingerprint_unless_the_value_is_fixed(known: Any) -> None:
    vlm, given = Threshold(known), Threshold(known, threshold=0.3)
    for one in (vlm, given):
        one.calibrate(calibration([1, 2], np.zeros((2, 1))))
    told = vlm.fingerprint()
    assert (told["calibration"], told["quantile"], told["folds"]) == ("d1", 0.95, 2)
    assert (given.fingerprint()["calibration"], given.fingerprint()["threshold"]) == (None, 0.3)
