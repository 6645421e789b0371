"""Recognition rates and their intervals, against loops, SciPy and the coverage they promise."""

from __future__ import annotations

from math import nextafter

import numpy as np
import pytest
from scipy.stats import binomtest

from oodexp.error import OodexpError
from oodexp.metric.recognition import (
    Recognition,
    cells,
    concept_rates,
    concept_weights,
    rate,
    rates,
    recognise,
    wilson,
)

CATEGORIES, CONCEPTS, MODELS = 3, 12, 4


class World:
    """Images of concepts of categories, at two levels, before four models."""

    def __init__(self, images: int = 300, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self.of_concept = np.arange(CONCEPTS) % CATEGORIES
        # Concept 5 has no image.
        self.concept = rng.choice([c for c in range(CONCEPTS) if c != 5], images)
        self.category = self.of_concept[self.concept]
        self.levels = np.stack((rng.random(images) < 0.9, np.zeros(images, bool)), axis=1)
        self.levels[:, 1] = self.levels[:, 0] & (rng.random(images) < 0.4)
        self.cosines = rng.random((images, MODELS)).astype(np.float32)
        self.cosines[:7, 1] = np.nan
        self.found = recognise(self.cosines, np.array([0.3, 0.5, 0.6, 0.99]))
        self.weights = concept_weights(self.of_concept, 400, rng)
        self.inside = cells(self.levels, self.category, CATEGORIES)


def test_recognition_is_strictly_above_the_threshold_in_float32():
    q = float(np.float32(0.3))
    cosines = np.array([[q], [np.nextafter(np.float32(q), np.float32(1))], [np.nan]], np.float32)
    found = recognise(cosines, np.array([0.3]))
    assert found.recognised[:, 0].tolist() == [False, True, False]
    assert found.scored[:, 0].tolist() == [True, True, False]
    assert recognise(cosines, np.array([nextafter(q, 0)])).recognised[0, 0] == np.False_


def test_a_model_without_a_threshold_is_not_scored():
    found = recognise(np.ones((3, 2), np.float32), np.array([np.nan, 0.5]))
    assert found.scored.tolist() == [[False, True]] * 3
    assert not found.recognised[:, 0].any()


def test_rates_are_shares_of_images_in_every_cell():
    w = World()
    table = rates(w.found, w.inside, w.concept, w.weights)
    limits = np.array([0.3, 0.5, 0.6, 0.99], np.float32)
    for m in range(MODELS):
        for level in range(2):
            for c in range(CATEGORIES + 1):
                mine = [
                    n for n in range(300)
                    if w.levels[n, level] and (c == CATEGORIES or w.category[n] == c)
                ]  # fmt: skip
                seen = [n for n in mine if not np.isnan(w.cosines[n, m])]
                right = sum(w.cosines[n, m] > limits[m] for n in seen)
                cell = table[m][level][c]
                assert cell.value == pytest.approx(right / len(seen))
                assert (cell.n, cell.unscored) == (len(seen), len(mine) - len(seen))
                assert cell.concepts == len({int(w.concept[n]) for n in seen})
                assert cell.over_images.lower <= cell.value <= cell.over_images.upper
                assert cell.reason is None


def test_the_overall_rate_weighs_images_not_categories():
    w = World()
    weighted = rates(w.found, w.inside, w.concept, w.weights)[0][0]
    sizes = [cell.n for cell in weighted[:-1]]
    mean = np.average([cell.value for cell in weighted[:-1]], weights=sizes)
    assert weighted[-1].value == pytest.approx(mean)
    assert len(set(sizes)) > 1


@pytest.mark.parametrize(("k", "n"), [(0, 9), (9, 9), (1, 2), (3, 40), (1943, 14285)])
def test_the_interval_over_images_is_that_of_scipy(k, n):
    want = binomtest(k, n).proportion_ci(method="wilson")
    found = wilson(k, n)
    assert (found.lower, found.upper) == pytest.approx((want.low, want.high), abs=1e-12)
    assert found.reason is None


def test_an_interval_over_no_image_is_none_and_bad_counts_are_refused():
    assert np.isnan(wilson(0, 0).lower)
    assert wilson(0, 0).reason == "no scored image"
    with pytest.raises(OodexpError, match="5 successes of 4"):
        wilson(5, 4)


def test_the_interval_over_concepts_draws_whole_concepts():
    w = World()
    recognised, scored = w.found.recognised[:, 0], w.found.scored[:, 0]
    drawn = []
    for row in w.weights:
        # The images of a concept enter as often as it was drawn.
        rows = np.concatenate([np.flatnonzero(w.concept == c).repeat(int(row[c]))
                               for c in range(CONCEPTS)])  # fmt: skip
        drawn.append(recognised[rows].mean())
    want = np.percentile(drawn, [2.5, 97.5])
    found = rate(recognised, scored, w.concept, w.weights).over_concepts
    assert (found.lower, found.upper) == pytest.approx(tuple(want), abs=1e-12)


def test_concepts_are_drawn_within_their_category():
    of_concept = np.array([0, 0, 0, 1, 2, 2])
    weights = concept_weights(of_concept, 500, np.random.default_rng(0))
    for code, size in ((0, 3), (1, 1), (2, 2)):
        assert (weights[:, of_concept == code].sum(axis=1) == size).all()
    # A concept of three is left out by (2/3)^3 of the draws.
    assert np.mean(weights[:, 0] == 0) == pytest.approx(8 / 27, abs=0.07)


def test_the_interval_over_concepts_is_wider_where_concepts_differ():
    concept = np.repeat(np.arange(20), 50)
    differ = concept % 2 == 0
    alike = np.arange(1000) % 2 == 0
    weights = concept_weights(np.zeros(20, int), 1000, np.random.default_rng(0))
    scored = np.ones(1000, bool)
    apart, same = (rate(r, scored, concept, weights) for r in (differ, alike))
    assert apart.value == same.value == 0.5
    wide = apart.over_concepts.upper - apart.over_concepts.lower
    assert wide > 4 * (apart.over_images.upper - apart.over_images.lower)
    assert same.over_concepts == (0.5, 0.5, "no variation between the resamples")


def test_both_intervals_cover_what_they_promise():
    rng = np.random.default_rng(8)
    over_images = over_concepts = 0
    concept = np.repeat(np.arange(40), 10)
    weights = concept_weights(np.zeros(40, int), 400, rng)
    for _ in range(300):
        own = rng.beta(2, 3, 40)
        found = rate(rng.random(400) < own[concept], np.ones(400, bool), concept, weights)
        # Over images: the rate of these concepts. Over concepts: 0.4, of all such concepts.
        over_images += found.over_images.lower <= own.mean() <= found.over_images.upper
        over_concepts += found.over_concepts.lower <= 0.4 <= found.over_concepts.upper
    assert over_images / 300 > 0.92
    assert 0.89 < over_concepts / 300 < 0.98


def test_degenerate_cells_have_no_interval_and_a_reason():
    weights = concept_weights(np.zeros(3, int), 50, np.random.default_rng(0))
    concept, yes, no = np.array([1, 1]), np.ones(2, bool), np.zeros(2, bool)
    one = rate(yes, yes, concept, weights)
    assert one.value == 1
    assert one.over_concepts.reason == "one concept"
    assert np.isnan(one.over_concepts.lower)
    lost = rate(no, no, concept, weights)
    assert np.isnan(lost.value)
    assert lost.reason == lost.over_images.reason == "none of its images is scored"
    assert lost.unscored == 2
    empty = rate(no[:0], no[:0], concept[:0], weights)
    assert np.isnan(empty.value)
    assert empty.reason == empty.over_concepts.reason == "no image"


def test_rates_of_single_concepts_are_shares_of_their_images():
    w = World()
    found = concept_rates(w.found, w.levels[:, 0], w.concept, CONCEPTS)
    for m in range(MODELS):
        for c in range(CONCEPTS):
            mine = w.levels[:, 0] & (w.concept == c) & w.found.scored[:, m]
            assert found.n[m, c] == mine.sum()
            if mine.any():
                assert found.values[m, c] == pytest.approx(w.found.recognised[mine, m].mean())
    assert np.isnan(found.values[:, 5]).all()


def test_what_does_not_fit_is_named():
    with pytest.raises(OodexpError, match="one for each model"):
        recognise(np.ones((3, 2)), np.array([0.5]))
    none = Recognition(np.ones((1, 1), bool), np.ones((1, 1), bool))
    with pytest.raises(OodexpError, match=r"concept codes 3 \.\.\. 3; expected 0"):
        concept_rates(none, np.ones(1, bool), np.array([3]), 3)
