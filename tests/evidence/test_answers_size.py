"""Sizes and coverage by simulation: are the p-values and intervals of closed models what they say?

Paper: OODBench, IV and appendix C.2 (bootstrap intervals, label permutation, TOST). Data under the
null: images with 1-6 pairs, two questions a pair, an effect of the image on being right and one on
saying yes (standard deviations 1.2 and 0.6 on the logit), labels that agree within images. Wanted:
rejections at nominal 5 % in [3.5 %, 6.5 %], coverage of 95 % intervals in [92.5 %, 97.5 %].

Deviation from the paper: it permutes labels of pairs and resamples answers, as if an image held
one. Those plain forms are measured here beside ours, and fail; `--log-cli-level=INFO` shows by how
much.
"""

from __future__ import annotations

import logging

import numpy as np
import pytest

from oodexp.evidence.degradation import degradation, delta
from oodexp.evidence.permutation import p_value, permutation_test
from oodexp.evidence.resampling import resampled_sums
from oodexp.evidence.tost import equivalence
from oodexp.metric.binary import METRICS
from oodexp.metric.bootstrap import interval

LOG = logging.getLogger(__name__)

pytestmark = pytest.mark.slow

SIZE, COVERAGE = (0.035, 0.065), (0.925, 0.975)
FORMS = ("pairs", "images, Delta alone", "images")

MOVED = np.array([m in ("accuracy", "f1", "mcc") for m in METRICS])
"""Metrics that dependence within images moves most: the plain forms fail for these everywhere."""


def within(rates, bounds):
    rates = np.asarray(rates)
    return ((rates >= bounds[0]) & (rates <= bounds[1])).all()


def logistic(x):
    return 1 / (1 + np.exp(-x))


def pairs_of(rng, images, labels, loss=0.0):
    """Counts (pair, 4), image and label of each pair; `loss` is taken off the logit on OOD."""
    sizes = rng.integers(1, 7, images)
    image = np.repeat(np.arange(images), sizes)
    share = {
        "by pair": np.full(images, 0.33),
        "mixed images": rng.beta(0.3, 0.6, images),
        "whole images": (rng.random(images) < 0.35).astype(float),
        "few OOD images": (rng.random(images) < 0.12).astype(float),
        "other spread": (rng.random(images) < 0.12).astype(float),
    }[labels]
    ood = rng.random(len(image)) < share[image]
    if labels == "other spread":  # as good on average, but good and bad images
        chance = np.where(ood, rng.choice([0.55, 0.95], images)[image], 0.75)
        yes = no = chance
    else:
        ease = (0.9 + rng.normal(0, 1.2, images))[image] + rng.normal(0, 0.5, len(image))
        lean = rng.normal(0.2, 0.6, images)[image]
        yes, no = logistic(ease + lean - loss * ood), logistic(ease - lean - loss * ood)
    right, refused = rng.random(len(image)) < yes, rng.random(len(image)) < no
    counts = np.stack([right, ~refused, ~right, refused], axis=1).astype(np.int64)
    return counts, image, ood


def rejections(labels, runs, images=150, loss=0.0, permutations=199):
    """Rates at 5 %: of the plain form, of Delta and of the studentised Delta permuted by images."""
    found = []
    for run in range(runs):
        counts, image, ood = pairs_of(np.random.default_rng([11, run]), images, labels, loss)
        tested = permutation_test(counts, image, ood, permutations=permutations, seed=run)
        unscaled, _ = p_value(tested.images.draws, tested.images.values)
        found.append([p <= 0.05 for p in (tested.pairs.p, unscaled, tested.images.p)])
    rates = np.mean(found, axis=0)
    LOG.info("%s, loss %s: %s", labels, loss, dict(zip(FORMS, rates.tolist(), strict=True)))
    return rates


@pytest.mark.parametrize("labels", ["by pair", "mixed images", "whole images", "few OOD images"])
def test_the_permutation_test_by_images_keeps_its_size_where_that_of_pairs_does_not(labels):
    plain, unscaled, clustered = rejections(labels, 2000)
    assert within(clustered, SIZE)
    assert within(unscaled, SIZE)
    if labels == "by pair":
        assert within(plain, SIZE)  # exact, for labels know nothing of images
    else:
        assert (plain > SIZE[1])[MOVED].all()


def test_only_the_studentised_form_keeps_its_size_when_the_spread_differs():
    plain, unscaled, clustered = rejections("other spread", 2000)
    assert within(clustered, SIZE)
    assert (plain > SIZE[1])[MOVED].all()
    assert (unscaled > SIZE[1])[MOVED].all()


