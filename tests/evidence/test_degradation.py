"""Degradation and behavioural signature (OODBench, appendix C.2.1).

Formula: Delta_m^(k) = T_ID - T_OOD; 95 % interval [L, U]; band [min_m L, max_m U]; A = the bands.
Deviations from the paper: images are drawn again, not answers; the paper does not say how the band
is made of the intervals: least lower and largest upper end is our reading.
"""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.stats import bootstrap
from sklearn import metrics as witness

from oodexp.error import OodexpError
from oodexp.evidence.degradation import OODS, degradation, delta, id_and_ood, signature
from oodexp.metric.binary import METRICS

NAMES = ["a", "b", "c"]
ACCURACY, MCC = METRICS.index("accuracy"), METRICS.index("mcc")


def made(images=40, models=3, seed=0, split=None):
    """Random answers: (image, model, 3, 4)."""
    rng = np.random.default_rng(seed)
    counts = rng.poisson([0.9, 0.2, 0.3, 0.8], (images, models, 3, 4))
    if split is not None:
        counts[:, :, split] = 0
    return counts


def all_right(images=40):
    """One model that answers one yes and one no question of each split and image rightly."""
    counts = np.zeros((images, 1, 3, 4), np.int64)
    counts[..., [0, 3]] = 1
    return counts


def test_values_are_those_of_scikit_learn():
    counts = made()
    found = degradation(counts, "OOD-H", resamples=5, seed=0)
    for model in range(3):
        told = []
        for split in (0, 2):
            n = counts[:, model, split].sum(axis=0)
            truth, answer = np.repeat([[1, 0, 1, 0], [1, 1, 0, 0]], n, axis=1)
            told.append(
                [
                    witness.accuracy_score(truth, answer), witness.precision_score(truth, answer),
                    witness.recall_score(truth, answer), witness.f1_score(truth, answer),
                    witness.matthews_corrcoef(truth, answer),
                ]
            )  # fmt: skip
        assert found.values[model] == pytest.approx(np.subtract(*told), abs=1e-12)


def test_ood_is_a_split_or_both_together():
    counts = made()
    for ood, parts in zip(OODS, ([1], [2], [1, 2]), strict=True):
        halves = id_and_ood(counts, ood)
        np.testing.assert_array_equal(halves[:, :, 0], counts[:, :, 0])
        np.testing.assert_array_equal(halves[:, :, 1], sum(counts[:, :, p] for p in parts))
    with pytest.raises(OodexpError, match="OOD-X"):
        id_and_ood(counts, "OOD-X")


def test_draws_and_intervals_are_those_of_a_plain_loop():
    counts = made(images=12)
    found = degradation(counts, resamples=60, seed=7)
    rng, draws = np.random.default_rng(7), []
    for _ in range(60):
        total = np.zeros((3, 3, 4))
        for image in rng.integers(12, size=12, dtype=np.uint32):
            total += counts[image]
        draws.append([[by_hand(t[0]) - by_hand(t[1] + t[2])][0] for t in total])
    np.testing.assert_allclose(found.draws, draws, atol=1e-12)
    np.testing.assert_allclose(found.lower, np.percentile(draws, 2.5, axis=0), atol=1e-12)
    np.testing.assert_allclose(found.upper, np.percentile(draws, 97.5, axis=0), atol=1e-12)
    assert not found.reasons


def by_hand(table):
    tp, fp, fn, tn = table
    root = ((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)) ** 0.5
    return np.array(
        [
            (tp + tn) / table.sum(), tp / (tp + fp), tp / (tp + fn), tp / (tp + (fp + fn) / 2),
            (tp * tn - fp * fn) / root,
        ]
    )  # fmt: skip


def test_intervals_are_those_of_scipys_bootstrap():
    counts = made(images=150, models=1, seed=3)
    found = degradation(counts, "OOD-S", resamples=8000, seed=1)

    def statistic(images, axis=-1):
        return np.moveaxis(delta(counts[images, 0, :2].sum(axis=-3)), -1, 0)

    theirs = bootstrap(
        (np.arange(150),), statistic, n_resamples=8000, method="percentile", batch=500,
        rng=np.random.default_rng(0),
    ).confidence_interval  # fmt: skip
    width = theirs.high - theirs.low
    assert (np.abs(found.lower[0] - theirs.low) < 0.03 * width).all()
    assert (np.abs(found.upper[0] - theirs.high) < 0.03 * width).all()


