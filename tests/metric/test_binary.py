"""Accuracy, precision, recall, F1 and MCC from counts."""

from __future__ import annotations

import json
import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as witness

from oodexp.metric.binary import METRICS, from_counts, undefined_reason

COUNT = st.integers(0, 10_000)


def values(*counts: float) -> dict[str, float]:
    return dict(zip(METRICS, from_counts(np.array(counts)).tolist(), strict=True))


def cases(shared):
    for name in ("g23-mcc-undefined", "g24-zero-division"):
        yield from json.loads((shared / "cases" / name / "expected.json").read_text())["cases"]


def test_every_confusion_table_of_the_cases(shared):
    for case in cases(shared):
        counts = [case["confusion"][k] for k in ("tp", "fp", "fn", "tn")]
        for metric, value in values(*counts).items():
            expected = case[metric]
            assert math.isnan(value) == (expected is None), (case, metric)
            assert expected is None or value == pytest.approx(expected, abs=1e-6), (case, metric)


def test_every_null_of_the_cases_has_a_reason_and_nothing_else_has(shared):
    for case in cases(shared):
        counts = [case["confusion"][k] for k in ("tp", "fp", "fn", "tn")]
        for metric in METRICS:
            reason = undefined_reason(np.array(counts), metric)
            assert (reason is None) == (case[metric] is not None), (case, metric)


@pytest.mark.parametrize(
    ("counts", "metric", "reason"),
    [
        ((0, 0, 0, 0), "accuracy", "no data"),
        ((0, 0, 0, 0), "f1", "no data"),
        ((0, 0, 4, 3), "precision", "no positive answers"),
        ((0, 4, 0, 3), "recall", "no positive targets"),
        ((0, 0, 0, 3), "f1", "no positive answers and no positive targets"),
        ((3, 1, 0, 0), "mcc", "no negative answers"),
        ((3, 0, 1, 0), "mcc", "no negative targets"),
    ],
)
def test_the_reason_names_what_is_missing(counts, metric, reason):
    assert undefined_reason(np.array(counts), metric) == reason


@given(COUNT, COUNT, COUNT, COUNT)
def test_a_value_is_undefined_exactly_when_there_is_a_reason(tp, fp, fn, tn):
    for metric, value in values(tp, fp, fn, tn).items():
        assert math.isnan(value) == (
            undefined_reason(np.array([tp, fp, fn, tn]), metric) is not None
        )


SOME = st.integers(0, 30)


@given(SOME, SOME, SOME, SOME)
def test_defined_values_are_those_of_scikit_learn(tp, fp, fn, tn):
    target = [1] * tp + [0] * fp + [1] * fn + [0] * tn
    answer = [1] * tp + [1] * fp + [0] * fn + [0] * tn
    found = values(tp, fp, fn, tn)
    scores = {
        "accuracy": witness.accuracy_score, "precision": witness.precision_score,
        "recall": witness.recall_score, "f1": witness.f1_score, "mcc": witness.matthews_corrcoef,
    }  # fmt: skip
    for metric, score in scores.items():
        if not math.isnan(found[metric]):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                assert found[metric] == pytest.approx(score(target, answer), abs=1e-12)


@given(st.integers(1, 2000), st.data())
def test_the_identities_of_two_questions_a_pair(pairs, data):
    """Each pair is asked both ways: as many positive targets as negative ones."""
    tp, tn = data.draw(st.integers(0, pairs)), data.draw(st.integers(0, pairs))
    fp, fn = pairs - tn, pairs - tp
    found = values(tp, fp, fn, tn)
    a, r = found["accuracy"], found["recall"]
    assert tn / (tn + fp) == pytest.approx(2 * a - r)
    assert found["f1"] == pytest.approx(r / (1 + r - a)) or (tp, fp) == (0, 0)
    if tp + fp:
        assert found["precision"] == pytest.approx(r / (1 + 2 * r - 2 * a))
    if tp + fp and tn + fn:
        root = math.sqrt((1 + 2 * r - 2 * a) * (1 - 2 * r + 2 * a))
        assert found["mcc"] == pytest.approx((2 * a - 1) / root, abs=1e-9)


@pytest.mark.parametrize(("yes", "f1"), [(True, 2 / 3), (False, 0.0)])
def test_a_constant_answer_has_half_the_accuracy_and_no_mcc(yes, f1):
    found = values(10, 10, 0, 0) if yes else values(0, 0, 10, 10)
    assert found["accuracy"] == 0.5
    assert found["f1"] == pytest.approx(f1)
    assert math.isnan(found["mcc"])


@given(COUNT, COUNT, COUNT, COUNT, st.integers(1, 1000))
def test_values_do_not_depend_on_how_often_the_table_is_repeated(tp, fp, fn, tn, times):
    once, often = (from_counts(np.array([tp, fp, fn, tn]) * n) for n in (1, times))
    np.testing.assert_allclose(once, often, rtol=1e-9, equal_nan=True)


@given(COUNT, COUNT, COUNT, COUNT)
def test_swapping_the_classes_keeps_accuracy_and_mcc(tp, fp, fn, tn):
    one, two = values(tp, fp, fn, tn), values(tn, fn, fp, tp)
    for metric in ("accuracy", "mcc"):
        np.testing.assert_allclose(one[metric], two[metric], atol=1e-12, equal_nan=True)


def test_many_tables_at_once_give_what_each_gives_alone():
    counts = np.random.default_rng(0).integers(0, 5, (3, 20, 4))
    whole = from_counts(counts)
    assert whole.shape == (3, 20, 5)
    for at in np.ndindex(3, 20):
        np.testing.assert_array_equal(whole[at], from_counts(counts[at]))


def test_huge_tables_do_not_overflow():
    assert values(10**9, 10**9, 10**9, 2 * 10**9)["mcc"] == pytest.approx(1 / 6)
