"""Intervals of trials, and paired differences between trials, by drawing images again.

All trials of a study share one set of images, those with questions, and one set of draws: what two
trials have in common cancels in their difference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from oodexp.ablation.regroup import PARTS, readings_of, rows, tally
from oodexp.metric.binary import METRICS, from_counts, undefined_reason
from oodexp.metric.bootstrap import interval, resampled
from oodexp.record import SPLITS

if TYPE_CHECKING:
    from oodexp.ablation.regroup import Regrouped
    from oodexp.ablation.stock import Stock

Reasons = dict[tuple[int, int, int], str]
"""By VLM, row and metric."""


class Resampled(NamedTuple):
    """A trial in each resample."""

    values: np.ndarray
    """The trial's own values, (vlm, 6, 5) by `ROWS` and `METRICS`."""
    draws: np.ndarray
    """The same in each resample, (resample, vlm, 6, 5)."""
    reasons: Reasons
    """Why a value is undefined."""


class Bands(NamedTuple):
    """Values with 95 % percentile intervals, each (vlm, 6, 5) by `ROWS` and `METRICS`."""

    values: np.ndarray
    """Fractions, or differences of fractions; NaN where undefined."""
    lower: np.ndarray
    """2.5th percentile; NaN where there is no interval."""
    upper: np.ndarray
    """97.5th percentile; NaN where there is no interval."""
    reasons: Reasons
    """Why a value or its interval is not there, or why the interval has no width."""


def resample(stock: Stock, found: Regrouped, weights: np.ndarray) -> Resampled:
    """A trial in each resample.

    Args:
        stock: What the trial rests on.
        found: The trial.
        weights: Of `bootstrap.resample_weights` for `stock.images`, (resample, image); the same
            for all trials that are compared.
    """
    cell = np.where(found.drawn, found.split, -1)
    counts = by_image(stock, found, cell, len(SPLITS))
    whole = counts.reshape(stock.images, -1)
    sums = resampled(weights, whole, lambda summed: summed)
    sums = sums.reshape(len(weights), *counts.shape[1:])
    return Resampled(found.values, rows(from_counts(sums)), _undefined(found.counts))


def by_image(stock: Stock, found: Regrouped, cell: np.ndarray, cells: int) -> np.ndarray:
    """Confusion counts of a trial's answers by image: int64, (image, vlm, cell, 4).

    Args:
        stock: What the trial rests on.
        found: The trial: its reader and convention count.
        cell: Cell of each pair, (pair,); negative for a pair left aside.
        cells: Number of cells.
    """
    setting, known = found.setting, stock.image >= 0
    place = np.where((cell >= 0) & known, stock.image * cells + cell, -1)
    readings = readings_of(stock, setting.reader)
    counts = tally(readings, stock.present, place, stock.images * cells, setting.convention).counts
    return counts.reshape(len(stock.vlms), stock.images, cells, 4).transpose(1, 0, 2, 3)


def bands(trial: Resampled) -> Bands:
    """Values of a trial with their intervals."""
    return _bands(trial.values, trial.draws, trial.reasons)


def difference(reference: Resampled, other: Resampled) -> Bands:
    """The other trial minus the reference, VLM by VLM, with paired intervals.

    Args:
        reference: As Group I of the paper's Table III.
        other: Resampled with the same weights.
    """
    reasons = {key: f"reference: {why}" for key, why in reference.reasons.items()} | other.reasons
    return _bands(other.values - reference.values, other.draws - reference.draws, reasons)


def _bands(values: np.ndarray, draws: np.ndarray, reasons: Reasons) -> Bands:
    lower, upper, why = np.full(values.shape, np.nan), np.full(values.shape, np.nan), dict(reasons)
    for at in np.ndindex(values.shape):
        vlm, row, metric = at
        if (vlm, row, metric) in reasons:
            continue
        lower[at], upper[at], told = interval(draws[:, vlm, row, metric])
        if told is not None:
            why[vlm, row, metric] = told
    return Bands(values, lower, upper, why)


def _undefined(counts: np.ndarray) -> Reasons:
    """Why values are undefined, from confusion counts (vlm, split, 4); as `metric.measure` says."""
    told: Reasons = {}
    for vlm, mine in enumerate(counts):
        for row, parts in enumerate(PARTS):
            for metric, name in enumerate(METRICS):
                own = undefined_reason(mine[parts[-1]], name)
                base = undefined_reason(mine[parts[0]], name)
                if own or base:
                    told[vlm, row, metric] = own or f"{SPLITS[parts[0]]}: {base}"
    return told


def spread(values: np.ndarray, draws: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Ends of the 95 % intervals of any values, each of their shape.

    Args:
        values: The values.
        draws: The same in each resample, (resample, *values.shape).
    """
    flat = draws.reshape(len(draws), -1)
    ends = [interval(flat[:, n])[:2] for n in range(flat.shape[1])]
    whole = np.array(ends, dtype=np.float64).reshape(*values.shape, 2)
    whole[np.isnan(values)] = np.nan
    return whole[..., 0], whole[..., 1]
