"""OODConceptBench, Tables D2 and D3: few-shot logistic regression, benchmark against control.

Witnesses: scikit-learn called by hand with the same draws, Bayes' accuracy of two Gaussians, fresh
images.
Deviations from the paper: mean of both recalls, images held apart, repeats and intervals.
"""

import math

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score

from oodexp.error import OodexpError
from oodexp.evidence.probe import layer, probe


def world(n, m, apart, seed=0, d=5):
    rng = np.random.default_rng(seed)
    positive = np.arange(n + m) < n
    points = rng.normal(size=(n + m, d))
    points[positive, 0] += apart
    return points, positive, np.arange(n + m)


def test_every_repeat_is_scikit_learns_on_its_own_draw():
    points, positive, image = world(40, 70, 1.0)
    found = probe(points, positive, image, 5, 6, seed=3, resamples=50)
    rng, expected = np.random.default_rng(3), []
    for _ in range(6):
        halves = [rng.choice(np.flatnonzero(positive == one), 5, False) for one in (False, True)]
        trained = np.concatenate(halves)
        tested = np.setdiff1d(image, trained)
        assert len(tested) == 100
        model = LogisticRegression(solver="liblinear", max_iter=200)
        told = model.fit(points[trained], positive[trained]).predict(points[tested])
        expected.append(balanced_accuracy_score(positive[tested], told))
    np.testing.assert_allclose(found.repeats, expected)
    assert found.accuracy.value == pytest.approx(np.mean(expected))
    assert found.spread == pytest.approx(tuple(np.percentile(expected, [2.5, 97.5])))
    assert (found.shots, found.unconverged) == (5, 0)


def test_with_many_shots_it_nears_bayes_and_without_a_difference_it_is_chance():
    apart = probe(*world(600, 600, 2.0), 200, 5, seed=1, resamples=300).accuracy
    assert apart.value == pytest.approx(norm.cdf(1), abs=0.02)
    assert apart.lower < norm.cdf(1) < apart.upper
    none = probe(*world(200, 500, 0.0), 30, 40, seed=1, resamples=300).accuracy
    assert none.value == pytest.approx(0.5, abs=0.04)


def test_it_does_not_follow_the_mix_of_the_classes():
    # With 20 times as many controls, always "control" would be right in 95 % of all images.
    found = probe(*world(60, 1200, 0.0), 5, 40, seed=2, resamples=100).accuracy
    assert found.value == pytest.approx(0.5, abs=0.05)


def test_more_shots_do_better():
    mine = [probe(*world(300, 300, 1.5, d=20), s, 20, seed=4).accuracy.value for s in (1, 5, 30)]
    assert mine == sorted(mine)
    assert mine[0] > 0.5


def test_rows_of_one_image_are_one_image():
    points, positive, image = world(30, 30, 1.0)
    once = probe(points, positive, image, 3, 5, seed=5, resamples=40)
    many = probe(*(np.repeat(x, 3, axis=0) for x in (points, positive, image)), 3, 5, 5, 40)
    np.testing.assert_array_equal(many.repeats, once.repeats)
    assert many.accuracy == once.accuracy


def test_intervals_hold_the_accuracy_of_endless_test_images():
    hits = 0
    for seed in range(40):
        points, positive, image = world(60, 60, 1.5, seed)
        found = probe(points, positive, image, 20, 4, seed, resamples=200)
        fresh, truth, _ = world(2000, 2000, 1.5, 1000 + seed)
        rng, accuracy = np.random.default_rng(seed), []
        for _ in range(4):
            halves = [rng.choice(np.flatnonzero(positive == c), 20, False) for c in (False, True)]
            rows = np.concatenate(halves)
            model = LogisticRegression(solver="liblinear", max_iter=200)
            accuracy.append(model.fit(points[rows], positive[rows]).score(fresh, truth))
        hits += found.accuracy.lower <= np.mean(accuracy) <= found.accuracy.upper
    assert hits >= 33  # fewer has probability 0.003 at 95 % coverage


@pytest.mark.parametrize(("n", "m", "which"), [(5, 9, "benchmark"), (9, 5, "control")])
def test_too_few_images_have_a_reason(n, m, which):
    found = probe(*world(n, m, 1.0), 5, 3, seed=0)
    assert math.isnan(found.accuracy.value)
    assert found.accuracy.reason == f"5 {which} images: 5 shots and one to test on need 6"
    assert all(map(math.isnan, found.spread))
    assert not math.isnan(probe(*world(n + 1, m + 1, 1.0), 5, 3, seed=0).accuracy.value)
    alone = probe(*world(9, 0, 1.0), 1, 3, seed=0)
    assert "0 control images" in alone.accuracy.reason


def test_a_probe_that_runs_out_of_iterations_says_so(monkeypatch):
    monkeypatch.setattr("oodexp.evidence.probe.ITERATIONS", 1)
    found = probe(*world(40, 40, 1.0), 20, 3, seed=0, resamples=10)
    assert found.unconverged == 3
    assert not math.isnan(found.accuracy.value)


def test_an_image_in_both_classes_and_broken_features_are_refused():
    points, positive, image = world(8, 8, 1.0)
    image[0] = 15
    with pytest.raises(
        OodexpError, match="1 images, 15 for one, are benchmark samples and control"
    ):
        probe(points, positive, image, 2, 3, seed=0)
    points[3, 1] = np.nan
    with pytest.raises(OodexpError, match="finite features"):
        probe(points, positive, np.arange(16), 2, 3, seed=0)
    with pytest.raises(OodexpError, match="shots=0"):
        probe(*world(8, 8, 1.0), 0, 3, seed=0)


def test_a_layer_is_the_mean_and_range_of_its_categories():
    probes = [
        probe(*world(n, 40, apart), 5, 4, seed=0) for n, apart in ((40, 0.5), (40, 3), (4, 1))
    ]
    found = layer(probes, ["a", "b", "c"])
    values = [one.accuracy.value for one in probes[:2]]
    assert found[:5] == (5, pytest.approx(np.mean(values)), min(values), max(values), 2)
    assert found.reason.startswith("c: 4 benchmark images")
    none = layer(probes[2:], ["c"])
    assert math.isnan(none.mean)
    assert none.categories == 0
    with pytest.raises(OodexpError, match="expected those of one number"):
        layer([probes[0], probe(*world(40, 40, 1), 3, 4, seed=0)], ["a", "b"])
