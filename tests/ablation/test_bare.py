"""Scores without temperature, and the readings of Table IV."""

from __future__ import annotations

import numpy as np
import pytest

from oodexp.ablation.bare import Calibration, bare, calibration, scorers_of, with_bare
from oodexp.ablation.lot import lot
from oodexp.ablation.regroup import Setting, regroup
from oodexp.division.base import Matrix
from oodexp.division.cross_validation import CrossValidation
from oodexp.error import OodexpError
from oodexp.predict.loop import Loop
from oodexp.predict.scoring import score
from oodexp.predict.store import Store
from oodexp.recipe.world import look


def test_bare_logits_are_those_of_the_same_scorer_with_scale_one(world, tmp_path):
    from tests.world import Hashing  # bias 0.5

    class Plain(Hashing):
        def encode_texts(self, categories):
            found = super().encode_texts(categories)
            return type(found)(found.embeddings, 1.0, 0.0)

        def fingerprint(self):
            return super().fingerprint() | {"plain": True}

    seen, store, loop = look(world), Store(str(tmp_path / "s")), Loop("cpu", progress=False)
    parts = {"whole": Hashing(scale=37.0), "plain": Plain(scale=37.0)}
    names = seen.matrix.categories
    logits = score(seen.images, names, world.read, parts, store, loop).logits
    idle = Hashing(scale=37.0)
    known = calibration(idle, store, names, loop)
    assert known == Calibration(37.0, 0.5)
    assert idle.loads == []  # read from the store
    made = with_bare(logits, {"whole": known})
    assert list(made) == ["whole", "plain", "whole (bare)"]
    np.testing.assert_allclose(made["whole (bare)"], logits["plain"], atol=5e-7)
    assert np.abs(logits["whole"]).max() > 5


def test_a_pair_scorer_has_no_temperature_to_leave_out(tmp_path):
    class Head:
        link = "softmax"

        def fingerprint(self):
            return {}

        def over(self, categories):
            return self

    with pytest.raises(OodexpError, match="Head: its logits are no cosines"):
        calibration(Head(), Store(str(tmp_path)), ["a"], Loop("cpu"))


@pytest.mark.parametrize("scale", [0.0, -1.0, float("nan")])
def test_a_scale_that_is_no_factor_is_refused(scale):
    with pytest.raises(OodexpError, match="expected a factor above 0"):
        bare(np.zeros((1, 1), np.float32), Calibration(scale, 0.0))


def test_unscored_cells_stay_unscored():
    logits = np.float32([[np.nan, 3.0]])
    found = bare(logits, Calibration(2.0, 1.0))
    assert np.isnan(found[0, 0])
    assert found[0, 1] == 1.0


def test_a_bare_softmax_over_eighty_categories_is_flat_and_hence_flags_everything_at_005():
    rng = np.random.default_rng(0)
    presence = (rng.random((200, 80)) < 0.04).astype(np.uint8)
    cosine = 0.25 + 0.05 * presence + rng.normal(0, 0.02, presence.shape)
    matrix = Matrix("m", [str(n) for n in range(200)], [str(n) for n in range(80)], presence)
    clip = np.float32(100 * cosine)
    blip2 = np.float32(100 * (cosine + rng.normal(0, 0.02, presence.shape)))
    logits = with_bare({"clip": clip, "blip2": blip2}, {"blip2": Calibration(100.0, 0.0)})
    pairs = lot(matrix, logits)
    flat = pairs.scores["blip2 (bare)"]
    assert ((flat > 0.01) & (flat < 0.02)).all()
    # The best absent category stays the same: a ranking does not feel a temperature.
    np.testing.assert_array_equal(pairs.margins["blip2 (bare)"] < 0, pairs.margins["blip2"] < 0)
    # Hypothesis H2: at 0.05 OOD-H is what CLIP flags, and below it the ranking alone decides.
    from oodexp.ablation.lot import group

    names = scorers_of("bare", ["clip", "blip2"], ["blip2"])
    sizes = {}
    for threshold in (0.05, 0.01, 0.005):
        found = group(pairs, names, CrossValidation(threshold, cap=None))
        sizes[threshold] = int((found.split == 2).sum())
        assert (found.split == 0).any() == (threshold < 0.02)
    alone = group(pairs, ["clip"], CrossValidation(0.05))
    assert sizes[0.05] == (alone.split == 2).sum() > sizes[0.01] == sizes[0.005] > 0


def test_readings_differ_by_criterion_and_temperature():
    names = ["clip", "blip2"]
    assert scorers_of("score", names, ["blip2"]) == names
    assert scorers_of("either", names, ["blip2"]) == names
    assert scorers_of("bare", names, ["blip2"]) == ["clip", "blip2 (bare)"]
    with pytest.raises(OodexpError, match="reading=flat: expected one of score, either, bare"):
        scorers_of("flat", names, [])
    with pytest.raises(OodexpError, match=r"no scorer \['lit'\]; have \['clip', 'blip2'\]"):
        scorers_of("bare", names, ["lit"])


def test_a_trial_can_mix_calibrated_and_bare_scorers(made):
    world = made(seed=40)
    world.logits[0] = with_bare(world.logits[0], {"s0": Calibration(20.0, 0.0)})
    whole = world.stock()
    tried = [
        regroup(whole, Setting(names, CrossValidation(0.2), "mine"))
        for names in (("s0", "s2"), ("s0 (bare)", "s2"))
    ]
    assert tried[1].pairs[2] != tried[0].pairs[2]
