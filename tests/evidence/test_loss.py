"""Difference of losses against a plain loop over models and resamples."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import f1_score

from oodexp.error import OodexpError
from oodexp.evidence.loss import loss_pairs
from oodexp.metric.bootstrap import resample_weights


@pytest.fixture
def counts():
    """Three models, three splits, 40 images; a fourth model is the first one again."""
    rng = np.random.default_rng(5)
    made = rng.integers(0, 4, (40, 4, 3, 4))
    made[:, 3] = made[:, 0]
    return made


def accuracy(sums):
    return (sums[0] + sums[3]) / sums.sum()


def test_values_and_intervals_are_those_of_a_loop(counts):
    weights = resample_weights(40, 300, np.random.default_rng(1))
    found = {(p.first, p.second): p for p in loss_pairs(counts, 2, "accuracy", weights)}
    assert list(found) == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    for (i, j), pair in found.items():
        drawn = []
        for row in np.vstack([np.ones(40), weights]):
            loss = [
                accuracy(np.tensordot(row, counts[:, m, 0], 1))
                - accuracy(np.tensordot(row, counts[:, m, 2], 1))
                for m in (i, j)
            ]
            drawn.append(loss[0] - loss[1])
        assert pair.difference == pytest.approx(drawn[0])
        assert pair.losses[0] - pair.losses[1] == pytest.approx(drawn[0])
        ends = np.percentile(drawn[1:], [2.5, 97.5])
        assert (pair.lower, pair.upper) == pytest.approx(tuple(ends))


def test_another_metric_is_that_of_scikit_learn(counts):
    weights = resample_weights(40, 200, np.random.default_rng(1))
    pair = loss_pairs(counts, 1, "f1", weights)[0]

    def f1(model, split):
        tp, fp, fn, tn = counts[:, model, split].sum(axis=0)
        truth = np.repeat([1, 0, 1, 0], [tp, fp, fn, tn])
        return f1_score(truth, np.repeat([1, 1, 0, 0], [tp, fp, fn, tn]))

    assert pair.losses == pytest.approx((f1(0, 0) - f1(0, 1), f1(1, 0) - f1(1, 1)))


def test_a_model_against_itself_has_no_difference_and_no_width(counts):
    weights = resample_weights(40, 200, np.random.default_rng(1))
    pair = loss_pairs(counts, 2, "accuracy", weights)[2]
    assert (pair.difference, pair.lower, pair.upper) == (0, 0, 0)
    assert pair.reason == "no variation between the resamples"


def test_a_split_without_questions_leaves_the_loss_undefined(counts):
    counts[:, 1, 2] = 0
    weights = resample_weights(40, 200, np.random.default_rng(1))
    pair = loss_pairs(counts, 2, "accuracy", weights)[0]
    assert np.isnan([pair.difference, pair.lower, pair.upper, pair.losses[1]]).all()
    assert pair.reason == "no accuracy on both splits for both models"


def test_an_unknown_metric_is_named(counts):
    with pytest.raises(OodexpError, match="'auc'"):
        loss_pairs(counts, 1, "auc", np.ones((2, 40)))