def test_models_share_their_draws():
    counts = made(models=1)
    twice = degradation(np.concatenate([counts, counts], axis=1), resamples=50, seed=0)
    np.testing.assert_array_equal(twice.draws[:, 0], twice.draws[:, 1])


def test_all_right_is_an_interval_without_width_and_says_so(shared):
    case = json.loads((shared / "cases/g26-degenerate-bootstrap/expected.json").read_text())
    assert case["flag"] == "degenerate"
    found = degradation(all_right(), resamples=200, seed=0)
    for metric in range(5):
        ends = found.values[0, metric], found.lower[0, metric], found.upper[0, metric]
        assert ends == (0, 0, 0)
        assert found.reasons[0, metric] == "no variation between the resamples"


def test_resamples_without_an_mcc_are_counted():
    counts = all_right(60)
    counts[2:, 0, 1:, 3] = 0  # two images have a no question in OOD
    found = degradation(counts, resamples=4000, seed=0)
    # Neither image is drawn: (1 - 2/60)^60.
    assert found.undefined[0, MCC] == pytest.approx((1 - 2 / 60) ** 60, abs=0.02)
    assert found.undefined[0, ACCURACY] == 0
    assert np.isnan(found.lower[0, MCC])
    assert found.reasons[0, MCC].startswith("undefined in 1")
    assert found.values[0, MCC] == 0


@pytest.mark.parametrize(("split", "ood", "told"), [(0, "OOD", "ID"), (2, "OOD-H", "OOD-H")])
def test_an_empty_split_has_a_reason(split, ood, told):
    found = degradation(made(split=split), ood, resamples=30, seed=0)
    assert np.isnan(found.values).all()
    assert np.isnan(found.lower).all()
    assert set(found.reasons.values()) == {f"{told}: no data"}
    assert len(found.reasons) == 15


def test_a_model_that_always_says_yes_has_no_mcc_but_an_accuracy():
    counts = made(models=1)
    counts[..., 1] += counts[..., 3]
    counts[..., 0] += counts[..., 2]
    counts[..., 2:] = 0
    found = degradation(counts, resamples=100, seed=0)
    assert found.reasons[0, MCC] == "ID: no negative answers"
    assert np.isnan(found.upper[0, MCC])
    assert np.isfinite(found.upper[0, ACCURACY])


def test_answers_and_images_are_counted():
    counts = np.zeros((5, 1, 3, 4), np.int64)
    counts[0, 0, 0, 0], counts[1, 0, 1, 3], counts[1, 0, 0, 1], counts[2, 0, 2, 2] = 3, 2, 1, 4
    found = degradation(counts, resamples=10, seed=0)
    assert found.questions.tolist() == [[4, 6]]
    assert found.images.tolist() == [[2, 2]]


def test_bands_span_the_intervals_of_the_open_models():
    found = degradation(made(), resamples=100, seed=0)
    bands = signature(found, [0, 2], NAMES)
    for metric in range(5):
        lows = [found.lower[0, metric], found.lower[2, metric]]
        highs = [found.upper[0, metric], found.upper[2, metric]]
        assert (bands.lower[metric], bands.upper[metric]) == (min(lows), max(highs))
    assert bands.models == (0, 2)
    assert not bands.reasons


def test_a_band_names_the_open_models_that_it_is_without():
    counts = made()
    counts[:, 1] = 0
    bands = signature(degradation(counts, resamples=100, seed=0), [0, 1], NAMES)
    assert np.isfinite(bands.lower).all()
    assert set(bands.reasons.values()) == {"b: ID: no data"}
    alone = signature(degradation(counts, resamples=100, seed=0), [1], NAMES)
    assert np.isnan(alone.upper).all()
    assert alone.reasons[0] == "no open model has an interval (b: ID: no data)"


def test_without_open_models_there_is_no_band():
    bands = signature(degradation(made(), resamples=20, seed=0), [], NAMES)
    assert np.isnan(bands.lower).all()
    assert set(bands.reasons.values()) == {"no open model has an interval"}


def test_no_image_is_an_error():
    with pytest.raises(OodexpError, match="0 images"):
        degradation(made()[:0], resamples=10, seed=0)


def test_one_image_has_an_interval_without_width_and_says_so():
    found = degradation(made(images=1, seed=4), resamples=50, seed=0)
    assert found.images.max() == 1
    for at, value in np.ndenumerate(found.values):
        assert np.isnan(value) or found.lower[at] == found.upper[at] == value
        assert found.reasons[at]
