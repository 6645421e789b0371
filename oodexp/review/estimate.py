"""Estimates as findings: a value, its interval, what it rests on and what would break it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oodexp.evidence.base import ESTIMATE
from oodexp.evidence.proportion import Bounds, clopper_pearson
from oodexp.metric.bootstrap import Interval, interval
from oodexp.record import Finding

TEST = "review"
LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Draws:
    """Resamples of images that all intervals of a review share."""

    weights: np.ndarray
    """Of `metric.bootstrap.resample_weights`, (resample, image)."""
    seed: int
    """Of the draws."""


@dataclass(frozen=True, slots=True)
class About:
    """What an estimate is of."""

    subject: str
    """A split, raters, a VLM."""
    statistic: str
    """Name of the value."""
    claim: str
    """What the value tells."""
    words: str
    """The result as a sentence."""
    assumption: str
    """What would break it."""


def exact(about: About, k: int, n: int, images: int) -> Finding:
    """A share k of n with its Clopper-Pearson interval."""
    value = k / n if n else float("nan")
    return bounded(about, value, clopper_pearson(k, n, LEVEL), n, images)


def bounded(about: About, value: float, bounds: Bounds, n: int, images: int) -> Finding:
    """A value whose interval needs no resample; `about` and counts as in `exact`."""
    ends = Interval(bounds.lower, bounds.upper, bounds.reason)
    return _finding(about, value, ends, n, images, None)


def resampled(about: About, value: float, values: np.ndarray, draws: Draws, n: int) -> Finding:
    """A value with a percentile interval over images.

    Args:
        about: What it is of.
        value: The value itself; NaN when undefined.
        values: The value in each resample, (resample,).
        draws: The resamples.
        n: Number of observations.
    """
    ends = Interval(np.nan, np.nan, "undefined: nothing, or one value only, to compare")
    if np.isfinite(value):
        ends = interval(values)
    return _finding(about, value, ends, n, draws.weights.shape[1], draws)


def _finding(
    about: About, value: float, ends: Interval, n: int, images: int, draws: Draws | None
) -> Finding:
    lower, upper = _or_none(ends.lower), _or_none(ends.upper)
    return Finding(
        TEST, about.subject, about.claim, "", about.statistic, _or_none(value), lower, upper,
        None if lower is None else LEVEL, None, None, None, n, images,
        None if draws is None else len(draws.weights), None if draws is None else draws.seed,
        ESTIMATE, about.words, about.assumption, ends.reason,
    )  # fmt: skip


def _or_none(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
