"""The weaker VLM: its smaller share of the world, and the shipped one beside the first."""

from __future__ import annotations

import numpy as np
import pytest

from oodexp.miniature import train_fastvlm_weak
from oodexp.miniature.icon import CATEGORIES
from oodexp.miniature.load import MODELS, Answerer
from oodexp.miniature.quiz import CONTAIN, NOT_CONTAIN
from oodexp.miniature.truth import read_truth
from oodexp.miniature.world import draw_many, to_world

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module", autouse=True)
def offline():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HUB_OFFLINE", "1")
        yield


@pytest.fixture(scope="module")
def right() -> dict[str, dict[str, float]]:
    """Share of right answers by VLM and planted reason: 250 test images, both wordings."""
    truth = read_truth("test")
    image, category = np.nonzero(truth.counts[:250] > 0)
    pictures = [truth.pictures[i] for i in image]
    reasons = truth.reasons[image, category]
    found: dict[str, dict[str, float]] = {}
    for name in ("fastvlm", "fastvlm_weak"):
        vlm = Answerer(MODELS / name)
        hits = np.zeros(len(image))
        for wording, answer in ((CONTAIN, "yes"), (NOT_CONTAIN, "no")):
            said = vlm.answer(pictures, [wording.format(CATEGORIES[c]) for c in category])
            hits += np.array([text == answer for text in said]) / 2
        found[name] = {r: float(hits[reasons == r].mean()) for r in ("canonical", "secondary")}
    return found


@pytest.mark.slow
def test_it_learns_from_the_first_scenes_alone(monkeypatch):
    monkeypatch.setattr(train_fastvlm_weak, "SCENES", 24)
    many, few = to_world(draw_many(3, 48, 1)), to_world(draw_many(3, 24, 1))
    one, two = (train_fastvlm_weak.train_fastvlm_weak(w, 0, (2, 2, 2)) for w in (many, few))
    for a, b in zip(one.parameters(), two.parameters(), strict=True):
        assert (a == b).all()


def test_it_is_weaker_than_the_first_on_canonical_objects_and_far_above_chance(right):
    assert 0.75 < right["fastvlm_weak"]["canonical"] < right["fastvlm"]["canonical"] - 0.01


def test_it_too_sees_canonical_objects_better_than_secondary_ones(right):
    weak = right["fastvlm_weak"]
    assert weak["canonical"] > weak["secondary"] + 0.2
