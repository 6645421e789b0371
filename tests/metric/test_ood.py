"""OODConceptBench, Table D1: AUROC, FPR95, AUPR and ECE, with their orientation.

Witnesses: scikit-learn, torchmetrics, a loop over thresholds, prevalences of the paper's table; in
tests/oracles/test_pytorch_ood.py the package pytorch-ood. Deviation from the paper: it prints one
FPR95 of unsaid orientation, both are given.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import auc, average_precision_score, precision_recall_curve, roc_auc_score
from torchmetrics.functional.classification import binary_calibration_error

from oodexp.error import OodexpError
from oodexp.metric.ood import (
    METRICS,
    aupr_in,
    aupr_out,
    auroc,
    detection,
    expected_calibration_error,
    fpr95_in,
    fpr95_out,
)  # fmt: skip

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


def slow_fpr95(score, positive):
    """At the largest threshold that finds 95 % of the positives, by trying them all."""
    for threshold in sorted(set(score.tolist()), reverse=True):
        called = score >= threshold
        if sum(called & positive) * 100 >= 95 * sum(positive):
            return sum(called & ~positive) / sum(~positive)
    raise AssertionError("the lowest score finds all")


@given(SCORES, LABELS)
def test_both_fpr95_are_those_of_a_loop_over_thresholds(confidence, inside):
    assume(0 < inside.sum() < 40)
    assert fpr95_in(confidence, inside).value == slow_fpr95(confidence, inside)
    assert fpr95_out(confidence, inside).value == slow_fpr95(-confidence, ~inside)


def test_the_two_fpr95_differ_by_hand():
    confidence, inside = np.array([1.0, 2.0, 3.0, 4.0]), np.array([True, True, False, True])
    assert fpr95_out(confidence, inside) == (pytest.approx(2 / 3), None)
    assert fpr95_in(confidence, inside) == (1.0, None)
    assert fpr95_out(confidence[1:], inside[1:]) == (0.5, None)


def test_exactly_95_of_100_are_enough():
    confidence = np.r_[np.arange(100.0), 4.5]
    inside = np.r_[np.ones(100, bool), False]
    assert fpr95_in(confidence, inside).value == 0.0
    assert fpr95_in(np.r_[confidence[:-1], 5.0], inside).value == 1.0


@given(SCORES, LABELS)
def test_both_aupr_are_scikit_learns_and_their_chance_level_is_the_prevalence(confidence, inside):
    assume(0 < inside.sum() < 40)
    both = ((aupr_in, confidence, inside), (aupr_out, -confidence, ~inside))
    for function, score, positive in both:
        found = function(confidence, inside)
        precision, recall, _ = precision_recall_curve(positive, score)
        assert found.trapezoid == pytest.approx(auc(recall, precision))
        assert found.average == pytest.approx(average_precision_score(positive, score))
        assert found.prevalence == positive.mean()


@pytest.mark.parametrize(
    ("inside", "outside", "share"), [(3669, 30752, 0.107), (8000, 14285, 0.359)]
)
def test_a_blind_confidence_comes_to_the_prevalences_of_table_d1(inside, outside, share):
    label = np.arange(inside + outside) < inside
    found = aupr_in(np.zeros(len(label)), label)
    assert round(found.average, 3) == share
    assert round(aupr_out(np.zeros(len(label)), label).average, 3) == round(1 - share, 3)


@given(SCORES, LABELS)
def test_all_metrics_together_are_the_single_ones(confidence, inside):
    assume(0 < inside.sum() < 40)
    found = detection(confidence, inside, 3, np.random.default_rng(0))
    out, back = aupr_out(confidence, inside), aupr_in(confidence, inside)
    rates = fpr95_out(confidence, inside).value, fpr95_in(confidence, inside).value
    alone = (auroc(confidence, inside), *rates, *out[:2], *back[:2])
    assert dict(zip(METRICS, found.values, strict=True)) == pytest.approx(
        dict(zip(METRICS, alone, strict=True))
    )


def test_intervals_are_those_of_drawing_images_one_by_one():
    rng = np.random.default_rng(1)
    inside = np.arange(300) < 120
    confidence = rng.normal(inside * 0.8, 1).round(1)
    found = detection(confidence, inside, 1500, np.random.default_rng(2))
    ids, outs, drawn = np.flatnonzero(inside), np.flatnonzero(~inside), []
    for _ in range(1500):
        mine = np.r_[rng.choice(ids, len(ids)), rng.choice(outs, len(outs))]
        of = confidence[mine], inside[mine]
        rates = fpr95_out(*of).value, fpr95_in(*of).value
        drawn.append((auroc(*of), *rates, *aupr_out(*of)[:2], *aupr_in(*of)[:2]))
    lower, upper = np.percentile(drawn, [2.5, 97.5], axis=0)
    np.testing.assert_allclose(found.lower, lower, atol=0.03)
    np.testing.assert_allclose(found.upper, upper, atol=0.03)
    assert (found.inside, found.outside, found.reasons) == (120, 180, [None] * 7)


def test_one_group_alone_gives_no_value_but_a_reason():
    confidence, every = np.array([0.1, 0.2]), np.array([True, True])
    assert fpr95_in(confidence, every)[1] == "no OOD samples"
    assert fpr95_out(confidence, ~every)[1] == "no ID samples"
    assert aupr_in(confidence, every) == (pytest.approx(np.nan, nan_ok=True),) * 2 + (
        1.0, "no negatives",
    )  # fmt: skip
    assert aupr_out(confidence, every).reason == "no positives"
    assert aupr_in(confidence[:0], every[:0]).reason == "no samples"
    assert math.isnan(aupr_in(confidence[:0], every[:0]).prevalence)
    found = detection(confidence, every, 5, np.random.default_rng(0))
    assert np.isnan([found.values, found.lower, found.upper]).all()
    assert found.reasons == ["no OOD samples"] * len(METRICS)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_confidences_that_are_not_finite_are_refused(bad):
    confidence, inside = np.array([0.1, bad, 0.3]), np.array([True, False, True])
    for function in (fpr95_in, fpr95_out, aupr_in, aupr_out, expected_calibration_error):
        with pytest.raises(OodexpError, match="1 confidences are NaN or infinite"):
            function(confidence, inside)
    with pytest.raises(OodexpError, match="one of each a sample"):
        fpr95_in(confidence[:2], inside)


@given(arrays(np.float64, 40, elements=st.floats(0, 1)), LABELS)
def test_calibration_error_is_torchmetrics(confidence, right):
    inner = np.abs(confidence * 15 - np.rint(confidence * 15)) > 1e-6
    confidence = np.where(inner, confidence, 0.5)  # its edges are float32, ours float64
    want = binary_calibration_error(
        torch.tensor(confidence), torch.tensor(right).int(), n_bins=15, norm="l1"
    )
    found = expected_calibration_error(confidence, right)
    assert found == (pytest.approx(float(want), abs=1e-6), None)


def test_a_confidence_that_is_no_probability_is_refused():
    with pytest.raises(OodexpError, match=r"from -0\.1 to 0\.2: expected probabilities"):
        expected_calibration_error(np.array([-0.1, 0.2]), np.array([True, False]))
    assert expected_calibration_error(np.zeros(0), np.zeros(0, bool)).reason == "no samples"
