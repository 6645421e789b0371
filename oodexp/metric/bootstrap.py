"""Percentile intervals from a bootstrap over images.

Questions on one image share its pixels, so the image is what is drawn again, with all its
questions. One draw serves every split and model of a run: differences are paired.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from oodexp.room import refuse_larger

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MOST_UNDEFINED = 0.05
"""An interval is given up when more than this share of the resamples has no value."""

_CELLS = 1 << 22
"""Weights that are held at once."""


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


@dataclass(frozen=True, slots=True)
class Draws:
    """The rows of `resample_weights` a few at a time, the same ones at each iteration.

    All together they are images x resamples numbers: 3 GB for 200,000 images.
    """

    images: int
    """Number of images, >= 1."""
    resamples: int
    """Number of resamples."""
    seed: int
    """Seed of the draws."""

    def __iter__(self) -> Iterator[np.ndarray]:
        """Weights, (some resamples, image)."""
        rng, left = np.random.default_rng(self.seed), self.resamples
        size = max(1, _CELLS // self.images)
        while left > 0:
            yield resample_weights(self.images, min(size, left), rng)
            left -= size


def summed(draws: Iterable[np.ndarray], counts: csr_array) -> np.ndarray:
    """Sums of counts over images in each resample, float64, (resample, k).

    Weights and counts are whole numbers, so that the sums are exact in any order.

    Args:
        draws: Blocks of weights, (some resamples, image).
        counts: Counts of each image, (k, image).
    """
    return np.concatenate([counts @ np.ascontiguousarray(block.T) for block in draws], axis=1).T


def split_up(draws: Iterable[np.ndarray], counts: Sequence[csr_array]) -> list[np.ndarray]:
    """`summed` of several counts from one pass over the draws, which take the time.

    Args:
        draws: Blocks of weights, (some resamples, image).
        counts: Counts of each image, (k, image), each with a k of its own.
    """
    from scipy.sparse import vstack

    if not counts:
        return []
    ends = np.cumsum([c.shape[0] for c in counts])[:-1]
    whole = vstack(counts, format="csr") if len(counts) > 1 else counts[0]
    return np.split(summed(draws, whole), ends, axis=1)


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
