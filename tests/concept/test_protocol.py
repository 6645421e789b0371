"""Settings that are refused, and where models belong."""

from __future__ import annotations

import pytest

from oodexp.concept.model import UNLISTED, lookup
from oodexp.concept.protocol import Protocol
from oodexp.error import OodexpError
from oodexp.scorer.dual_encoder import DualEncoder
from oodexp.scorer.open_clip import OpenClip


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"recognition": "max"}, "recognition=max"),
        ({"calibration": "guessed"}, "calibration=guessed"),
        ({"thresholds": {"t1": 0.5}}, r"unknown \['t1'\]"),
        ({"waive": {"licence": {"by": "me"}}}, "waive.licence"),
        ({"vocabulary": 0}, "vocabulary=0"),
        ({"resamples": 5}, "resamples=5"),
        ({"shots": []}, r"shots=\[\]"),
    ],
)
def test_a_setting_that_is_none_is_named(settings, said):
    with pytest.raises(OodexpError, match=said):
        Protocol(**settings)


def test_models_are_found_by_their_weights_in_the_registry():
    scorers = {
        "mine": OpenClip("ViT-B-32-quickgelu", "openai"),
        "theirs": DualEncoder("openai/clip-vit-base-patch32"),
        "other": OpenClip("local-dir:/nowhere"),
    }
    found = lookup(scorers, Protocol())
    assert (found["mine"].family, found["mine"].year) == ("OpenAI CLIP", 2021)
    assert found["theirs"].variant == "B/32 local"
    assert found["other"] == (UNLISTED, "other", None)


def test_given_models_come_first_and_need_all_fields():
    scorers = {"mine": OpenClip("ViT-B-32-quickgelu", "openai")}
    given = {"family": "F", "variant": "V", "year": 2030}
    assert lookup(scorers, Protocol(models={"mine": given}))["mine"] == ("F", "V", 2030)
    with pytest.raises(OodexpError, match=r"models\.mine"):
        lookup(scorers, Protocol(models={"mine": {"family": "F"}}))
    assert lookup(scorers, Protocol(models={"absent": given}))["mine"].year == 2021
