"""First derivatives of the metrics and the clustered error of a difference.

OODBench prints no errors. Delta method with images as clusters (answers of one image add up
before they are squared). No deviation; the factor I / (I - 1) of few clusters is that of Liang and
Zeger's sandwich for a mean.
"""

from __future__ import annotations

import numpy as np
import pytest

from oodexp.evidence.influence import difference_error, gradient
from oodexp.metric.binary import METRICS, from_counts
from oodexp.metric.bootstrap import resample_weights


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("sums", [(31, 8, 12, 40), (3, 0, 9, 5), (500, 20, 1, 3)])
def test_derivatives_are_those_of_small_steps(metric, sums):
    at, step, place = np.array(sums, float), 1e-5, METRICS.index(metric)
    slopes = [
        (from_counts(at + step * unit)[place] - from_counts(at - step * unit)[place]) / (2 * step)
        for unit in np.eye(4)
    ]
    found = gradient(at, metric)
    np.testing.assert_allclose(found, slopes, rtol=1e-6, atol=1e-9)
    assert found @ at == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("metric", METRICS)
def test_many_tables_at_once_give_what_each_gives(metric):
    tables = np.random.default_rng(0).integers(1, 9, (2, 3, 4))
    whole = gradient(tables, metric)
    for at in np.ndindex(2, 3):
        np.testing.assert_allclose(whole[at], gradient(tables[at], metric))


def clustered(images: int, seed: int) -> np.ndarray:
    """Counts of two models on images of 1 to 6 questions whose answers go together."""
    rng = np.random.default_rng(seed)
    counts = np.zeros((2, images, 4))
    for image in range(images):
        ease = rng.normal()
        for truth in rng.random(rng.integers(1, 7)) < 0.5:
            for model, own in enumerate(rng.normal(0.6, 1, 2)):
                right = ease + own + rng.normal() > 0
                counts[model, image, (0 if right else 2) if truth else (3 if right else 1)] += 1
    return counts


def test_the_error_of_the_accuracy_is_the_textbook_form():
    first, second = clustered(80, 1)
    n = first.sum(axis=1)
    d = (first - second)[:, [0, 3]].sum(axis=1)
    rest = d - n * d.sum() / n.sum()
    closed = np.sqrt(80 / 79 * (rest**2).sum()) / n.sum()
    assert difference_error(first, second, "accuracy") == pytest.approx(closed, rel=1e-12)


@pytest.mark.parametrize("metric", METRICS)
def test_the_error_is_the_spread_of_paired_bootstrap_draws(metric):
    first, second = clustered(400, 2)
    weights = resample_weights(400, 4000, np.random.default_rng(0))
    place = METRICS.index(metric)
    draws = from_counts(weights @ first)[:, place] - from_counts(weights @ second)[:, place]
    found = difference_error(first, second, metric)
    assert found == pytest.approx(draws.std(ddof=1), rel=0.06)


def test_images_without_questions_do_not_count():
    first, second = clustered(30, 3)
    empty = np.zeros((11, 4))
    for metric in METRICS:
        more = difference_error(np.r_[first, empty], np.r_[second, empty], metric)
        assert more == pytest.approx(difference_error(first, second, metric), rel=1e-12)


def test_one_image_has_no_error_to_estimate():
    one = np.array([[3, 1, 2, 4]])
    assert np.isnan(difference_error(one, one[:, ::-1], "accuracy"))
    assert np.isnan(difference_error(np.zeros((0, 4)), np.zeros((0, 4)), "f1"))
