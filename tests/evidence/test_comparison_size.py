"""Sizes, coverage and power of the tests between models, and of hard against OOD, by simulation.

Not in the paper. Images are clusters of 1 to 6 questions; a question is answered right when the
ease of its image, what the model makes of the image, and chance add up to more than a threshold.
Bounds are those asked of every test: at nominal 5 % a rejection rate within 3.5 and 6.5 %, of 95 %
intervals a coverage within 92.5 and 97.5 %.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from oodexp.evidence.comparison import compare
from oodexp.evidence.exchange import exchanged, selection
from oodexp.evidence.focal import mine
from oodexp.evidence.hard import as_written, hard_draws, loss_of
from oodexp.evidence.influence import difference_error
from oodexp.evidence.mcnemar import mcnemar
from oodexp.evidence.paired import exchange_p
from oodexp.metric.binary import METRICS, from_counts
from oodexp.metric.bootstrap import interval, resample_weights

pytestmark = pytest.mark.slow


def questions(images: int, rng: np.random.Generator) -> np.ndarray:
    return np.repeat(np.arange(images), rng.integers(1, 7, images))


def right_answers(
    image: np.ndarray, chance: np.ndarray, own: float, ease: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Right answers with the given chance of each question, whatever the effects of the images."""
    effect = ease[image] + rng.normal(0, own, len(ease))[image]
    scale = np.sqrt(2 + own**2)  # ease and chance have a variance of 1
    return effect + rng.normal(size=len(image)) < scale * norm.ppf(chance)


def counts(image, truth, rates, rng, owns=(0.7, 0.7)):
    """Counts of models with given shares of yes on present and on absent categories."""
    images = int(image[-1]) + 1
    ease, made = rng.normal(size=images), []
    for (hit, invented), own in zip(rates, owns, strict=True):
        chance = np.where(truth, hit, 1 - invented)
        right = right_answers(image, chance, own, ease, rng)
        cell = np.where(truth, np.where(right, 0, 2), np.where(right, 3, 1))
        table = np.bincount(image * 4 + cell, minlength=4 * images).reshape(images, 4)
        made.append(table.astype(np.float64))
    return np.array(made)


@pytest.mark.parametrize("images", [40, 150, 400])
@pytest.mark.parametrize(
    ("chance", "owns"), [(0.75, (0.7, 0.7)), (0.75, (1.5, 0.3)), (0.9, (2, 0.1))]
)
def test_the_size_of_the_clustered_mcnemar_test_is_its_level(images, chance, owns):
    rng, runs = np.random.default_rng(1), 4000
    rejected = np.zeros(3)
    for _ in range(runs):
        image = questions(images, rng)
        ease = rng.normal(size=images)
        first, second = (
            right_answers(image, np.full(len(image), chance), own, ease, rng) for own in owns
        )
        found = mcnemar(first, second, image)
        rejected += np.array([found.clustered, found.clustered_exact, found.exact]) <= 0.05
    clustered, exact, plain = rejected / runs
    assert 0.035 <= clustered <= 0.065
    assert exact <= 0.06
    # What ignoring the images does.
    assert plain > 0.07


RATES = {
    "precision": ((0.9, 0.15), (0.3, 0.05)),
    "recall": ((0.8, 0.4), (0.8, 0.1)),
    "f1": ((0.9, 0.3), (0.75, 1.5 / (1.8 / 2.2) - 1.75)),
    "mcc": ((0.9, 0.4), (0.6, 0.1)),
}
"""Shares of yes on present and absent categories: two models alike in the metric and no other."""


