"""Probabilities of yes and no against scikit-learn, torchmetrics and slow loops."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from sklearn.metrics import roc_auc_score
from torchmetrics.functional.classification import binary_calibration_error

from oodexp import table
from oodexp.metric.certainty import (
    BINS,
    bin_of,
    bin_sums,
    calibration,
    calibration_error,
    certainty,
    weighted_auroc,
)  # fmt: skip
from oodexp.metric.measure import Binary
from oodexp.record import Calibration, Completion

RNG = np.random.default_rng(3)


def asked(n: int, ties: bool = False) -> tuple[np.ndarray, np.ndarray]:
    target = RNG.random(n) < 0.4
    probability = np.clip(0.3 * target + 0.7 * RNG.random(n), 0, 1)
    return (probability.round(1) if ties else probability), target


@pytest.mark.parametrize("ties", [False, True])
def test_auroc_is_that_of_scikit_learn_under_every_weighting(ties):
    probability, target = asked(200, ties)
    weights = RNG.integers(0, 4, (5, 200)).astype(float)
    want = [roc_auc_score(target, probability, sample_weight=w) for w in weights]
    np.testing.assert_allclose(weighted_auroc(probability, target, weights), want, atol=1e-12)


def test_auroc_of_one_class_is_undefined():
    assert np.isnan(weighted_auroc(np.array([0.1, 0.9]), np.array([True, True]), np.ones((1, 2))))


def test_calibration_error_is_that_of_torchmetrics():
    probability, target = asked(500)
    sums = bin_sums(probability, target, np.zeros(500, dtype=int), 1)
    want = binary_calibration_error(
        torch.tensor(probability), torch.tensor(target).int(), n_bins=BINS, norm="l1"
    )
    assert calibration_error(sums)[0] == pytest.approx(float(want), abs=1e-6)


def test_bins_are_closed_on_the_right_and_the_first_holds_zero():
    assert bin_of(np.array([0, 1 / BINS, 1 / BINS + 1e-9, 1])).tolist() == [0, 0, 1, BINS - 1]


def test_a_resample_is_what_a_slow_loop_draws():
    probability, target = asked(60)
    image = np.repeat(np.arange(20), 3)
    weights = RNG.multinomial(20, np.full(20, 1 / 20), size=100).astype(float)
    values, draws = certainty(probability, target, image, 20, [weights[:33], weights[33:]])
    assert values[0] == pytest.approx(roc_auc_score(target, probability))
    for row, draw in zip(weights, draws, strict=True):
        again = np.repeat(np.arange(60), row[image].astype(int))
        assert draw[0] == pytest.approx(roc_auc_score(target[again], probability[again]))
        sums = bin_sums(probability[again], target[again], np.zeros(len(again), dtype=int), 1)
        assert draw[1] == pytest.approx(calibration_error(sums)[0])


def evidence_of(desk, probabilities: dict[str, float]):
    """A pair a probability, asked both ways; P(yes) of the absent question is the rest."""
    for n, p in enumerate(probabilities.values()):
        desk.add("ID" if n % 2 else "OOD-H", ("yes", "no") if p > 0.5 else ("no", "yes"))
    evidence = desk.evidence()
    values = list(probabilities.values())
    rows = [
        Completion("m", q.question_id, "Yes", "ok", None, 1, None, None,
                   values[n // 2] if q.polarity == "present" else 1 - values[n // 2], 0.9)
        for n, q in enumerate(desk.questions)
    ]  # fmt: skip
    return replace(evidence, completions=table.frame(Completion, rows))


def test_measured_probabilities_give_auroc_and_calibration_of_each_split(desk):
    evidence = evidence_of(desk, {"a": 0.9, "b": 0.8, "c": 0.3, "d": 0.7})
    measured = Binary("mine", "theirs", resamples=200).measure(evidence)
    found = measured[measured["metric"].isin(["auroc", "ece"])].set_index(["split", "metric"])
    assert found.loc[("ID", "auroc"), "value"] == 1
    # Of a, c: yes at .9 and .3, no at .1 and .7.
    assert found.loc[("OOD-H", "auroc"), "value"] == 0.75
    assert found.loc[("ID", "ece"), "value"] == pytest.approx(0.25)
    assert set(found["n"]) == {4}
    assert set(found["n_images"]) == {2}


def test_without_probabilities_there_is_neither(desk):
    desk.add("ID", ("yes", "no"))
    measured = Binary("mine", "theirs", resamples=100).measure(desk.evidence())
    assert not measured["metric"].isin(["auroc", "ece"]).any()
    assert len(calibration(desk.evidence())) == 0


def test_the_curve_has_every_question_in_one_bin(desk):
    curve = calibration(evidence_of(desk, {"a": 0.9, "b": 0.8, "c": 0.3, "d": 0.7}))
    assert curve.equals(table.check(Calibration, curve))
    assert curve.groupby("split")["n"].sum().to_dict() == {"ID": 4, "OOD-H": 4}
    for row in curve.itertuples():
        assert row.lower < row.probability <= row.upper
