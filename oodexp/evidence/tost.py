"""Does a closed model lose as much as the open ones? Two one-sided tests (OODBench, C.2.2 (2)).

delta_b = Delta_closed,b - mean over the open models of Delta_open,b, in bootstrap resamples that
all models share. H0: |delta| >= eta; equivalent at level 5 % when the 90 % percentile interval of
delta_b lies inside (-eta, eta).

The paper takes eta = sigma_open, "model variance + sample noise". Our reading is the standard
deviation over models and resamples pooled (`pooled`); `models` leaves the sampling noise out. Both
margins come from the data that are held against them: the level is then not 5 %. A margin fixed
beforehand is given as numbers, and keeps it. Measured at the boundary with two open models and 250
images of 1-6 pairs, level 5 %: 4.9-5.3 % found equivalent with a fixed margin, 9 % (accuracy) with
`pooled`, 11 % with `models`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from oodexp.error import OodexpError
from oodexp.evidence.degradation import Degradation
from oodexp.metric.binary import METRICS
from oodexp.metric.bootstrap import MOST_UNDEFINED

Margin = Literal["pooled", "models"]

LEVEL = 5.0
"""Percent in each tail: the two one-sided tests are the central 90 %."""

ROUNDING = 1e-12
"""A standard deviation of fractions below this is 0 but for rounding."""


class Equivalence(NamedTuple):
    """One closed model against the open ones; arrays (5,) by `METRICS`."""

    values: np.ndarray
    """delta: Delta of the closed model less the mean of the open ones; NaN where undefined."""
    lower: np.ndarray
    """5th percentile over the resamples; NaN where there is no interval."""
    upper: np.ndarray
    """95th percentile; NaN where there is no interval."""
    eta: np.ndarray
    """Half width of the margin; NaN where there is none."""
    p: np.ndarray
    """The larger of the two one-sided p, >= 1 / (B + 1); NaN where there is no test."""
    equivalent: np.ndarray
    """Whether the interval lies inside (-eta, eta), bool; False where there is no test."""
    draws: np.ndarray
    """delta in each resample, (resample, 5)."""
    reasons: dict[int, str]
    """By metric: why there is no test, or what is amiss with it."""


def equivalence(
    found: Degradation, closed: int, opens: Sequence[int], names: Sequence[str],
    margin: Margin | np.ndarray = "pooled",
) -> Equivalence:  # fmt: skip
    """Tests whether a closed model loses as the open ones do.

    Args:
        found: Degradation of all models, from one set of draws.
        closed: Row of the closed model.
        opens: Rows of the open models.
        names: Names of all models, for the reasons.
        margin: `pooled` (over models and resamples, the paper's), `models` (over the models'
            values, n - 1), or half widths fixed beforehand, > 0, (5,).

    Raises:
        OodexpError: The closed model is among the open ones.
    """
    if closed in opens:
        raise OodexpError(
            f"{names[closed]} is compared with open models and is one of them: leave it out there"
        )
    draws, values = _differences(found, closed, list(opens))
    eta = _eta(found, list(opens), margin)
    lost = np.isnan(draws).mean(axis=0)
    none = np.isnan(values) | (lost > MOST_UNDEFINED)
    lower, upper = np.full(len(METRICS), np.nan), np.full(len(METRICS), np.nan)
    if not none.all():
        lower[~none], upper[~none] = np.nanpercentile(draws[:, ~none], [LEVEL, 100 - LEVEL], axis=0)
    tested = ~none & (eta > 0)
    flat = np.where(lower == upper, "no variation between the resamples", "")
    whys = _untested(found, closed, list(opens), names, lost)
    told = [why or _amiss(eta[k], opens, margin) or str(flat[k]) for k, why in enumerate(whys)]
    reasons = {k: why for k, why in enumerate(told) if why}
    return Equivalence(
        values, lower, upper, eta, np.where(tested, _p(draws, eta), np.nan),
        tested & (-eta < lower) & (upper < eta), draws, reasons,
    )  # fmt: skip


def _differences(
    found: Degradation, closed: int, opens: list[int]
) -> tuple[np.ndarray, np.ndarray]:
    """What each resample gives, (resample, 5), and the value, (5,)."""
    if not opens:
        return np.full(found.draws[:, closed].shape, np.nan), np.full(len(METRICS), np.nan)
    draws = found.draws[:, closed] - found.draws[:, opens].mean(axis=1)
    return draws, found.values[closed] - found.values[opens].mean(axis=0)


def _eta(found: Degradation, opens: list[int], margin: Margin | np.ndarray) -> np.ndarray:
    """Half widths, (5,); NaN where there is none."""
    if isinstance(margin, np.ndarray):
        return margin.astype(np.float64)
    eta = np.full(len(METRICS), np.nan)
    seen = found.draws[:, opens].reshape(-1, len(METRICS))
    if margin == "pooled":
        have = (~np.isnan(seen)).any(axis=0)
        eta[have] = np.nanstd(seen[:, have], axis=0)
    elif len(opens) > 1:
        eta = found.values[opens].std(axis=0, ddof=1)
    # Equal numbers have a deviation of rounding size, not of 0.
    return np.where(eta < ROUNDING, 0.0, eta)


def _p(draws: np.ndarray, eta: np.ndarray) -> np.ndarray:
    """The larger one-sided p; an undefined resample counts against equivalence."""
    above, below = ~(draws < eta), ~(draws > -eta)
    return np.asarray((1 + np.maximum(above.sum(axis=0), below.sum(axis=0))) / (len(draws) + 1))


def _untested(
    found: Degradation, closed: int, opens: list[int], names: Sequence[str], lost: np.ndarray
) -> list[str | None]:
    """By metric: why delta has no interval."""
    told: list[str | None] = []
    for metric, share in enumerate(lost):
        missing = [m for m in (closed, *opens) if np.isnan(found.values[m, metric])]
        if not opens:
            told.append("no open model")
        elif missing:
            told.append(f"{names[missing[0]]}: {found.reasons[missing[0], metric]}")
        elif share > MOST_UNDEFINED:
            told.append(f"undefined in {share:.0%} of the resamples")
        else:
            told.append(None)
    return told


def _amiss(eta: float, opens: Sequence[int], margin: Margin | np.ndarray) -> str | None:
    """What is amiss with a margin, if anything."""
    if not isinstance(margin, str):
        return None if eta > 0 else "the margin is not above 0"
    if len(opens) == 1 and margin == "models":
        return "one open model: no variation between models"
    if not eta > 0:
        return "the open models do not vary: eta is 0"
    return "one open model: eta is its sampling noise alone" if len(opens) == 1 else None
