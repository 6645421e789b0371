"""Groups of models (OODConceptBench, Tables C5 to C8), against the standard library."""

from __future__ import annotations

import statistics

import numpy as np
import pytest

from oodexp.error import OodexpError
from oodexp.metric.model_group import by_group, compare, summarise


def test_a_summary_is_means_and_medians_over_models():
    rng = np.random.default_rng(0)
    l1, l2 = rng.random(7), rng.random(7)
    fall = [a - b for a, b in zip(l1.tolist(), l2.tolist(), strict=True)]
    found = summarise(l1, l2)
    assert found[:7] == pytest.approx((
        7, statistics.fmean(l1), statistics.median(l1), statistics.fmean(l2),
        statistics.median(l2), statistics.fmean(fall), statistics.median(fall),
    ))  # fmt: skip
    assert found.reason is None


def test_the_median_difference_is_that_of_models_not_of_medians():
    found = summarise(np.array([0.9, 0.5, 0.6]), np.array([0.1, 0.4, 0.55]))
    assert found.median_difference == pytest.approx(0.1)
    assert found.median_l1 - found.median_l2 == pytest.approx(0.2)


def test_a_model_without_a_rate_is_left_aside_on_both_levels():
    found = summarise(np.array([0.9, np.nan, 0.5]), np.array([0.4, 0.3, 0.2]))
    assert found.n == 2
    assert found.mean_l2 == pytest.approx(0.3)
    assert found.reason == "1 of 3 models without a rate on both levels"
    none = summarise(np.array([np.nan]), np.array([0.1]))
    assert none.n == 0
    assert np.isnan(none[1:7]).all()
    assert none.reason == "1 of 1 models without a rate on both levels"
    assert summarise(np.empty(0), np.empty(0)).reason == "no model"


def test_groups_hold_their_own_models_in_order_of_appearance():
    years = [2023, 2021, 2023, 2021, 2025]
    l1, l2 = np.array([0.8, 0.6, 0.7, 0.5, 0.9]), np.array([0.4, 0.2, 0.5, 0.1, 0.6])
    found = by_group(years, l1, l2)
    assert list(found) == [2023, 2021, 2025]
    assert found[2021] == summarise(l1[[1, 3]], l2[[1, 3]])
    assert sum(row.n for row in found.values()) == 5


def test_a_comparison_is_of_unrounded_means_in_each_scope():
    rng = np.random.default_rng(1)
    rates = rng.random((6, 4))
    first, second = np.arange(6) < 2, np.arange(6) >= 3
    found = compare(rates, first, second)
    for scope in range(4):
        one = statistics.fmean(rates[:2, scope])
        other = statistics.fmean(rates[3:, scope])
        assert found.reference[scope] == pytest.approx(one)
        assert found.compared[scope] == pytest.approx(other)
        assert found.difference[scope] == pytest.approx(other - one)
    assert found.reasons == (None,) * 4
    assert found.n_reference.tolist() == [2] * 4
    assert found.n_compared.tolist() == [3] * 4


def test_a_scope_says_which_models_it_does_without():
    rates = np.array([[0.2, np.nan], [0.4, np.nan], [0.5, 0.6]])
    found = compare(rates, np.array([True, True, False]), np.array([False, False, True]))
    assert found.difference[0] == pytest.approx(0.2)
    assert np.isnan(found.difference[1])
    assert found.reasons == (None, "2 of 2 reference models without a rate")
    empty = compare(rates, np.zeros(3, bool), np.array([False, False, True]))
    assert np.isnan(empty.difference).all()
    assert empty.reasons == ("no reference model",) * 2


def test_groups_that_do_not_fit_are_refused():
    with pytest.raises(OodexpError, match="the same models"):
        summarise(np.zeros(2), np.zeros(3))
    with pytest.raises(OodexpError, match="1 groups for 2 models"):
        by_group([2021], np.zeros(2), np.zeros(2))
    with pytest.raises(OodexpError, match="model 1 is in both groups"):
        compare(np.zeros((2, 1)), np.array([True, True]), np.array([False, True]))
