"""Percentile intervals from a bootstrap over images.

Questions on one image share its pixels, so the image is what is drawn again, with all its
questions. One draw serves every split and model of a run: differences are paired.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from oodexp.room import refuse_larger

MOST_UNDEFINED = 0.05
"""An interval is given up when more than this share of the resamples has no value."""


class Interval(NamedTuple):
    """A 95 % percentile interval."""

    lower: float
    """2.5th percentile; NaN when there is no interval."""
    upper: float
    """97.5th percentile; NaN when there is no interval."""
    reason: str | None
    """Why there is no interval, or why it has no width."""


def resample_weights(images: int, resamples: int, rng: np.random.Generator) -> np.ndarray:
    """How often each image is drawn in each resample: float64, (resample, image); rows sum to n.

    Raises:
        OodexpError: If the array would not fit into memory.
    """
    shape = f"{resamples:,} resamples x {images:,} images"
    refuse_larger(16 * resamples * images, shape, "draw fewer resamples")
    return rng.multinomial(images, np.full(images, 1 / images), size=resamples).astype(np.float64)


def resampled(
    weights: np.ndarray, counts: np.ndarray, statistic: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """A statistic of counts that add over images, in each resample.

    Args:
        weights: Of `resample_weights`, (resample, image).
        counts: Counts of each image, (image, k).
        statistic: Takes counts (resample, k), returns values (resample, m).
    """
    used = np.flatnonzero(counts.any(axis=1))
    return statistic(weights[:, used] @ counts[used])


def interval(values: np.ndarray) -> Interval:
    """The central 95 % of resampled values, (resample,); NaN is an undefined resample."""
    lost = float(np.isnan(values).mean())
    if lost > MOST_UNDEFINED:
        return Interval(np.nan, np.nan, f"undefined in {lost:.0%} of the resamples")
    lower, upper = np.nanpercentile(values, [2.5, 97.5])
    flat = "no variation between the resamples" if lower == upper else None
    return Interval(float(lower), float(upper), flat)
