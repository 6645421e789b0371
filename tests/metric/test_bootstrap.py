"""Intervals from a bootstrap over images."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.stats import bootstrap

from oodexp.metric.binary import METRICS, from_counts
from oodexp.metric.bootstrap import interval, resample_weights, resampled


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_each_resample_draws_as_many_images_as_there_are():
    weights = resample_weights(37, 200, rng())
    assert weights.shape == (200, 37)
    assert (weights.sum(axis=1) == 37).all()
    assert (weights >= 0).all()
    assert (weights == weights.round()).all()


def test_every_image_is_drawn_once_on_average():
    weights = resample_weights(20, 20_000, rng())
    assert np.abs(weights.mean(axis=0) - 1).max() < 0.04
    assert np.abs(weights.var(axis=0) - (1 - 1 / 20)).max() < 0.06


def test_the_same_seed_draws_the_same():
    assert np.array_equal(*(resample_weights(9, 50, rng(3)) for _ in range(2)))
    assert not np.array_equal(resample_weights(9, 50, rng(3)), resample_weights(9, 50, rng(4)))


def test_resampled_counts_are_those_of_a_loop():
    counts = rng(1).integers(0, 3, (15, 4))
    counts[4] = 0
    weights = resample_weights(15, 30, rng())
    drawn = [
        sum((counts[i] for i in range(15) for _ in range(int(w[i]))), np.zeros(4)) for w in weights
    ]
    np.testing.assert_array_equal(resampled(weights, counts, lambda c: c), np.array(drawn))


def one_question_an_image(images: int, right: float, seed: int) -> np.ndarray:
    correct = rng(seed).random(images) < right
    counts = np.zeros((images, 4))
    counts[np.arange(images), np.where(correct, 0, 1)] = 1
    return counts


@pytest.mark.parametrize(("images", "right"), [(60, 0.5), (200, 0.8), (400, 0.95)])
def test_the_interval_of_the_accuracy_is_scipys_where_images_have_one_question(images, right):
    counts = one_question_an_image(images, right, 5)
    draws = resampled(resample_weights(images, 20_000, rng()), counts, from_counts)[:, 0]
    found = interval(draws)
    theirs = bootstrap(
        (counts[:, 0],), np.mean, n_resamples=20_000, method="percentile", rng=rng(9),
        batch=1000,
    ).confidence_interval  # fmt: skip
    step = 1 / images  # the accuracy moves in these steps
    assert found.lower == pytest.approx(theirs.low, abs=1.01 * step)
    assert found.upper == pytest.approx(theirs.high, abs=1.01 * step)
    assert found.reason is None


def test_questions_that_share_an_image_make_the_interval_wider():
    # 50 images of 10 questions each, answered all right or all wrong.
    right = rng(2).random(50) < 0.7
    clustered = np.zeros((50, 4))
    clustered[np.arange(50), np.where(right, 0, 1)] = 10
    naive = np.repeat(clustered / 10, 10, axis=0)
    widths = []
    for counts in (clustered, naive):
        weights = resample_weights(len(counts), 4000, rng())
        found = interval(resampled(weights, counts, from_counts)[:, 0])
        widths.append(found.upper - found.lower)
    assert widths[0] / widths[1] == pytest.approx(np.sqrt(10), rel=0.15)


def test_data_without_variation_is_flagged():
    counts = np.zeros((40, 4))
    counts[:, 0] = 1
    found = interval(resampled(resample_weights(40, 500, rng()), counts, from_counts)[:, 0])
    assert found == (1.0, 1.0, "no variation between the resamples")


def test_a_value_undefined_in_many_resamples_has_no_interval():
    # One image alone has a negative target: about 37 % of the resamples lack it.
    counts = np.zeros((40, 4))
    counts[:20, 0], counts[20:39, 2], counts[39, 1] = 1, 1, 1
    draws = resampled(resample_weights(40, 4000, rng()), counts, from_counts)
    mcc = interval(draws[:, METRICS.index("mcc")])
    assert np.isnan([mcc.lower, mcc.upper]).all()
    assert mcc.reason in {f"undefined in {p}% of the resamples" for p in (35, 36, 37, 38, 39)}
    assert interval(draws[:, 0]).reason is None


def test_few_undefined_resamples_are_left_out():
    values = np.r_[np.linspace(0, 1, 961), np.full(39, np.nan)]
    found = interval(values)
    assert (found.lower, found.upper) == pytest.approx((0.025, 0.975))
    assert found.reason is None


def test_the_same_table_in_every_resample_has_a_value_in_all_or_in_none(shared):
    for name in ("g23-mcc-undefined", "g24-zero-division"):
        expected = json.loads((shared / "cases" / name / "expected.json").read_text())
        for case in expected["cases"]:
            counts = np.array([[case["confusion"][k] for k in ("tp", "fp", "fn", "tn")]], float)
            draws = resampled(resample_weights(1, 100, rng()), counts, from_counts)
            for m, metric in enumerate(METRICS):
                found = interval(draws[:, m])
                if case[metric] is None:
                    assert np.isnan(draws[:, m]).all()
                    assert found.reason == "undefined in 100% of the resamples"
                else:
                    assert found.lower == found.upper == pytest.approx(case[metric], abs=1e-6)


def test_an_undefined_mcc_is_never_a_number_in_any_resample():
    """Each question in a cell of its own image: resamples lack some of the four cells."""
    counts = np.repeat(np.eye(4), [3, 1, 1, 2], axis=0)
    weights = resample_weights(7, 2000, rng())
    draws, totals = resampled(weights, counts, from_counts), weights @ counts
    tp, fp, fn, tn = totals.T
    empty = (tp + fp == 0) | (tp + fn == 0) | (tn + fp == 0) | (tn + fn == 0)
    assert empty.any()
    assert np.array_equal(np.isnan(draws[:, METRICS.index("mcc")]), empty)
