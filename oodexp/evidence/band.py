"""A value with the interval that images give it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from oodexp.metric.bootstrap import interval


class Band(NamedTuple):
    """A value with a 95 % interval from drawing images again."""

    value: float
    """NaN where undefined."""
    lower: float
    """NaN where there is no interval."""
    upper: float
    """NaN where there is no interval."""
    n: int
    """Number of values it rests on."""
    reason: str | None
    """Why there is no value or interval, or why it has no width."""


def band(value: float, draws: np.ndarray, n: int, undefined: str) -> Band:
    """A value with the central 95 % of its resamples.

    Args:
        value: NaN where undefined.
        draws: The same in each resample, (resample,); NaN is an undefined one.
        n: Number of values it rests on.
        undefined: Why the value is NaN, if it is.
    """
    if np.isnan(value):
        return Band(np.nan, np.nan, np.nan, n, undefined)
    found = interval(draws)
    return Band(float(value), found.lower, found.upper, n, found.reason)


def reflected(value: float, draws: np.ndarray, n: int, undefined: str) -> Band:
    """A distance >= 0 with the basic interval, its resamples reflected at the value.

    A distance between two samples is biased upwards, and again from the samples to their
    resamples by about as much: percentiles then lie above the truth twice over, and reflected
    percentiles, [2 v - q97.5, 2 v - q2.5] (Davison and Hinkley, 1997, section 5.2), take it back.
    Ends below 0 become 0.

    Args:
        value: As in `band`.
        draws: As in `band`.
        n: As in `band`.
        undefined: As in `band`.
    """
    found = band(value, draws, n, undefined)
    lower, upper = np.maximum([2 * value - found.upper, 2 * value - found.lower], 0.0)
    return found._replace(lower=float(lower), upper=float(upper))
