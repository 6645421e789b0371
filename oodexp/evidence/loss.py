"""Whether one model loses more from ID to OOD than another, on the same draws of images."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from oodexp.error import OodexpError
from oodexp.metric.binary import METRICS, from_counts
from oodexp.metric.bootstrap import interval


class LossPair(NamedTuple):
    """The losses of two models on one split, held against each other; fractions."""

    first: int
    """Number of the first model."""
    second: int
    """Number of the second model."""
    losses: tuple[float, float]
    """Metric on the first split minus metric on this one, of both models; NaN when undefined."""
    difference: float
    """Loss of the first minus loss of the second: positive where the first loses more."""
    lower: float
    """2.5th percentile of the paired bootstrap over images; NaN when there is none."""
    upper: float
    """97.5th percentile; NaN when there is none."""
    reason: str | None
    """Why something is undefined, or why the interval has no width."""


def loss_pairs(counts: np.ndarray, split: int, metric: str, weights: np.ndarray) -> list[LossPair]:
    """Differences of the loss from split 0 to another one, between all pairs of models.

    Args:
        counts: tp, fp, fn, tn, >= 0, (image, model, split, 4).
        split: Number of the split to which the models lose, >= 1.
        metric: One of `binary.METRICS`.
        weights: Of `bootstrap.resample_weights`, (resample, image).
    """
    if metric not in METRICS:
        raise OodexpError(f"there is no metric {metric!r} to compare: choose of {METRICS}")
    place, two = METRICS.index(metric), counts[:, :, [0, split]]
    values = from_counts(two.sum(axis=0))[..., place]
    used = two.any(axis=(1, 2, 3))
    flat = two[used].reshape(int(used.sum()), -1)
    draws = from_counts((weights[:, used] @ flat).reshape(-1, *two.shape[1:]))[..., place]
    loss, drawn = values[:, 0] - values[:, 1], draws[..., 0] - draws[..., 1]
    found = []
    for i, j in combinations(range(counts.shape[1]), 2):
        if np.isnan(loss[[i, j]]).any():
            undefined, why = float("nan"), f"no {metric} on both splits for both models"
            found.append(LossPair(i, j, (float(loss[i]), float(loss[j])), undefined, undefined,
                                  undefined, why))  # fmt: skip
            continue
        band = interval(drawn[:, i] - drawn[:, j])
        found.append(LossPair(i, j, (float(loss[i]), float(loss[j])), float(loss[i] - loss[j]),
                              band.lower, band.upper, band.reason))  # fmt: skip
    return found
