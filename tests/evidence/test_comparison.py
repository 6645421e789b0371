"""All pairs of models on one split.

OODBench (Table I) ranks models without intervals of their differences. Here: difference with a
percentile bootstrap over images, paired; p by the clustered McNemar mid-p (accuracy) or the
studentised exchange (other metrics), adjusted after Holm and Benjamini-Hochberg over all pairs;
least detectable difference (z_0.975 + z_0.8) SE. Deviation: everything.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import false_discovery_control, norm
from sklearn.metrics import confusion_matrix

from oodexp.error import OodexpError
from oodexp.evidence.comparison import EXCHANGE, MCNEMAR, alike, by_image, compare, detectable
from oodexp.evidence.mcnemar import mcnemar
from oodexp.metric.binary import METRICS, from_counts
from oodexp.metric.bootstrap import resample_weights

IMAGES = 60


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def answers(chances=(0.9, 0.85, 0.6, 0.58), images=IMAGES, seed=0):
    """Asserted, truth and image of questions whose answers go together on an image."""
    draw = rng(seed)
    image = np.repeat(np.arange(images), draw.integers(1, 7, images))
    truth = draw.random(len(image)) < 0.5
    ease = draw.normal(0, 0.5, images)[image]
    right = [ease + draw.normal(0, 0.9, len(image)) < norm.ppf(c) for c in chances]
    return np.array(right) == truth, truth, image


def compared(metric, made=None, images=IMAGES):
    asserted, truth, image = made or answers()
    counts = by_image(asserted, truth, image, images)
    return compare(counts, metric, resample_weights(images, 800, rng(1)), 499, rng(2))


def test_counts_by_image_are_those_of_scikit_learn():
    asserted, truth, image = answers()
    counts = by_image(asserted, truth, image, IMAGES + 1)
    for model, said in enumerate(asserted):
        for n in range(IMAGES):
            here = image == n
            tn, fp, fn, tp = confusion_matrix(truth[here], said[here], labels=[0, 1]).ravel()
            assert counts[model, n].tolist() == [tp, fp, fn, tn]
    assert not counts[:, IMAGES].any()


@pytest.mark.parametrize("metric", METRICS)
def test_every_pair_stands_once_with_the_paired_interval_of_a_loop(metric):
    asserted, truth, image = answers()
    counts, place = by_image(asserted, truth, image, IMAGES), METRICS.index(metric)
    weights = resample_weights(IMAGES, 800, rng(1))
    found = compare(counts, metric, weights, 99, rng(2))
    assert [(p.first, p.second) for p in found.pairs] == list(combinations(range(4), 2))
    for pair in found.pairs[:3]:
        drawn = []
        for row in weights:
            again = np.repeat(np.arange(IMAGES), row.astype(int))
            values = from_counts(counts[[pair.first, pair.second]][:, again].sum(axis=1))[:, place]
            drawn.append(values[0] - values[1])
        assert (pair.lower, pair.upper) == pytest.approx(np.percentile(drawn, [2.5, 97.5]))
        assert pair.difference == found.values[pair.first] - found.values[pair.second]
        assert pair.error == pytest.approx(np.std(drawn, ddof=1), rel=0.1)


def test_the_p_of_accuracies_is_the_clustered_mcnemar_test():
    asserted, truth, image = answers()
    right = asserted == truth
    for pair in compared("accuracy").pairs:
        theirs = mcnemar(right[pair.first], right[pair.second], image)
        assert (pair.test, pair.p) == (MCNEMAR, theirs.clustered)
        assert pair.p_floor == 0.5**theirs.images


def test_other_metrics_and_unequal_numbers_of_answers_are_tested_by_exchange():
    assert {pair.test for pair in compared("f1").pairs} == {EXCHANGE}
    asserted, truth, image = answers()
    counts = by_image(asserted, truth, image, IMAGES)
    counts[0, :5] = 0
    found = compare(counts, "accuracy", resample_weights(IMAGES, 200, rng()), 199, rng())
    tests = {(pair.first, pair.second): pair.test for pair in found.pairs}
    assert tests[0, 1] == EXCHANGE
    assert tests[1, 2] == MCNEMAR


def test_p_values_are_adjusted_over_all_pairs():
    found = compared("accuracy")
    p = np.array([pair.p for pair in found.pairs])
    np.testing.assert_allclose([pair.bh for pair in found.pairs], false_discovery_control(p))
    smallest = min(found.pairs, key=lambda pair: pair.p)
    assert smallest.holm == pytest.approx(6 * smallest.p)
    assert all(pair.p <= pair.bh + 1e-12 <= pair.holm + 2e-12 for pair in found.pairs)


def test_models_far_apart_are_told_apart_and_models_alike_are_not():
    found = compared("accuracy")
    display = alike(found)
    assert display.letters == ["a", "a", "b", "b"]
    assert display.members == [[0, 1], [2, 3]]


def test_a_model_whose_metric_is_undefined_is_named_and_not_counted():
    asserted, truth, image = answers()
    asserted[2] = True
    found = compared("mcc", (asserted, truth, image))
    assert found.reasons[2] == "no negative answers"
    for pair in found.pairs:
        if 2 in (pair.first, pair.second):
            assert np.isnan([pair.difference, pair.p, pair.holm, pair.bh, pair.detectable]).all()
            side = "first" if pair.first == 2 else "second"
            assert pair.reason == f"{side}: no negative answers"
        else:
            assert pair.holm <= min(1, 3 * pair.p) + 1e-12
    assert alike(found).letters[2] == ""


def test_the_same_model_twice_is_not_told_apart_and_detects_nothing():
    asserted, truth, image = answers((0.8, 0.8))
    asserted[1] = asserted[0]
    (pair,) = compared("accuracy", (asserted, truth, image)).pairs
    assert (pair.difference, pair.p) == (0, 1)
    assert np.isnan(pair.detectable)
    assert pair.reason == "the models have the same counts on every image"


def test_two_models_that_are_always_right_are_alike():
    truth, image = np.array([True, False, True]), np.array([0, 1, 1])
    (pair,) = compared("accuracy", (np.stack([truth, truth]), truth, image), 2).pairs
    assert pair.p == 1
    assert pair.reason is not None


def test_an_empty_split_and_a_single_image_have_reasons():
    empty = np.zeros((2, 0), bool), np.zeros(0, bool), np.zeros(0, np.int64)
    (pair,) = compared("accuracy", empty, 3).pairs
    assert pair.reason == "first: no data; second: no data"
    truth, image = np.array([True, False]), np.zeros(2, np.int64)
    one = np.array([[True, False], [True, True]])
    (pair,) = compared("accuracy", (one, truth, image), 1).pairs
    assert pair.difference == 0.5
    assert pair.p == 0.5  # one image: heads or tails, half of it counted
    assert np.isnan(pair.detectable)
    assert pair.reason == "no variation between the resamples"


def test_one_model_has_no_pairs():
    asserted, truth, image = answers((0.8,))
    found = compared("accuracy", (asserted, truth, image))
    assert found.pairs == []
    assert alike(found).letters == ["a"]
    none = compare(np.zeros((0, 3, 4)), "f1", resample_weights(3, 5, rng()), 9, rng())
    assert (none.pairs, none.questions) == ([], 0)


def test_a_metric_that_does_not_exist_is_refused():
    with pytest.raises(OodexpError, match="no metric 'auroc'"):
        compared("auroc")


def test_the_detectable_difference_has_the_power_of_a_normal_law():
    least = detectable(0.01)
    power = norm.sf(norm.ppf(0.975) - least / 0.01) + norm.cdf(-norm.ppf(0.975) - least / 0.01)
    assert power == pytest.approx(0.8, abs=1e-4)
    assert np.isnan(detectable(0.0))
    assert np.isnan(detectable(np.nan))
