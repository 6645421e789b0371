"""Fréchet distance of two feature sets: how far two Gaussians with their moments lie apart.

OODConceptBench, Tables D4 and D5 ("CLIP-feature Fréchet distance"). With means m, covariances S:
d^2 = |m1 - m2|^2 + tr S1 + tr S2 - 2 tr (S1 S2)^(1/2), the squared 2-Wasserstein distance of
N(m1, S1) and N(m2, S2) (Dowson and Landau, 1982), as the FID is. The paper does not say whether it
prints d^2 or its root; d^2 is given, as usual for features.

The root of S1 S2 is never taken: for any factors S = L L', tr (S1 S2)^(1/2) is the sum of the
singular values of L1' L2. Nothing is squared, so directions without variance stay without.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from oodexp.error import OodexpError


class Moments(NamedTuple):
    """What the distance needs of a feature set."""

    mean: np.ndarray
    """float64, (d,)."""
    covariance: np.ndarray
    """float64, (d, d), with divisor n - 1; zeros for fewer than two points."""
    points: float
    """Number n of points, or sum of their weights."""


class Frechet(NamedTuple):
    """Squared Fréchet distance and its two parts."""

    value: float
    """d^2 >= 0, in squared units of the features; NaN where undefined. It is biased upwards, the
    more so the fewer points there are for a dimension."""
    centres: float
    """|m1 - m2|^2."""
    spread: float
    """tr S1 + tr S2 - 2 tr (S1 S2)^(1/2) >= 0."""
    reason: str | None
    """Why it is undefined, or what the value does not rest on."""


def moments(features: np.ndarray, weights: np.ndarray | None = None) -> Moments:
    """Mean and covariance of a feature set.

    Args:
        features: Finite, (n, d).
        weights: How often each point counts, whole numbers >= 0, (n,); once each without them.

    Raises:
        OodexpError: If features are not finite or no table.
    """
    if features.ndim != 2 or not np.isfinite(features).all():
        raise OodexpError(
            f"features of shape {features.shape}: expected finite values, one row a sample; leave "
            "out samples whose image could not be read"
        )
    points = features.astype(np.float64)
    count = np.ones(len(points)) if weights is None else np.asarray(weights, np.float64)
    total = float(count.sum())
    width = points.shape[1]
    if not total:
        return Moments(np.full(width, np.nan), np.zeros((width, width)), 0.0)
    mean = count @ points / total
    centred = (points - mean) * np.sqrt(count)[:, None]
    return Moments(mean, centred.T @ centred / max(total - 1, 1), total)


def frechet(first: Moments, second: Moments) -> Frechet:
    """Squared Fréchet distance of two feature sets.

    Args:
        first: Moments of one.
        second: Moments of the other, of the same dimension.

    Raises:
        OodexpError: If the dimensions differ.
    """
    width = len(first.mean)
    if len(second.mean) != width:
        raise OodexpError(
            f"features with {width} and {len(second.mean)} dimensions: expected those of one model"
        )
    least = min(first.points, second.points)
    if least < 2:
        return Frechet(np.nan, np.nan, np.nan, "a feature set has fewer than two points")
    gap = first.mean - second.mean
    centres = float(gap @ gap)
    shared = np.linalg.svd(factor(first.covariance).T @ factor(second.covariance), compute_uv=False)
    apart = np.trace(first.covariance) + np.trace(second.covariance) - 2 * shared.sum()
    spread = max(0.0, float(apart))
    few = f"{least:g} points span no more than {width} dimensions: the value is biased upwards"
    return Frechet(centres + spread, centres, spread, few if least <= width else None)


def factor(covariance: np.ndarray) -> np.ndarray:
    """A factor L with L L' = S, of as many columns as S has directions with variance.

    Args:
        covariance: S, symmetric and positive semidefinite up to rounding, (d, d).

    Returns:
        float64, (d, rank).
    """
    variance, direction = np.linalg.eigh(covariance)
    floor = len(covariance) * np.finfo(np.float64).eps * max(float(variance[-1]), 0.0)
    kept = variance > floor
    return direction[:, kept] * np.sqrt(variance[kept])
