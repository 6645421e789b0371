"""Permutation of ID and OOD labels (OODBench, appendix C.2.2 (1)).

Formula: p = (1 + #{Delta_b >= Delta_obs}) / (B + 1), one-sided, B = 2,000.
Deviations from the paper: beside its free permutation of labels stands one that exchanges labels
between images of a size and within images, of Delta over its standard error over images.
"""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from scipy import stats

from oodexp.error import OodexpError
from oodexp.evidence.labelling import movable, relabelled_images
from oodexp.evidence.permutation import p_value, permutation_test
from oodexp.metric.binary import METRICS, from_counts

ACCURACY, MCC = METRICS.index("accuracy"), METRICS.index("mcc")


def made(pairs, seed=0, right=0.75):
    """Counts of pairs with a yes and a no question each, (pair, 4)."""
    yes, no = np.random.default_rng(seed).random((2, pairs)) < right
    return np.stack([yes, ~no, ~yes, no], axis=1).astype(np.int64)


def loss(counts, ood):
    return from_counts(counts[~ood].sum(axis=0)) - from_counts(counts[ood].sum(axis=0))


def test_the_p_values_of_the_case(shared):
    case = json.loads((shared / "cases/g25-permutation-p/expected.json").read_text())
    for name, want in case.items():
        if "," in name:
            labellings, exceeding = (int(part.split("=")[1]) for part in name.split(","))
            p, seen = p_value(np.zeros((labellings, 1)), np.ones(1))
            assert (p[0], seen[0]) == (pytest.approx(want, abs=1e-9), exceeding)
            assert p[0] > case["never"]


def test_ties_and_undefined_draws_count_and_rounding_makes_no_difference():
    draws = np.array([0.3, 0.1 + 0.2, 0.29, np.nan, np.inf, -1.0])
    p, exceeding = p_value(draws, np.float64(0.3 + 4e-17))
    assert exceeding == 4
    assert p == 5 / 7
    assert np.isnan(p_value(draws, np.float64(np.nan))[0])
    assert p_value(draws, np.float64(np.inf))[0] == 3 / 7


def test_free_permutation_is_that_of_scipy():
    counts = made(60, 3)
    ood = np.arange(60) < 25
    counts[ood][:8, [0, 2]] = counts[ood][:8, [2, 0]]
    share = counts[:, [0, 3]].sum(axis=1) / 2
    theirs = stats.permutation_test(
        (share[~ood], share[ood]), lambda x, y, axis: x.mean(axis=axis) - y.mean(axis=axis),
        vectorized=True, alternative="greater", n_resamples=20_000, rng=np.random.default_rng(0),
    )  # fmt: skip
    mine = permutation_test(counts, np.arange(60), ood, permutations=20_000, seed=1).pairs
    assert mine.values[ACCURACY] == pytest.approx(theirs.statistic)
    assert mine.p[ACCURACY] == pytest.approx(theirs.pvalue, abs=0.015)


def test_free_permutation_is_the_full_enumeration():
    counts, ood = made(9, 5), np.arange(9) < 4
    every = []
    for chosen in itertools.combinations(range(9), 4):
        every.append(loss(counts, np.isin(np.arange(9), chosen)))
    mine = permutation_test(counts, np.arange(9), ood, permutations=20_000, seed=0).pairs
    for k in (ACCURACY, METRICS.index("recall")):
        exact = np.mean(np.array(every)[:, k] >= mine.values[k] - 1e-9)
        assert mine.p[k] == pytest.approx(exact, abs=0.015)
    assert {round(x, 9) for x in mine.draws[:, ACCURACY]} == {round(e[ACCURACY], 9) for e in every}


SIZES = np.array([1, 1, 1, 2, 2, 3])
OOD = np.array([1, 0, 0, 1, 0, 0, 0, 1, 1, 0], bool)
"""Images of one, two and three pairs one after the other, in the order of `SIZES`."""
IMAGE = np.repeat(np.arange(6), SIZES)


def labellings():
    """Every labelling that the exchanges within and between images reach, equally likely."""
    blocks = np.split(OOD, np.cumsum(SIZES)[:-1])
    places = [np.flatnonzero(np.equal(SIZES, size)) for size in (1, 2, 3)]
    for ways in itertools.product(*(itertools.permutations(p) for p in places)):
        given = {to: blocks[of] for p, way in zip(places, ways, strict=True)
                 for to, of in zip(p, way, strict=True)}  # fmt: skip
        inside = [list(itertools.permutations(given[i])) for i in range(6)]
        for labels in itertools.product(*inside):
            yield np.concatenate(labels)


def studentised(counts, ood):
    """Accuracy lost over its standard error, image by image."""
    right = counts[:, [0, 3]].sum(axis=1)
    sides = [~ood, ood]
    rates = [right[s].sum() / (2 * s.sum()) for s in sides]
    squares = 0.0
    for i in range(6):
        mine = np.equal(IMAGE, i)
        parts = [
            (right[mine & s].sum() - 2 * (mine & s).sum() * rate) / (2 * s.sum())
            for s, rate in zip(sides, rates, strict=True)
        ]
        squares += (parts[0] - parts[1]) ** 2
    lost = rates[0] - rates[1]
    return lost / (squares * 6 / 5) ** 0.5 if abs(lost) > 1e-12 else 0.0


def test_permutation_by_images_is_the_full_enumeration():
    counts = made(10, 8)
    every = np.array([studentised(counts, labels) for labels in labellings()])
    mine = permutation_test(counts, IMAGE, OOD, permutations=20_000, seed=0).images
    assert mine.statistic[ACCURACY] == pytest.approx(studentised(counts, OOD))
    exact = np.mean(every >= studentised(counts, OOD) - 1e-9)
    assert 0.1 < exact < 0.9
    assert mine.p[ACCURACY] == pytest.approx(exact, abs=0.015)


