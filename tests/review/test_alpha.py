"""Krippendorff's alpha against his own worked examples and the definition as a slow loop."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from oodexp.review.alpha import alpha, terms
from oodexp.review.majority import count

NONE = -1
WORKED = [
    # Two observers, binary, nothing missing.
    (["0100000010", "1110010000"], 0.095),
    # Two observers, five values.
    (["aabbdcccedda", "babbbccceddd"], 0.692),
    # Four observers, five values, gaps.
    (["123321412...", "1233224125.3", ".3332342251.", "12332441251."], 0.743),
]
"""Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), parts A, B, C."""


def coded(observers: list[str]) -> np.ndarray:
    """(unit, observer)."""
    names = sorted({c for row in observers for c in row} - {"."})
    return np.array([[names.index(c) if c != "." else NONE for c in row] for row in observers]).T


def of(labels: np.ndarray) -> float:
    votes = count(labels, int(labels.max()) + 1)
    return float(alpha(terms(votes).sum(axis=0)))


def slow(labels: np.ndarray) -> float:
    """Coincidences counted pair by pair."""
    width = int(labels.max()) + 1
    seen = np.zeros((width, width))
    for unit in labels:
        values = [v for v in unit if v >= 0]
        for a, b in permutations(range(len(values)), 2):
            seen[values[a], values[b]] += 1 / (len(values) - 1)
    n, of_value = seen.sum(), seen.sum(axis=0)
    observed = 1 - np.trace(seen) / n
    expected = 1 - sum(v * (v - 1) for v in of_value) / (n * (n - 1))
    return 1 - observed / expected


@pytest.mark.parametrize(("observers", "published"), WORKED)
def test_worked_examples(observers: list[str], published: float) -> None:
    assert round(of(coded(observers)), 3) == published


@pytest.mark.parametrize("seed", range(8))
def test_is_the_definition_also_with_gaps(seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels = rng.integers(-1, 3, size=(40, 5))
    assert of(labels) == pytest.approx(slow(labels), abs=1e-12)


def test_a_resample_of_units_is_a_weighted_sum_of_their_terms() -> None:
    rng = np.random.default_rng(1)
    labels = rng.integers(-1, 3, size=(30, 4))
    drawn = rng.integers(30, size=30)
    weights = np.bincount(drawn, minlength=30)
    summed = weights @ terms(count(labels, 3))
    assert float(alpha(summed)) == pytest.approx(slow(labels[drawn]), abs=1e-12)


def test_perfect_agreement_is_one_and_one_value_alone_says_nothing() -> None:
    assert of(np.array([[0, 0], [1, 1], [2, 2]])) == 1
    assert np.isnan(of(np.array([[0, 0], [0, 0]])))
    assert np.isnan(of(np.array([[0, NONE], [NONE, 1]])))  # nothing can be paired


def test_systematic_disagreement_is_below_chance() -> None:
    assert of(np.array([[0, 1], [1, 0], [0, 1], [1, 0]])) < 0
