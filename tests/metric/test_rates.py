"""Missing and inventing from confusion counts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, f1_score, precision_score, recall_score

from oodexp.metric.rates import PARTS, RATES, parts, rates, undefined_reason

COUNT = st.integers(0, 30)
COUNTS = st.tuples(COUNT, COUNT, COUNT, COUNT)


def named(counts) -> dict[str, float]:
    return dict(zip(RATES, rates(np.array(counts)), strict=True))


@given(hit=st.integers(1, 20), miss=st.integers(0, 20), invented=st.integers(0, 20))
def test_with_as_many_absent_as_present_they_are_scikit_learns(hit, miss, invented):
    invented = min(invented, hit + miss)
    right = hit + miss - invented
    truth = [1] * (hit + miss) + [0] * (hit + miss)
    said = [1] * hit + [0] * miss + [1] * invented + [0] * right
    found = named((hit, invented, miss, right))
    assert found["accuracy"] == pytest.approx(accuracy_score(truth, said))
    assert found["precision"] == pytest.approx(precision_score(truth, said))
    assert found["recall"] == pytest.approx(recall_score(truth, said))
    assert found["f1"] == pytest.approx(f1_score(truth, said))
    assert found["yes_ratio"] == pytest.approx(np.mean(said))
    assert found["miss_rate"] == pytest.approx(miss / (hit + miss))
    assert found["invention_rate"] == pytest.approx(invented / (hit + miss))


@given(COUNTS, st.integers(2, 5))
def test_how_many_absent_categories_were_asked_does_not_matter(counts, times):
    tp, fp, fn, tn = counts
    np.testing.assert_allclose(rates((tp, fp, fn, tn)), rates((tp, fp * times, fn, tn * times)))


def test_saying_that_all_is_there_misses_nothing_and_invents_everything():
    found = named((7, 3, 0, 0))
    assert found["yes_ratio"] == 1  # of the answers, not of the right ones
    assert (found["miss_rate"], found["invention_rate"], found["accuracy"]) == (0, 1, 0.5)
    assert found["precision"] == 0.5


def test_saying_that_nothing_is_there_misses_everything():
    found = named((0, 0, 4, 6))
    assert (found["miss_rate"], found["invention_rate"], found["yes_ratio"]) == (1, 0, 0)
    assert np.isnan(found["precision"])
    assert undefined_reason(np.array((0, 0, 4, 6)), "precision") == "presence is never asserted"
    assert found["f1"] == 0


@given(COUNTS)
def test_a_rate_is_undefined_exactly_when_a_reason_says_why(counts):
    for name, value in named(counts).items():
        assert np.isnan(value) == (undefined_reason(np.array(counts), name) is not None)
        assert np.isnan(value) or 0 <= value <= 1


@given(COUNTS, COUNTS)
def test_the_parts_of_a_drop_add_up_to_it(one, other):
    drop = rates(one) - rates(other)
    missing, inventing, share = parts(drop)
    whole = drop[RATES.index("accuracy")]
    np.testing.assert_allclose(missing + inventing, whole, atol=1e-12)
    if whole == 0 or np.isnan(whole):
        assert np.isnan(share)
    else:
        np.testing.assert_allclose(share * whole, missing, atol=1e-12)


def test_a_loss_by_missing_alone_is_all_by_missing():
    drop = rates((9, 1, 1, 9)) - rates((4, 1, 6, 9))
    found = dict(zip(PARTS, parts(drop), strict=True))
    assert found == {
        "drop_by_missing": pytest.approx(0.25), "drop_by_inventing": 0,
        "missing_share": pytest.approx(1),
    }  # fmt: skip


def test_the_share_is_outside_of_0_to_1_where_inventing_falls():
    assert parts(rates((9, 2, 1, 8)) - rates((4, 1, 6, 9)))[2] > 1
