"""AUROC."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import roc_auc_score

from oodexp.metric.ood import auroc

SCORES = arrays(np.float32, 40, elements=st.sampled_from([-1.5, 0.0, 0.25, 2.0, 7.0]))
LABELS = arrays(np.bool_, 40)


@given(SCORES, LABELS)
def test_with_ties_it_is_scikit_learns(score, positive):
    if positive.all() or not positive.any():
        assert math.isnan(auroc(score, positive))
    else:
        assert auroc(score, positive) == pytest.approx(roc_auc_score(positive, score))


@given(SCORES, LABELS, arrays(np.bool_, 40))
def test_nan_is_left_out(score, positive, lost):
    holed = np.where(lost, np.float32(np.nan), score)
    np.testing.assert_equal(auroc(holed, positive), auroc(score[~lost], positive[~lost]))


@given(SCORES, LABELS)
def test_turning_the_score_around_turns_the_value_around(score, positive):
    assume(0 < positive.sum() < 40)
    assert auroc(score, positive) + auroc(-score, positive) == pytest.approx(1)


def test_values_by_hand():
    assert auroc(np.array([1.0, 2.0, 3.0]), np.array([False, True, True])) == 1
    assert auroc(np.array([3.0, 2.0, 1.0]), np.array([False, True, True])) == 0
    assert auroc(np.array([1.0, 1.0]), np.array([False, True])) == 0.5
    assert auroc(np.array([-np.inf, np.inf]), np.array([False, True])) == 1


def test_without_a_group_there_is_no_value():
    assert math.isnan(auroc(np.array([]), np.array([], dtype=bool)))
    assert math.isnan(auroc(np.array([1.0, np.nan]), np.array([True, False])))