def test_labellings_by_images_reach_all_and_only_what_may_be_exchanged_equally_often():
    drawn = relabelled_images(OOD, SIZES, 30_000, np.random.default_rng(0))
    every, often = np.unique([tuple(x) for x in labellings()], axis=0, return_counts=True)
    seen, counted = np.unique(drawn, axis=0, return_counts=True)
    np.testing.assert_array_equal(seen, every)
    assert stats.chisquare(counted, often / often.sum() * len(drawn)).pvalue > 1e-3


def test_the_order_of_the_pairs_and_the_names_of_the_images_do_not_matter():
    counts = made(10, 2)
    order = np.random.default_rng(0).permutation(10)
    one = permutation_test(counts, IMAGE, OOD, permutations=50, seed=3)
    two = permutation_test(counts[order], 7 - 3 * IMAGE[order], OOD[order], permutations=50, seed=3)
    np.testing.assert_allclose(one.images.statistic, two.images.statistic)
    np.testing.assert_allclose(one.pairs.values, two.pairs.values)


def test_the_least_p_is_the_floor_and_not_zero():
    ood = np.arange(80) % 2 == 0
    counts = np.where(ood[:, None], [0, 1, 1, 0], [1, 0, 0, 1])
    tested = permutation_test(counts, np.arange(80), ood, permutations=200, seed=0)
    for form in tested:
        assert form.p_floor == 1 / 201
        assert form.p[ACCURACY] == form.p_floor
        assert form.exceeding[ACCURACY] == 0


def test_a_gain_is_not_a_loss():
    ood = np.arange(80) % 2 == 0
    counts = np.where(ood[:, None], [1, 0, 0, 1], [0, 1, 1, 0])
    for form in permutation_test(counts, np.arange(80), ood, permutations=200, seed=0):
        assert form.p[ACCURACY] == 1


def test_all_right_has_p_one_and_a_reason():
    counts = np.tile([1, 0, 0, 1], (30, 1))
    tested = permutation_test(counts, np.arange(30) // 2, np.arange(30) % 3 == 0, seed=0)
    for form in tested:
        assert (form.p == 1).all()
        assert set(form.reasons.values()) == {"no variation between the labellings"}
        assert len(form.reasons) == 5


@pytest.mark.parametrize(("ood", "told"), [(np.ones(12, bool), "ID"), (np.zeros(12, bool), "OOD")])
def test_an_empty_split_has_a_reason_and_no_p(ood, told):
    for form in permutation_test(made(12), np.arange(12) // 2, ood, permutations=20, seed=0):
        assert np.isnan(form.p).all()
        assert set(form.reasons.values()) == {f"{told}: no data"}


def test_no_pair_at_all_has_a_reason():
    none = np.zeros(0, np.int64)
    for form in permutation_test(made(0), none, none, permutations=20, seed=0):
        assert np.isnan(form.p).all()
        assert set(form.reasons.values()) == {"ID: no data"}


def test_labels_that_cannot_change_are_told():
    # Images of one pair are ID, of two OOD: the label says nothing that the size does not.
    image = np.repeat(np.arange(10), [1] * 5 + [2] * 5)
    ood = np.arange(15) >= 5
    assert movable(ood, np.array([1] * 5 + [2] * 5)) == 0
    tested = permutation_test(made(15), image, ood, permutations=50, seed=0)
    assert tested.images.movable == 0
    assert (tested.images.p == 1).all()
    assert tested.images.reasons[0].startswith("no label can change")
    assert not tested.pairs.reasons


def test_movable_counts_pairs_of_mixed_images_and_of_images_that_differ():
    # Two of one pair that differ, two of two that agree, one of three that is mixed, one of four.
    sizes = np.array([1, 1, 2, 2, 3, 4])
    ood = np.array([0, 1] + [0, 0] * 2 + [0, 1, 1] + [1] * 4, bool)
    assert movable(ood, sizes) == pytest.approx(5 / 13)


def test_one_image_has_no_standard_error_and_says_so():
    tested = permutation_test(made(12), np.zeros(12), np.arange(12) < 5, permutations=50, seed=0)
    assert np.isnan(tested.images.p).all()
    assert tested.images.reasons[0] == "one image: no standard error"
    assert np.isfinite(tested.pairs.p[ACCURACY])


def test_a_metric_that_many_labellings_leave_undefined_has_no_p():
    # Two answers "no" in all: labellings with both in one split have no MCC in the other.
    counts = np.tile([1, 1, 0, 0], (20, 1))
    counts[[0, 19]] = [1, 0, 0, 1]
    tested = permutation_test(counts, np.arange(20), np.arange(20) < 10, permutations=400, seed=0)
    found = tested.pairs
    assert found.undefined[MCC] == np.isnan(found.draws[:, MCC]).sum()
    assert np.isnan(found.p[MCC])
    # Both in one half: 2 * (10 choose 2) of (20 choose 2).
    assert found.undefined[MCC] / 400 == pytest.approx(90 / 190, abs=0.08)
    assert found.reasons[MCC].endswith("of the labellings")
    assert np.isfinite(found.p[ACCURACY])


def test_lengths_that_differ_are_an_error():
    with pytest.raises(OodexpError, match="12 counts, 11 images"):
        permutation_test(made(12), np.arange(11), np.arange(12) < 5, seed=0)
