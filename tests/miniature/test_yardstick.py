"""The arithmetic behind the miniature's figures."""

from __future__ import annotations

import numpy as np
import pytest

from oodexp.miniature.yardstick import (
    ID,
    OOD_H,
    OOD_S,
    auroc,
    bootstrap_difference,
    divide,
    kappa,
    signal,
)


def test_the_score_is_a_softmax_over_the_category_and_the_absent_ones():
    rng = np.random.default_rng(0)
    logits, present = rng.normal(size=(9, 6)) * 3, rng.random((9, 6)) < 0.4
    score, flagged = signal(logits, present)
    for image in range(9):
        for category in range(6):
            if not present[image, category]:
                assert np.isnan(score[image, category])
                assert not flagged[image, category]
                continue
            absent = [np.exp(logits[image, c]) for c in range(6) if not present[image, c]]
            own = np.exp(logits[image, category])
            wanted = own / (own + sum(absent))
            assert score[image, category] == pytest.approx(wanted, rel=1e-9)
            beaten = bool(absent) and own < max(absent)
            assert flagged[image, category] == (wanted < 0.05 or beaten)


def test_divisions_count_the_flags():
    one, two = np.array([False, True, False, True]), np.array([False, False, True, True])
    assert divide(one, two).tolist() == [ID, OOD_S, OOD_S, OOD_H]


def test_auroc_agrees_with_scikit_learn():
    from sklearn.metrics import roc_auc_score

    rng = np.random.default_rng(1)
    scores, truth = rng.integers(0, 8, 200).astype(float), rng.random(200) < 0.3
    assert auroc(scores, truth) == pytest.approx(roc_auc_score(truth, scores))


def test_kappa_agrees_with_scikit_learn():
    from sklearn.metrics import cohen_kappa_score

    rng = np.random.default_rng(4)
    one = rng.random(300) < 0.3
    two = np.where(rng.random(300) < 0.7, one, rng.random(300) < 0.5)
    assert kappa(one, two) == pytest.approx(cohen_kappa_score(one, two))


def test_the_bootstrap_centres_on_the_difference_and_covers_none_of_the_impossible():
    rng = np.random.default_rng(2)
    image = np.repeat(np.arange(150), 4)
    group = rng.integers(0, 2, 600)
    right = rng.random(600) < np.where(group == 0, 0.9, 0.6)
    value, low, high = bootstrap_difference(right, group, image, (0, 1), rng)
    assert value == pytest.approx(right[group == 0].mean() - right[group == 1].mean())
    assert low < value < high
    assert low > 0
