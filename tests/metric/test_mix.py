"""The mix of pairs, and accuracies re-weighted to a common one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import entropy as scipys

from oodexp import table
from oodexp.metric.mix import (
    crossed,
    distance,
    entropy,
    groupings,
    shares,
    sizes,
    standardise,
)
from oodexp.record import Pair


def pairs(**columns):
    length = len(next(iter(columns.values())))
    base = {"count": [None] * length, "area": [None] * length, "planted": [None] * length}
    base |= {"source": "s", "image_id": [str(n) for n in range(length)], "category": "dog"}
    return table.frame(Pair, base | {"count_reason": [None] * length} | columns)


def test_groupings_are_the_composition_groups_with_their_labels():
    size, count = groupings(pairs(area=[5.0, None, 1e6, 9.0], count=[1, 2, 2, None]))
    assert (size.name, count.name) == ("size", "count")
    assert [size.labels[c] if c >= 0 else None for c in size.codes] == [
        "size: small", None, "size: large", "size: small",
    ]  # fmt: skip
    np.testing.assert_array_equal(count.codes, [0, 1, 1, -1])


def test_a_drawn_world_is_grouped_by_its_planted_reasons():
    (found,) = groupings(pairs(planted=["canonical", "secondary", "variant: hue"], area=[1.0] * 3))
    assert found.name == "planted"
    assert sorted(found.labels) == ["planted: canonical", "planted: secondary", "planted: variant"]


def test_crossed_groups_agree_in_all_groupings():
    both = crossed(groupings(pairs(area=[5.0, 5.0, 1e6, None], count=[1, 9, 1, 1])))
    assert both.name == "size x count"
    assert [both.labels[c] if c >= 0 else None for c in both.codes] == [
        "size: small, count: 1", "size: small, count: 6 or more", "size: large, count: 1", None,
    ]  # fmt: skip
    assert sizes(both, np.array([True, True, False, True])).sum() == 2


@given(st.lists(st.integers(0, 9), min_size=1, max_size=50))
def test_entropy_is_scipys_in_bits(categories):
    counts = np.bincount(categories)
    assert entropy(np.array(categories)) == pytest.approx(scipys(counts, base=2), abs=1e-12)


def test_entropy_of_nothing_is_undefined():
    assert np.isnan(entropy(np.zeros(0, int)))
    assert np.isnan(shares(np.zeros(3))).all()


def test_distance_is_the_share_of_pairs_that_would_have_to_move():
    assert distance(shares(np.array([9.0, 1.0])), shares(np.array([7.0, 3.0]))) == pytest.approx(
        0.2
    )
    assert distance(np.array([1.0, 0.0]), np.array([0.0, 1.0])) == 1


COUNTS = arrays(np.int64, (3, 4), elements=st.integers(0, 30))


@given(COUNTS, COUNTS)
def test_reweighting_a_split_to_its_own_mix_changes_nothing(right, wrong):
    total = right + wrong
    for split in range(3):
        if not total[split].sum():
            continue
        found = standardise(right, total, total[split].astype(float))
        assert found.covered[split] == pytest.approx(1)
        plain = right[split].sum() / total[split].sum()
        assert found.values[split] == pytest.approx(plain, abs=1e-12)


@given(arrays(np.int64, (3, 4), elements=st.integers(1, 30)))
def test_a_pure_change_of_mix_gives_equal_reweighted_accuracies(total):
    accuracy, total = np.array([0.9, 0.7, 0.5, 0.1]), total * 10
    right = total * accuracy
    plain = right.sum(axis=1) / total.sum(axis=1)
    found = standardise(right, total, np.array([1.0, 2.0, 3.0, 4.0]))
    np.testing.assert_allclose(found.values, 0.1 * 0.9 + 0.2 * 0.7 + 0.3 * 0.5 + 0.4 * 0.1)
    np.testing.assert_array_equal(found.common_values, found.values)
    assert (found.covered == 1).all()
    assert ((plain >= 0.1) & (plain <= 0.9)).all()


def test_a_group_without_pairs_is_not_covered_and_left_out_of_the_comparison():
    total = np.array([[10, 10], [10, 0]])
    right = np.array([[9, 1], [5, 0]])
    found = standardise(right, total, np.array([3.0, 1.0]))
    np.testing.assert_allclose(found.covered, [1, 0.75])
    np.testing.assert_allclose(found.values, [0.75 * 0.9 + 0.25 * 0.1, 0.5])
    assert found.common == pytest.approx(0.75)
    np.testing.assert_allclose(found.common_values, [0.9, 0.5])


def test_without_a_common_group_there_is_no_comparison():
    found = standardise(np.eye(2), np.eye(2), np.ones(2))
    assert found.common == 0
    assert np.isnan(found.common_values).all()
    np.testing.assert_array_equal(found.values, [1, 1])


def test_a_group_of_no_weight_does_not_count():
    total = np.array([[10, 10], [0, 10]])
    found = standardise(total * np.array([0.5, 1.0]), total, np.array([0.0, 2.0]))
    np.testing.assert_array_equal(found.values, [1, 1])
    np.testing.assert_array_equal(found.covered, [1, 1])


def test_many_tables_at_once_are_each_by_itself():
    rng = np.random.default_rng(0)
    total = rng.integers(0, 5, (7, 2, 3, 4))
    right = rng.integers(0, total + 1)
    whole = standardise(right, total, np.arange(4.0))
    for at in np.ndindex(7, 2):
        one = standardise(right[at], total[at], np.arange(4.0))
        np.testing.assert_array_equal(one.values, whole.values[at])
        np.testing.assert_array_equal(one.common_values, whole.common_values[at])
        np.testing.assert_array_equal(one.common, whole.common[at])
