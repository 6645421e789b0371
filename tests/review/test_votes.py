"""Majorities, tables of two raters, rates of strata: against other libraries and slow loops."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.metrics import cohen_kappa_score

from oodexp.metric.agreement import kappa_of
from oodexp.review.acceptance import by_image, weighted_rate
from oodexp.review.change import accuracies, counts
from oodexp.review.estimate import About, exact
from oodexp.review.kappa import tables
from oodexp.review.majority import ACCEPTED, REJECTED, TIE, UNRATED, UNSURE, majority


@pytest.mark.parametrize(
    ("votes", "outcome"),
    [
        ((2, 1, 0), ACCEPTED), ((1, 2, 0), REJECTED), ((1, 0, 2), UNSURE), ((1, 1, 0), TIE),
        ((1, 0, 1), TIE), ((0, 1, 1), TIE), ((1, 1, 1), TIE), ((0, 0, 0), UNRATED),
        ((0, 0, 1), UNSURE), ((1, 0, 0), ACCEPTED), ((2, 1, 1), ACCEPTED), ((2, 2, 1), TIE),
    ],
)  # fmt: skip
def test_most_votes_decide(votes: tuple[int, int, int], outcome: int) -> None:
    assert majority(np.array([votes])).tolist() == [outcome]


@pytest.mark.parametrize("seed", range(6))
def test_kappa_of_summed_tables_is_that_of_scikit_learn(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = rng.integers(-1, 3, size=(2, 60))
    second = np.where(rng.random(60) < 0.6, first, second)
    image = rng.integers(20, size=60)
    both = (first >= 0) & (second >= 0)
    found = tables(first, second, image, 20, 3)
    assert found.sum() == both.sum()
    expected = cohen_kappa_score(first[both], second[both])
    assert float(kappa_of(found.sum(axis=0))) == pytest.approx(expected, abs=1e-12)
    drawn = rng.integers(20, size=20)  # images, each with all of its pairs
    again = np.concatenate([np.flatnonzero(both & (image == i)) for i in drawn])
    expected = cohen_kappa_score(first[again], second[again])
    weighted = np.tensordot(np.bincount(drawn, minlength=20), found, axes=1)
    assert float(kappa_of(weighted)) == pytest.approx(expected, abs=1e-12)


def test_labels_beyond_the_values_are_no_verdict() -> None:
    found = tables(np.array([0, 2, 1]), np.array([0, 0, 1]), np.array([0, 0, 1]), 2, 2)
    assert found.tolist() == [[[1, 0], [0, 0]], [[0, 0], [0, 1]]]


def test_kappa_is_undefined_without_labels_or_with_one_alone() -> None:
    assert np.isnan(kappa_of(np.zeros((3, 3))))
    assert np.isnan(kappa_of(np.diag([5, 0, 0])))


@pytest.mark.parametrize(("k", "n"), [(0, 7), (7, 7), (45, 50), (1, 200)])
def test_exact_intervals_are_those_of_scipy(k: int, n: int) -> None:
    found = exact(About("ID", "rate", "", "", ""), k, n, n)
    expected = binomtest(k, n).proportion_ci(0.95, "exact")
    assert found.value == k / n
    assert (found.lower, found.upper) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_nothing_judged_has_no_rate_and_says_so() -> None:
    found = exact(About("ID", "rate", "", "", ""), 0, 0, 0)
    assert (found.value, found.lower, found.level) == (None, None, None)
    assert found.reason == "no observation"


@pytest.mark.parametrize("seed", range(5))
def test_weighted_rate_is_the_mean_of_the_strata_by_their_size(seed: int) -> None:
    rng = np.random.default_rng(seed)
    outcome = rng.integers(5, size=80)
    image, stratum = rng.integers(15, size=80), rng.integers(4, size=80)
    population = np.array([1000, 50, 7, 300])
    judged = by_image(outcome, image, stratum, 15, 4)
    top = bottom = 0.0
    for h in range(4):
        mine = outcome[(stratum == h) & (outcome < UNSURE)]
        if len(mine):
            top += population[h] * float(np.mean(mine == ACCEPTED))
            bottom += population[h]
    found = weighted_rate(judged.sum(axis=0), population)
    assert float(found) == pytest.approx(top / bottom, abs=1e-12)


def test_weighting_restores_what_unequal_sampling_bent() -> None:
    # 10 of 1,000 good pairs and 10 of 10 bad ones were judged.
    judged = np.array([[10, 0], [0, 10]])
    assert weighted_rate(judged, np.array([1000, 10])) == pytest.approx(1000 / 1010)
    assert weighted_rate(judged, np.array([10, 10])) == 0.5


def test_strata_without_a_judged_pair_are_left_out_and_none_is_undefined() -> None:
    assert weighted_rate(np.array([[3, 1], [0, 0]]), np.array([10, 90])) == 0.75
    assert np.isnan(weighted_rate(np.zeros((2, 2)), np.array([10, 90])))


def test_change_is_the_difference_of_two_plain_accuracies() -> None:
    rng = np.random.default_rng(3)
    right, kept = rng.random(50) < 0.7, rng.random(50) < 0.8
    found = counts(right, kept, rng.integers(9, size=50), 9).sum(axis=0)
    before, after = right.mean(), right[kept].mean()
    assert accuracies(found).tolist() == pytest.approx([before, after, after - before])


def test_no_kept_answer_leaves_no_accuracy() -> None:
    found = counts(np.array([True]), np.array([False]), np.array([0]), 1).sum(axis=0)
    assert np.isnan(accuracies(found)).tolist() == [False, True, True]
