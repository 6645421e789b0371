"""Hard samples by focal loss.

OODBench, D.1: hard samples are scored by focal loss and the top k of each category are chosen.
Lin et al. (2017), equation 5: FL(p) = -(1 - p)^gamma log p, gamma = 2. The paper gives neither
gamma nor k nor the model whose probabilities it takes. Deviations: k may differ by category, so
that the hard selection has as many samples, of the same categories, as the OOD one; equal losses
are drawn by lot; the overlap is told beside what independent selections would share.
"""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import jaccard_score

from oodexp.error import OodexpError
from oodexp.evidence.focal import first_k, focal_loss, mine, overlap


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_the_loss_is_the_cross_entropy_played_down():
    p = np.array([1.0, 0.9, 0.5, 0.1, 0.0, np.nan])
    np.testing.assert_allclose(focal_loss(p, 0), [0, *-np.log([0.9, 0.5, 0.1]), np.inf, np.nan])
    # Lin et al., section 3.2: at p = 0.9 and gamma = 2 a hundredth of the cross-entropy.
    assert focal_loss(p)[1] == pytest.approx(-np.log(0.9) / 100)
    assert focal_loss(np.array([0.968]))[0] < -np.log(0.968) / 900


@pytest.mark.parametrize("wrong", [-0.1, 1.2, np.inf])
def test_what_is_no_probability_is_refused(wrong):
    with pytest.raises(OodexpError, match="no probability"):
        focal_loss(np.array([0.5, wrong]))


def test_a_negative_gamma_is_refused():
    with pytest.raises(OodexpError, match="gamma"):
        focal_loss(np.array([0.5]), -1)


def sample(n: int = 200, categories: int = 6, seed: int = 0):
    return rng(seed).random(n), rng(seed + 1).integers(0, categories, n)


@pytest.mark.parametrize("k", [0, 1, 7, 1000])
def test_the_k_least_likely_of_each_category_are_chosen(k):
    probability, category = sample()
    found = mine(probability, category, k, rng())
    assert found.reason is None
    for own in range(6):
        places = np.flatnonzero(category == own)
        hardest = places[np.argsort(probability[places])[:k]]
        assert set(np.flatnonzero(found.chosen & (category == own))) == set(hardest)


def test_k_may_differ_by_category():
    probability, category = sample()
    found = mine(probability, category, np.array([3, 0, 5, 1, 0, 2]), rng())
    assert np.bincount(category[found.chosen], minlength=6).tolist() == [3, 0, 5, 1, 0, 2]


def test_of_one_model_gamma_changes_nothing_of_several_it_does():
    probability, category = sample()
    plain = [mine(probability, category, 10, rng(), gamma).chosen for gamma in (0, 1, 2, 5)]
    assert all((one == plain[0]).all() for one in plain)
    several = rng(9).random((4, 200))
    by_gamma = [mine(several, category, 10, rng(), gamma).chosen for gamma in (0, 5)]
    assert (by_gamma[0] != by_gamma[1]).any()
    np.testing.assert_allclose(
        mine(several, category, 1, rng()).loss, [focal_loss(column).mean() for column in several.T]
    )


def test_samples_without_a_probability_are_left_aside():
    probability, category = sample()
    probability[::3] = np.nan
    found = mine(probability, category, 1000, rng())
    np.testing.assert_array_equal(found.chosen, ~np.isnan(probability))
    nothing = mine(np.full(5, np.nan), np.zeros(5, np.int64), 2, rng())
    assert not nothing.chosen.any()
    assert nothing.reason == "no sample has a probability of the right answer"


def test_right_or_wrong_alone_is_mined_by_lot_and_said_so():
    right, category = np.repeat([0.0, 1.0], 50), np.zeros(100, np.int64)
    one, other = (mine(right, category, 20, rng(seed)) for seed in (0, 1))
    assert "only right or wrong is known" in one.reason
    assert not one.chosen[50:].any()
    assert one.chosen.sum() == 20
    assert (one.chosen != other.chosen).any()


@pytest.mark.parametrize("k", [-1, np.array([1, 2])])
def test_a_k_that_does_not_fit_is_refused(k):
    with pytest.raises(OodexpError, match="k of hard mining"):
        mine(*sample(), k, rng())


def test_a_sample_drawn_twice_fills_two_places():
    times = np.array([[2, 0, 1, 3], [0, 0, 0, 1], [1, 1, 1, 1]])
    np.testing.assert_array_equal(first_k(times, 4), [[2, 0, 1, 1], [0, 0, 0, 1], [1, 1, 1, 1]])
    for row, taken in zip(times, first_k(times, 2), strict=True):
        drawn = np.repeat(np.arange(4), row)[:2]
        np.testing.assert_array_equal(taken, np.bincount(drawn, minlength=4))


def test_the_overlap_is_that_of_scikit_learn_and_of_sets():
    first, second = rng(3).random((2, 300)) < np.array([[0.3], [0.6]])
    found = overlap(first, second)
    a, b = set(np.flatnonzero(first)), set(np.flatnonzero(second))
    assert found.both == len(a & b)
    assert found.jaccard == pytest.approx(jaccard_score(first, second))
    assert found.of_first == pytest.approx(len(a & b) / len(a))
    assert found.of_second == pytest.approx(len(a & b) / len(b))
    shared = [(first & rng(n).permutation(second)).sum() for n in range(400)]
    assert found.by_chance == pytest.approx(np.mean(shared), abs=1.5)
    assert found.reason is None


def test_empty_selections_have_a_reason():
    some, none = np.array([True, False]), np.zeros(2, bool)
    assert overlap(some, none).jaccard == 0
    assert np.isnan(overlap(some, none).of_second)
    assert overlap(some, none).reason == "the second selection is empty"
    both = overlap(none, none)
    assert np.isnan(both[1:4]).all()
    assert both.reason == "the first and the second selection is empty"
    assert overlap(np.zeros(0, bool), np.zeros(0, bool)).by_chance == 0
