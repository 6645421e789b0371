"""Agreement of two divisions, against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score, jaccard_score

from oodexp.metric.agreement import agreement, jaccard, kappa

LABELS = st.lists(st.tuples(st.integers(-1, 2), st.integers(-1, 2)), min_size=1, max_size=60)


def columns(rows) -> tuple[np.ndarray, np.ndarray]:
    first, second = np.array(rows).reshape(-1, 2).T
    return first, second


@given(LABELS)
def test_kappa_and_jaccard_are_scikit_learns(rows):
    first, second = columns(rows)
    found = agreement(first, second)
    both = (first >= 0) & (second >= 0)
    assert (found.pairs, found.left_out) == (both.sum(), (~both).sum())
    mine, theirs = first[both], second[both]
    if len({*mine, *theirs}) > 1:
        assert found.kappa == pytest.approx(cohen_kappa_score(mine, theirs), abs=1e-12)
    else:
        assert np.isnan(found.kappa)
    for code, split in enumerate(("ID", "OOD-S", "OOD-H")):
        if code in {*mine, *theirs}:
            want = jaccard_score(mine == code, theirs == code)
            assert found.jaccard[split] == pytest.approx(want, abs=1e-12)
        else:
            assert np.isnan(found.jaccard[split])


@given(LABELS)
def test_agreement_does_not_depend_on_who_comes_first(rows):
    first, second = columns(rows)
    np.testing.assert_equal(agreement(first, second), agreement(second, first))


def test_a_division_agrees_with_itself_wholly():
    split = np.array([0, 1, 2, 2, -1])
    found = agreement(split, split)
    assert (found.kappa, found.same, found.pairs, found.left_out) == (1, 1, 4, 1)
    assert found.jaccard == {"ID": 1, "OOD-S": 1, "OOD-H": 1}


def test_independent_divisions_have_a_kappa_near_nought():
    rng = np.random.default_rng(0)
    first, second = rng.integers(0, 3, (2, 100_000))
    assert abs(kappa(first, second)) < 0.01
    assert agreement(first, second).same == pytest.approx(1 / 3, abs=0.01)


def test_sets_apart_share_nothing_and_empty_ones_have_no_value():
    one = np.array([True, False])
    assert jaccard(one, ~one) == 0
    assert np.isnan(jaccard(one & ~one, one & ~one))
    assert np.isnan(kappa(np.zeros(0, int), np.zeros(0, int)))
