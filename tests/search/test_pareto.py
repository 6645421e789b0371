"""The front against a slow loop and Optuna's own."""

from __future__ import annotations

import numpy as np
import optuna
import pytest

from oodexp.search.base import Trial
from oodexp.search.pareto import front, pareto


def slow(values, maximize):
    """Each row against each other, value by value."""
    found = []
    for row in values:
        kept = not any(np.isnan(row))
        for other in values:
            if any(np.isnan(other)):
                continue
            pairs = [
                (o, r) if m else (-o, -r) for o, r, m in zip(other, row, maximize, strict=True)
            ]
            if all(o >= r for o, r in pairs) and any(o > r for o, r in pairs):
                kept = False
        found.append(kept)
    return np.array(found, dtype=bool)


@pytest.mark.parametrize("objectives", [1, 2, 3])
@pytest.mark.parametrize("seed", range(8))
def test_the_front_is_that_of_a_slow_loop(objectives, seed):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 6, size=(60, objectives)).astype(float)  # many ties
    values[rng.random(values.shape) < 0.05] = np.nan
    maximize = [bool(b) for b in rng.integers(0, 2, objectives)]
    np.testing.assert_array_equal(front(values, maximize), slow(values, maximize))


def test_the_front_is_that_of_optuna():
    rng = np.random.default_rng(0)
    values = rng.integers(0, 10, size=(80, 2)).astype(float)
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(directions=["maximize", "minimize"])
    for row in values:
        study.add_trial(optuna.trial.create_trial(values=list(row)))
    best = {trial.number for trial in study.best_trials}
    assert set(np.flatnonzero(front(values, [True, False])).tolist()) == best


def test_equal_rows_stand_together():
    values = np.array([[2.0, 1.0], [2.0, 1.0], [1.0, 1.0]])
    assert front(values, [True, True]).tolist() == [True, True, False]


def test_a_row_with_nan_neither_stands_nor_dominates():
    values = np.array([[np.nan, 9.0], [1.0, 1.0]])
    assert front(values, [True, True]).tolist() == [False, True]


def test_no_rows_have_no_front():
    assert front(np.empty((0, 2)), [True, True]).tolist() == []


def test_only_complete_trials_stand_in_the_front():
    def trial(number, gap, pairs, state="complete"):
        return Trial(number, {"T": number}, {"gap": gap, "pairs": pairs}, state)

    trials = [
        trial(0, 1.0, 5.0), trial(1, None, 9.0, "undefined"), trial(2, 2.0, 1.0),
        trial(3, 0.5, 4.0),
    ]  # fmt: skip
    found = pareto(trials, {"gap": "maximize", "pairs": "maximize"})
    assert [t.number for t in found] == [0, 2]
    assert pareto(trials[1:2], {"gap": "maximize", "pairs": "maximize"}) == []