@pytest.mark.parametrize("metric", RATES)
def test_the_size_of_the_exchange_is_its_level_for_models_that_answer_otherwise(metric):
    rng, runs, images = np.random.default_rng(2), 2500, 200
    place, rejected, covered, errors, differences = METRICS.index(metric), 0, 0, [], []
    for _ in range(runs):
        image = questions(images, rng)
        first, second = counts(image, rng.random(len(image)) < 0.5, RATES[metric], rng)
        rejected += exchange_p(first, second, metric, 199, rng) <= 0.05
        weights = resample_weights(images, 400, rng)
        draws = from_counts(weights @ first)[:, place] - from_counts(weights @ second)[:, place]
        band = interval(draws)
        covered += band.lower <= 0 <= band.upper
        errors.append(difference_error(first, second, metric))
        values = from_counts(np.stack([first, second]).sum(axis=1))[:, place]
        differences.append(values[0] - values[1])
    assert 0.035 <= rejected / runs <= 0.065
    assert 0.925 <= covered / runs <= 0.975
    assert np.mean(errors) == pytest.approx(np.std(differences), rel=0.06)


@pytest.mark.parametrize("images", [150, 500])
def test_a_difference_of_the_detectable_size_is_found_four_times_of_five(images):
    rng, runs = np.random.default_rng(3), 2000

    def made(chances):
        image = questions(images, rng)
        truth = np.ones(len(image), dtype=bool)
        return counts(image, truth, [(chance, 0.5) for chance in chances], rng)

    def pair(chances):
        none = resample_weights(images, 2, rng)
        return compare(made(chances), "accuracy", none, 1, rng).pairs[0]

    least = float(np.mean([pair((0.75, 0.75)).detectable for _ in range(100)]))
    found = np.mean([pair((0.75 + least / 2, 0.75 - least / 2)).p <= 0.05 for _ in range(runs)])
    assert 0.76 <= found <= 0.84


def hard_world(images, skill, rng):
    """Right answers of models, image, category and P(right) of a scorer: a fresh sample."""
    image = questions(images, rng)
    n, models = len(image), len(skill)
    ease = rng.normal(size=images)[image] + rng.normal(0, 0.7, n)
    own = rng.normal(0, 0.5, (models, images))[:, image]
    right = skill[:, None] + ease + own + rng.normal(size=(models, n)) > 0
    seen = norm.cdf(0.5 + ease + rng.normal(0, 0.5, n))
    return right.astype(np.float64), image, rng.integers(0, 10, n), seen


def test_two_samples_of_one_population_are_exchanged_without_being_told_apart():
    rng, runs, images, rejected = np.random.default_rng(4), 3000, 80, np.zeros(3)
    for _ in range(runs):
        skill = 0.5 + rng.normal(0, 0.3, 9)
        parts = []
        for first in (0, images):
            right, image, _, _ = hard_world(images, skill, rng)
            parts.append(selection(right, np.ones(len(image), bool), image + first, 2 * images))
        found = exchanged(*parts, norm.cdf(skill + 1), 99, rng)
        rejected += np.array([test.p for test in found]) <= 0.05
    assert (rejected / runs >= 0.035).all()
    assert (rejected / runs <= 0.065).all()


def test_two_hard_selections_of_one_population_are_told_apart_by_the_tests_as_written():
    rng, runs, images, k = np.random.default_rng(5), 600, 200, 15
    written, exchange = np.zeros(3), np.zeros(3)
    for _ in range(runs):
        skill = 0.8 + rng.normal(0, 0.3, 9)
        reference, parts, losses = norm.cdf(skill), [], []
        for first in (0, images):
            right, image, category, seen = hard_world(images, skill, rng)
            mined = mine(seen, category, k, rng)
            parts.append(selection(right, mined.chosen, image + first, 2 * images))
            losses.append(loss_of(right, reference, mined.chosen))
            if not first:
                weights = resample_weights(images, 99, rng)
                draws = hard_draws(
                    right, mined.loss, category, image, k, reference, weights, rng
                )  # fmt: skip
        written += np.array([test.p for test in as_written(*losses, draws)]) <= 0.05
        found = exchanged(*parts, reference, 99, rng)
        exchange += np.array([test.p for test in found]) <= 0.05
    # The paper's tests would call them out of distribution.
    assert (written / runs > 0.15).all()
    # Mining evens selections out (as many of each category): below the level, never above it.
    assert (exchange / runs <= 0.065).all()
