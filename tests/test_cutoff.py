"""Cut-offs learnt from calibration scores.

OODConceptBench, Table A1: 95th percentiles, and the highest similarity of negative images plus its
standard deviation with a stability check over rounds. The check is not defined in the text; what is
tested is our reading, against loops that follow its words.
"""

from __future__ import annotations

import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats.mstats import mquantiles

from oodexp import cutoff
from oodexp.error import OodexpError


def noise(images: int = 60, phrases: int = 24, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(0.2, 0.03, (images, phrases)).astype(np.float32)


def slow_ceiling(cosines, rng, rounds, share, tolerance, patience):
    """The rounds word by word; returns the candidates that were used."""
    phrases = len(cosines[0])
    candidates, means, still = [], [], 0
    for _ in range(rounds):
        subset = rng.choice(phrases, max(1, round(share * phrases)), replace=False)
        peaks = [max(float(row[p]) for p in subset) for row in cosines]
        candidates.append(max(peaks) + statistics.stdev(peaks))
        means.append(statistics.fmean(candidates))
        if len(means) > 1 and abs(means[-1] - means[-2]) / means[-2] < tolerance:
            still += 1
        else:
            still = 0
        if still == patience:
            break
    return candidates


@given(st.lists(st.floats(-1, 1, width=32), min_size=20, max_size=60), st.sampled_from([5, 50, 95]))
def test_the_percentile_is_that_of_scipy_with_linear_interpolation(scores, percent):
    values = np.array(scores, np.float32)
    found = cutoff.percentile(values, "r", percent)
    want = mquantiles(values.astype(float), [percent / 100], alphap=1, betap=1)[0]
    assert found.value == pytest.approx(float(want), abs=1e-12)
    assert found.n == len(scores)
    assert np.array_equal(found.candidates, values)


def test_five_percent_of_calibration_scores_are_above_their_percentile():
    scores = np.random.default_rng(1).random(2000).astype(np.float32)
    assert np.mean(scores > np.float32(cutoff.percentile(scores, "r").value)) == 0.05


def test_scores_that_are_missing_or_few_or_alike_are_named():
    some = np.linspace(0, 1, 40, dtype=np.float32)
    holes = np.concatenate((some, np.array([np.nan, np.inf], np.float32)))
    assert cutoff.percentile(some, "r").reason is None
    found = cutoff.percentile(holes, "r")
    assert (found.value, found.n) == (cutoff.percentile(some, "r").value, 40)
    assert found.reason == "2 of 42 without a score"
    assert cutoff.percentile(some[:19], "r").reason.startswith("19 scores")
    assert cutoff.percentile(np.ones(30), "r").reason == "all calibration scores are the same"


@pytest.mark.parametrize("scores", [np.empty(0), np.full(3, np.nan)])
def test_no_score_gives_no_percentile_and_says_so(scores):
    found = cutoff.percentile(scores, "r")
    assert np.isnan(found.value)
    assert found.reason.startswith("no calibration score")


@pytest.mark.parametrize(
    ("rounds", "share", "tolerance", "patience"),
    [(20, 0.5, 0.01, 1), (20, 0.1, 0.002, 3), (6, 0.2, 1e-9, 1), (5, 1.0, 0.01, 2)],
)
def test_the_ceiling_follows_its_words(rounds, share, tolerance, patience):
    cosines = noise()
    want = slow_ceiling(
        cosines.tolist(), np.random.default_rng(7), rounds, share, tolerance, patience
    )
    found = cutoff.ceiling(
        cosines, np.random.default_rng(7), rounds=rounds, share=share, tolerance=tolerance,
        patience=patience,
    )  # fmt: skip
    assert found.candidates.tolist() == pytest.approx(want, abs=1e-12)
    assert found.value == pytest.approx(statistics.fmean(want), abs=1e-12)
    assert found.n == 60


def test_a_ceiling_that_does_not_settle_says_by_how_much_it_moves():
    wild = np.random.default_rng(2).standard_cauchy((30, 40))
    found = cutoff.ceiling(wild, np.random.default_rng(3), rounds=4, share=0.05, tolerance=1e-6)
    assert len(found.candidates) == 4
    moved = found.candidates.mean() / found.candidates[:3].mean() - 1
    assert found.reason == f"after 4 rounds the mean still changes by {abs(moved):.1%}"


def test_the_ceiling_hangs_on_the_seed_alone():
    one, two, other = (
        cutoff.ceiling(noise(), np.random.default_rng(seed), share=0.1).candidates
        for seed in (4, 4, 5)
    )
    assert np.array_equal(one, two)
    assert not np.array_equal(one, other)


def test_a_whole_vocabulary_in_each_round_is_named():
    found = cutoff.ceiling(noise(phrases=1), np.random.default_rng(0))
    assert found.reason == "every draw is the whole vocabulary"
    assert len(set(found.candidates)) == 1


def test_images_without_a_score_are_left_out_of_the_ceiling():
    cosines = noise()
    holes = np.concatenate((cosines, np.full((2, 24), np.nan, np.float32)))
    found = cutoff.ceiling(holes, np.random.default_rng(0))
    assert found.value == cutoff.ceiling(cosines, np.random.default_rng(0)).value
    assert found.reason == "2 of 62 without a score"


@pytest.mark.parametrize("shape", [(0, 5), (1, 5), (5, 0)])
def test_too_little_for_a_ceiling_gives_none_with_a_reason(shape):
    found = cutoff.ceiling(np.zeros(shape), np.random.default_rng(0))
    assert np.isnan(found.value)
    assert f"{shape[0]} negative images and {shape[1]} phrases" in found.reason


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"rounds": 1}, "rounds=1"),
        ({"share": 0}, "share=0"),
        ({"share": 1.5}, "share=1.5"),
        ({"tolerance": 0}, "tolerance=0"),
        ({"patience": 20}, "patience=20"),
    ],
)
def test_arguments_out_of_range_are_named(wrong, words):
    with pytest.raises(OodexpError, match=words):
        cutoff.ceiling(noise(), np.random.default_rng(0), **wrong)
    with pytest.raises(OodexpError, match="percent=101"):
        cutoff.percentile(np.zeros(3), "r", 101)
    with pytest.raises(OodexpError, match="threshold=nan"):
        cutoff.fixed(float("nan"))


def test_a_given_number_is_kept_as_it_is():
    found = cutoff.fixed(0.3031, "paper")
    assert (found.value, found.n, found.rule, found.reason) == (0.3031, 0, "paper", None)


def test_a_draw_of_images_is_without_repeats_and_takes_all_that_fit():
    rng = np.random.default_rng(0)
    some = cutoff.drawn(100, 30, rng)
    assert len(set(some.tolist())) == 30
    assert np.all(np.diff(some) > 0)
    assert 0 <= some.min() <= some.max() < 100
    assert np.array_equal(cutoff.drawn(5, 30, rng), np.arange(5))