def test_the_permutation_test_by_images_finds_a_loss():
    *_, clustered = rejections("mixed images", 200, loss=1.0)
    assert (clustered > 0.75).all()


def population(rng, labels, models, losses, images=20_000):
    """Counts by image, (image, model, 3, 4), of models on the same pairs."""
    sizes = rng.integers(1, 7, images)
    image = np.repeat(np.arange(images), sizes)
    share = rng.beta(0.3, 0.6, images) if labels == "mixed images" else rng.random(images) < 0.35
    ood = rng.random(len(image)) < share[image]
    common = (0.9 + rng.normal(0, 0.9, images))[image] + rng.normal(0, 0.5, len(image))
    counts = np.zeros((images, models, 3, 4), np.int64)
    draws = rng.random((2, models, len(image)))
    own = rng.normal(0, 0.8, (models, images))
    for model in range(models):
        ease = common + own[model][image] - losses[model] * ood
        right, refused = draws[0, model] < logistic(ease + 0.3), draws[1, model] < logistic(ease)
        one = np.stack([right, ~refused, ~right, refused], axis=1)
        np.add.at(counts, (image, model, np.where(ood, 1, 0)), one)
    return counts


@pytest.mark.parametrize("labels", ["mixed images", "whole images"])
def test_intervals_over_images_cover_and_plain_ones_do_not(labels):
    world = population(np.random.default_rng(3), labels, 1, [0.6])
    truth = delta(world[:, 0, :2].sum(axis=0))
    hits, plain = [], []
    for run in range(1500):
        rng = np.random.default_rng([5, run])
        drawn = world[rng.integers(len(world), size=150)]
        found = degradation(drawn, "OOD-S", resamples=600, seed=run)
        hits.append((found.lower[0] <= truth) & (truth <= found.upper[0]))
        if run < 500:
            draws = delta(resampled_sums(answers_of(drawn[:, 0, :2]), 600, run))
            ends = np.array([interval(draws[:, k])[:2] for k in range(5)])
            plain.append((ends[:, 0] <= truth) & (truth <= ends[:, 1]))
    hits, plain = np.mean(hits, axis=0), np.mean(plain, axis=0)
    LOG.info("%s: coverage over images %s, over answers %s", labels, hits, plain)
    assert within(hits, COVERAGE)
    assert (plain < COVERAGE[0])[MOVED].all()


def answers_of(counts):
    """A row an answer, (answer, 2, 4), from counts by image."""
    return np.repeat(np.eye(8, dtype=np.int64), counts.sum(axis=0).ravel(), axis=0).reshape(
        -1, 2, 4
    )


def closed_at(margin, opens=(0.3, 0.9)):
    """A population of two open models and a closed one whose accuracy differs by `margin`.

    Args:
        margin: Takes the open models' accuracy losses, (2,).
    """
    low, high = 0.0, 3.0
    for _ in range(30):
        loss = (low + high) / 2
        world = population(np.random.default_rng(4), "mixed images", 3, [*opens, loss])
        found = delta(world[:, :, :2].sum(axis=0))[:, 0]
        short = found[2] - found[:2].mean() < margin(found[:2])
        low, high = (loss, high) if short else (low, loss)
    return world


def equivalences(world, runs, images, margin):
    found = []
    for run in range(runs):
        rng = np.random.default_rng([6, run])
        drawn = world[rng.integers(len(world), size=images)]
        degraded = degradation(drawn, "OOD-S", resamples=600, seed=run)
        found.append(equivalence(degraded, 2, [0, 1], "abc", margin).equivalent)
    return np.mean(found, axis=0)


def test_equivalence_with_a_fixed_margin_has_its_level_at_the_boundary():
    world = closed_at(lambda _: 0.12)
    losses = delta(world[:, :, :2].sum(axis=0))
    eta = np.abs(losses[2] - losses[:2].mean(axis=0))
    rates = equivalences(world, 1500, 250, eta)
    LOG.info("fixed margin: %s", rates)
    assert within(rates, SIZE)


@pytest.mark.parametrize(("margin", "freedom"), [("pooled", 0), ("models", 1)])
def test_equivalence_with_a_margin_from_the_data_does_not_have_its_level(margin, freedom):
    # At the boundary, the closed model differs from the mean of the open ones by their deviation;
    # with ever more images, the pooled one becomes that of the models alone.
    world = closed_at(lambda opens: opens.std(ddof=freedom))
    rate = equivalences(world, 1500, 250, margin)[0]
    LOG.info("%s margin: accuracy %s", margin, rate)
    assert rate > SIZE[1]
