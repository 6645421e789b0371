"""The concept landscape (OODConceptBench, Figures 2 and C3): geometry, order, missing concepts."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

from oodexp.error import OodexpError
from oodexp.metric.landscape import angles, landscape

NAMES = ["zebra car", "ash sky", "moth", "bell", "eel", "crow", "dune"]
CATEGORY = np.array([1, 0, 1, 0, 2, 0, 1])


def some_rates(models: int = 5) -> np.ndarray:
    return np.random.default_rng(0).random((models, len(NAMES)))


def test_the_distance_from_the_centre_is_one_minus_the_mean_rate():
    rates = some_rates()
    found = landscape(rates, CATEGORY, NAMES)
    for n, (x, y) in enumerate(zip(found.x, found.y, strict=True)):
        point = complex(x, y)
        mean = math.fsum(rates[:, n]) / 5
        assert abs(point) == pytest.approx(1 - mean)
        assert cmath.phase(point) % (2 * math.pi) == pytest.approx(found.angle[n])
        assert found.rate[n] == pytest.approx(mean)
    assert np.argsort(found.radius).tolist() == np.argsort(-rates.mean(axis=0)).tolist()


def test_categories_have_sectors_as_wide_as_their_concepts_are_many():
    turns = angles(CATEGORY, NAMES) / (2 * np.pi) * len(NAMES)
    assert sorted(turns) == pytest.approx(np.arange(7) + 0.5)
    assert sorted(turns[CATEGORY == 0]) == pytest.approx([0.5, 1.5, 2.5])
    assert sorted(turns[CATEGORY == 1]) == pytest.approx([3.5, 4.5, 5.5])
    by_turn = [NAMES[n] for n in np.argsort(turns) if CATEGORY[n] == 1]
    assert by_turn == ["dune", "moth", "zebra car"]


def test_places_do_not_hang_on_the_order_of_the_rows():
    rates, order = some_rates(), np.random.default_rng(3).permutation(len(NAMES))
    one = landscape(rates, CATEGORY, NAMES)
    other = landscape(rates[:, order], CATEGORY[order], [NAMES[n] for n in order])
    assert np.array_equal(one.x[order], other.x)
    assert np.array_equal(one.y[order], other.y)


def test_a_concept_keeps_its_direction_in_every_group_of_models():
    one, other = (landscape(some_rates(models), CATEGORY, NAMES) for models in (2, 4))
    assert np.array_equal(one.angle, other.angle)
    assert not np.array_equal(one.radius, other.radius)


def test_a_concept_that_no_model_scored_has_a_direction_and_a_reason_but_no_place():
    rates = some_rates()
    rates[:, 2] = np.nan
    rates[1:, 3] = np.nan
    found = landscape(rates, CATEGORY, NAMES)
    assert np.isnan([found.x[2], found.y[2], found.radius[2], found.rate[2]]).all()
    assert found.angle[2] == angles(CATEGORY, NAMES)[2]
    assert found.reasons[2].startswith("no image that a model")
    assert found.rate[3] == pytest.approx(rates[0, 3])
    assert found.models.tolist() == [5, 5, 0, 1, 5, 5, 5]
    assert [r is None for r in found.reasons] == [True, True, False, True, True, True, True]


def test_all_and_nothing_recognised_stand_at_the_centre_and_on_the_rim():
    found = landscape(np.array([[1.0, 0.0]]), np.array([0, 0]), ["a", "b"])
    assert found.radius.tolist() == [0, 1]
    assert found.x == pytest.approx([0, 0])
    assert found.y == pytest.approx([0, -1])


def test_no_concept_makes_an_empty_landscape():
    assert landscape(np.empty((3, 0)), np.empty(0, int), []).x.shape == (0,)


def test_concepts_that_do_not_fit_are_refused():
    with pytest.raises(OodexpError, match="'a' is there twice"):
        angles(np.array([0, 0]), ["a", "a"])
    assert len(set(angles(np.array([0, 1]), ["a", "a"]))) == 2
    with pytest.raises(OodexpError, match="1 categories for 2 concepts"):
        angles(np.array([0]), ["a", "b"])
    with pytest.raises(OodexpError, match="rates of 3 concepts, 1 names"):
        landscape(np.zeros((2, 3)), np.array([0]), ["a"])
