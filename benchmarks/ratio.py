"""Runs of two sides in turn, and what their ratio is worth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np


class Ratio(NamedTuple):
    """Baseline over ours: above 1 we are faster."""

    median: float
    """Of the ratios of neighbouring runs."""
    lower: float
    """2.5 % point of the bootstrap over pairs."""
    upper: float
    """97.5 % point."""


def paired(baseline: Sequence[float], ours: Sequence[float], seed: int = 0) -> Ratio:
    """The ratio of runs that were made in turn; run n of one side beside run n of the other.

    Args:
        baseline: Cost of each run.
        ours: Cost of each run.
        seed: Of the bootstrap.
    """
    each = np.asarray(baseline) / np.asarray(ours)
    rng = np.random.default_rng(seed)
    drawn = np.median(rng.choice(each, (2000, len(each))), axis=1)
    lower, upper = np.percentile(drawn, [2.5, 97.5])
    return Ratio(float(np.median(each)), float(lower), float(upper))


def in_turn(first: Callable[[int], float], second: Callable[[int], float], pairs: int) -> Ratio:
    """Runs A B, B A, A B, ... and gives the ratio of A over B.

    Args:
        first: Makes run n of the baseline and says what it cost.
        second: The same of ours.
        pairs: Number of runs of each.
    """
    found: list[tuple[float, float]] = []
    for n in range(pairs):
        if n % 2:
            later = second(n)
            found.append((first(n), later))
        else:
            earlier = first(n)
            found.append((earlier, second(n)))
    return paired([a for a, _ in found], [b for _, b in found])


def largest_gap(one: np.ndarray, other: np.ndarray) -> float:
    """Largest difference of two arrays of cosines."""
    return float(np.abs(one.astype(np.float64) - other.astype(np.float64)).max())
