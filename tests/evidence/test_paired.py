"""Exchange of two models on whole images.

OODBench compares models by eye. Permutation of pairs with a studentised statistic (Janssen, 1997;
Chung and Romano, 2013); p = (1 + #{|T_b| >= |T|}) / (B + 1). No deviation but that images, not
questions, are exchanged.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from oodexp.evidence.influence import difference_error
from oodexp.evidence.paired import exchange_p, studentised
from oodexp.metric.binary import METRICS, from_counts


def counts(images: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 4, (2, images, 4))


@pytest.mark.parametrize("metric", METRICS)
def test_the_statistic_of_an_exchange_is_that_of_exchanged_counts(metric):
    both, place = counts(25, 0), METRICS.index(metric)
    signs = np.random.default_rng(1).integers(0, 2, (12, 25)) * 2.0 - 1
    for row, found in zip(signs, studentised(*both, metric, signs), strict=True):
        swapped = np.where(row[None, :, None] > 0, both, both[::-1])
        values = from_counts(swapped.sum(axis=1))[:, place]
        # The factor of few clusters is the same in all exchanges and left out.
        error = difference_error(*swapped, metric) * np.sqrt(24 / 25)
        assert found == pytest.approx((values[0] - values[1]) / error, rel=1e-9)


@pytest.mark.parametrize("metric", METRICS)
def test_p_is_the_share_of_all_exchanges_in_the_long_run(metric):
    both = counts(9, 4)
    every = np.array(list(product((-1.0, 1.0), repeat=9)))
    law = np.abs(studentised(*both, metric, every))
    observed = abs(studentised(*both, metric, np.ones((1, 9)))[0])
    share = (law >= observed - 1e-9).mean()
    found = exchange_p(*both, metric, 20_000, np.random.default_rng(0))
    assert found == pytest.approx(share, abs=4 * np.sqrt(0.25 / 20_000))


def test_parts_of_a_large_draw_count_like_one_draw(monkeypatch):
    both = counts(40, 5)
    whole = exchange_p(*both, "f1", 500, np.random.default_rng(0))
    monkeypatch.setattr("oodexp.evidence.paired.CELLS", 40 * 7)
    assert exchange_p(*both, "f1", 500, np.random.default_rng(0)) == whole


def test_p_is_never_below_one_over_b_plus_one():
    good = np.tile([2, 0, 0, 2], (50, 1))
    bad = np.tile([1, 1, 1, 1], (50, 1))
    assert exchange_p(good, bad, "accuracy", 199, np.random.default_rng(0)) == 1 / 200


def test_models_with_the_same_counts_have_a_p_of_one():
    one = counts(20, 6)[0]
    assert exchange_p(one, one, "mcc", 99, np.random.default_rng(0)) == 1


def test_an_undefined_metric_has_no_p():
    yes = np.tile([1, 1, 0, 0], (10, 1))
    some = np.tile([1, 0, 0, 1], (10, 1))
    assert np.isnan(exchange_p(yes, some, "mcc", 99, np.random.default_rng(0)))
