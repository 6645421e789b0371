"""OODConceptBench, Table D8: entropy and semantic loss, categories weighing alike.

H = -sum p ln p, in nats; loss = 1 - S_Txt. Witnesses: scipy.stats.entropy, means printed in Table
D10, a loop over images. Deviation from the paper: it defines neither; both readings of the entropy
are given.
"""

import math

import numpy as np
import pytest
from scipy.special import softmax
from scipy.stats import entropy

from oodexp.evidence.entropy import (
    category_mean,
    concept_entropy,
    prediction_entropy,
    semantic_loss,
)

RNG = np.random.default_rng(6)


@pytest.mark.parametrize("scale", [0.01, 1, 100, 1e4])
def test_prediction_entropy_is_that_of_scipy_at_any_scale(scale):
    logits = scale * RNG.normal(size=(40, 9))
    expected = entropy(softmax(logits, axis=1), axis=1)
    np.testing.assert_allclose(prediction_entropy(logits), expected, atol=1e-12)


def test_equal_logits_have_the_entropy_of_the_number_of_names():
    assert prediction_entropy(np.full((1, 80), 25.0)) == pytest.approx(math.log(80))


def test_concept_entropy_is_that_of_scipy_in_nats():
    concept = RNG.integers(0, 30, 200)
    expected = entropy(np.unique(concept, return_counts=True)[1])
    assert concept_entropy(concept) == pytest.approx(expected)
    assert concept_entropy(np.zeros(5, int)) == 0
    assert math.isnan(concept_entropy(np.zeros(0, int)))


@pytest.mark.parametrize(("target", "printed"), [(0.296289, 0.697), (0.257976, 0.736)])
def test_the_reading_of_the_loss_is_near_what_the_paper_prints(target, printed):
    # Table D10 pools images, Table D8 weighs categories alike: near is all that can be asked.
    assert semantic_loss(np.array([target]))[0] == pytest.approx(printed, abs=0.008)


def test_categories_weigh_alike_and_images_are_drawn_with_all_their_values():
    category = np.repeat([0, 1, 2], [30, 60, 10])
    values = RNG.normal(category, 1)
    image = np.arange(100) // 2
    found, means = category_mean(values, category, image, 3000, 1)
    expected = [values[category == one].mean() for one in range(3)]
    np.testing.assert_allclose(means, expected)
    assert found.value == pytest.approx(np.mean(expected))
    draws = []
    for _ in range(3000):
        rows = np.concatenate([np.flatnonzero(image == one) for one in RNG.integers(0, 50, 50)])
        mine = [values[rows][category[rows] == one] for one in range(3)]
        draws.append(np.mean([part.mean() if len(part) else np.nan for part in mine]))
    ends = np.nanpercentile(draws, [2.5, 97.5])
    assert (found.lower, found.upper) == pytest.approx(tuple(ends), abs=0.05)


def test_an_absent_category_and_no_values_have_reasons():
    found, means = category_mean(np.ones(4), np.array([0, 0, 2, 2]), np.arange(4), 10, 0)
    assert math.isnan(found.value)
    assert found.reason == "a category has no values"
    np.testing.assert_array_equal(means, [1, np.nan, 1])
    empty = category_mean(np.zeros(0), np.zeros(0, int), np.zeros(0, int), 10, 0)[0]
    assert empty.reason == "no values"
