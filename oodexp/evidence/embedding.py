"""A map of features in the plane by t-SNE (OODConceptBench, Figure D2).

The paper draws 300 samples of each layer and source, and marks the groups' centroids. What makes
the map is stated with it: perplexity, seed, first positions by PCA. t-SNE keeps neighbours, not
distances: how far groups lie apart on the map, and where a centroid falls, is no measurement.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from oodexp.error import OodexpError


class Embedding(NamedTuple):
    """A map."""

    points: np.ndarray
    """float64, (m, 2); empty where undefined."""
    chosen: np.ndarray
    """Which rows of the features these are, ascending, int64, (m,)."""
    centroids: np.ndarray
    """Mean place of each group, (group, 2); NaN for one without points."""
    perplexity: float
    """About how many neighbours count."""
    seed: int
    """Of the draw of rows and the map."""
    divergence: float
    """Kullback-Leibler divergence that is left, in nats; NaN where undefined."""
    reason: str | None
    """Why there is no map."""


def tsne(
    features: np.ndarray, group: np.ndarray, groups: int, perplexity: float = 30.0,
    most: int = 300, seed: int = 0,
) -> Embedding:  # fmt: skip
    """A map of some points of each group, Euclidean, first placed by PCA.

    Args:
        features: Finite, (n, d); on unit-length rows Euclidean neighbours are cosine neighbours.
        group: Number of each row's group, 0 ... groups - 1, (n,).
        groups: Number of groups.
        perplexity: Below the number of points; 5 to 50 are usual.
        most: Points of a group; drawn where it has more.
        seed: Of the draw and the map: equal seeds give equal maps on one machine.

    Raises:
        OodexpError: If features are not finite, or a number is out of range.
    """
    if len(features) != len(group) or not np.isfinite(features).all():
        raise OodexpError("t-SNE: expected finite features and one group a row")
    if most < 1 or not perplexity > 0:
        raise OodexpError(f"t-SNE: most={most}, perplexity={perplexity}; expected >= 1 and > 0")
    chosen = _drawn(group, groups, most, np.random.default_rng(seed))
    points = features[chosen].astype(np.float64)
    reason = _undefined(points, perplexity)
    if reason:
        none = np.zeros((0, 2)), chosen, np.full((groups, 2), np.nan)
        return Embedding(*none, perplexity, seed, float("nan"), reason)
    places, divergence = _placed(points, perplexity, seed)
    centroids = _centroids(places, group[chosen], groups)
    return Embedding(places, chosen, centroids, perplexity, seed, divergence, None)


def _placed(points: np.ndarray, perplexity: float, seed: int) -> tuple[np.ndarray, float]:
    from sklearn.manifold import TSNE

    # PCA's sign and scale are fixed by `init`; `auto` is max(n / 48, 50), as is usual by now.
    model = TSNE(2, perplexity=perplexity, init="pca", learning_rate="auto", random_state=seed)
    places = model.fit_transform(points).astype(np.float64)
    return places, float(model.kl_divergence_)


def _drawn(group: np.ndarray, groups: int, most: int, rng: np.random.Generator) -> np.ndarray:
    """Rows to place: all of a small group, a draw of a large one."""
    kept = []
    for one in range(groups):
        mine = np.flatnonzero(group == one)
        kept.append(rng.choice(mine, most, replace=False) if len(mine) > most else mine)
    return np.sort(np.concatenate(kept)) if kept else np.zeros(0, np.int64)


def _undefined(points: np.ndarray, perplexity: float) -> str | None:
    if len(points) <= perplexity:
        return f"{len(points)} points: perplexity {perplexity:g} needs more"
    if points.shape[1] < 2:
        return "features of one dimension have no map in the plane"
    return "all points are the same" if (points == points[0]).all() else None


def _centroids(places: np.ndarray, group: np.ndarray, groups: int) -> np.ndarray:
    number = np.bincount(group, minlength=groups)[:, None]
    sums = np.stack([np.bincount(group, axis, groups) for axis in places.T], axis=1)
    return np.divide(sums, number, out=np.full(sums.shape, np.nan), where=number > 0)
