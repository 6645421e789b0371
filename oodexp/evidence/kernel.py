"""The kernel that compares image-category pairs: alike in pixels and equal in category.

OODBench, appendix C.1.4: k(z, z') = k_RBF(phi, phi') * 1[c = c'] with z = (phi, c), phi the
features of the image and c the category; k_RBF(phi, phi') = exp(-|phi - phi'|^2 / (2 sigma^2)).
Sorted by category the kernel matrix is block-diagonal: it is made in tiles of a block, never whole.
The paper does not say how sigma is set. Here: the median distance between pairs of *one* category
(`median`), as no other distances enter the kernel; `median_all` takes all pairs; or a number.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

import numpy as np

from oodexp.error import OodexpError

Array = Any
"""A NumPy array, or a torch tensor where `Compute.device` is given."""

MOST_DISTANCES = 50_000
"""The median is taken over so many distances, drawn at random, when there are more."""
CHUNK = 4096
"""Distances that are computed at once."""


class Compute(NamedTuple):
    """How sums over the kernel are computed."""

    dtype: Literal["float64", "float32"] = "float64"
    """Of kernel and products; sums over tiles are always float64."""
    device: str | None = None
    """Device of torch, as `cpu` or `cuda`; NumPy without one."""
    tile: int = 256
    """Rows and columns of the kernel that are in memory at once; some thousands suit a GPU."""

    def array(self, values: np.ndarray) -> Array:
        """Values in the type and place of the computation."""
        if self.device is None:
            return np.ascontiguousarray(values, dtype=self.dtype)
        import torch

        values = np.ascontiguousarray(values, dtype=self.dtype)
        return torch.from_numpy(values).to(self.device)


class Bandwidth(NamedTuple):
    """Scale of the RBF kernel."""

    value: float
    """sigma > 0, in units of the features; NaN when there is none."""
    rule: str
    """`median`, `median_all` or `given`."""
    distances: int
    """Number of distances that the median was taken over; 0 when it was given."""
    reason: str | None
    """Why there is none."""


class Tile(NamedTuple):
    """A part of the kernel matrix on or above the diagonal."""

    rows: np.ndarray
    """Numbers of its points, int64, (r,)."""
    columns: np.ndarray
    """Numbers of its points, int64, (c,); all of the category of the rows."""
    values: Array
    """Kernel values in (0, 1], (r, c)."""
    diagonal: bool
    """Whether rows and columns are the same points; otherwise the mirrored tile is not given."""


def bandwidth(
    features: np.ndarray, categories: np.ndarray, rule: str | float = "median", seed: int = 0
) -> Bandwidth:
    """The bandwidth of the pooled sample; to be fixed once for all that is compared.

    Args:
        features: Of the points of both samples, finite, (n, d).
        categories: Codes, (n,).
        rule: `median` (distances between points of one category), `median_all`, or a number > 0.
        seed: Of the draw of distances, where there are more than `MOST_DISTANCES`.

    Raises:
        OodexpError: For another rule.
    """
    if isinstance(rule, int | float):
        if not (np.isfinite(rule) and rule > 0):
            raise OodexpError(f"bandwidth {rule}: expected a number > 0; or leave it at `median`")
        return Bandwidth(float(rule), "given", 0, None)
    if rule not in ("median", "median_all"):
        raise OodexpError(f"bandwidth rule {rule!r}: expected `median`, `median_all` or a number")
    codes = categories if rule == "median" else np.zeros_like(categories)
    rows, columns = _couples(codes, np.random.default_rng(seed))
    if not len(rows):
        return Bandwidth(np.nan, rule, 0, "no two points that the bandwidth could be taken from")
    sigma = float(np.median(_distances(features, rows, columns)))
    if sigma > 0:
        return Bandwidth(sigma, rule, len(rows), None)
    told = "zero bandwidth: at least half of the distances between points are 0"
    return Bandwidth(np.nan, rule, len(rows), told)


def _couples(codes: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Two different points of one code each: all such couples once, or a draw with replacement."""
    order, starts, sizes = _blocks(codes)
    number = sizes * (sizes - 1) // 2
    if number.sum() <= MOST_DISTANCES:
        upper = [np.triu_indices(size, 1) for size in sizes]
        rows = [start + one for start, (one, _) in zip(starts, upper, strict=True)]
        columns = [start + two for start, (_, two) in zip(starts, upper, strict=True)]
        none = np.zeros(0, np.int64)
        return order[np.concatenate([none, *rows])], order[np.concatenate([none, *columns])]
    block = rng.choice(len(sizes), MOST_DISTANCES, p=number / number.sum())
    one = rng.integers(sizes[block])
    two = (one + rng.integers(1, sizes[block])) % sizes[block]
    return order[starts[block] + one], order[starts[block] + two]


def _blocks(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points sorted by code, where each block of one code starts, and its size."""
    order = np.argsort(codes, kind="stable")
    _, starts, sizes = np.unique(codes[order], return_index=True, return_counts=True)
    return order, starts, sizes


def _distances(features: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Euclidean distances between named points, float64, (couple,); differences, never squares."""
    found = np.empty(len(rows))
    for at in range(0, len(rows), CHUNK):
        part = slice(at, at + CHUNK)
        gap = features[rows[part]].astype(np.float64) - features[columns[part]]
        found[part] = np.sqrt(np.einsum("ij,ij->i", gap, gap))
    return found


def gaussian(first: Array, second: Array, sigma: float) -> Array:
    """RBF kernel values exp(-|x - y|^2 / (2 sigma^2)) in (0, 1], (n, m).

    Args:
        first: Points, (n, d), NumPy or torch.
        second: Points, (m, d), of the same kind.
        sigma: Bandwidth > 0.
    """
    exponent = first @ second.T
    exponent -= (first * first).sum(1)[:, None] / 2
    exponent -= (second * second).sum(1)[None, :] / 2
    exponent /= sigma * sigma
    if isinstance(exponent, np.ndarray):
        np.minimum(exponent, 0, out=exponent)  # rounding puts equal points beside 0
        return np.exp(exponent, out=exponent)
    return exponent.clamp_(max=0).exp_()


def tiles(
    features: np.ndarray, categories: np.ndarray, sigma: float, compute: Compute
) -> Iterator[Tile]:
    """The kernel matrix, diagonal and upper half; what is not in a tile or its mirror is 0.

    Args:
        features: (n, d).
        categories: Codes, (n,).
        sigma: Bandwidth > 0.
        compute: Type, place and size of a tile.
    """
    order, starts, sizes = _blocks(categories)
    for start, size in zip(starts, sizes, strict=True):
        block = order[start : start + size]
        # Distances do not change, but small numbers lose less in |x|^2 + |y|^2 - 2 x y.
        points = compute.array(features[block] - features[block].mean(axis=0))
        for top in range(0, size, compute.tile):
            rows = slice(top, min(top + compute.tile, size))
            for left in range(top, size, compute.tile):
                columns = slice(left, min(left + compute.tile, size))
                values = gaussian(points[rows], points[columns], sigma)
                yield Tile(block[rows], block[columns], values, top == left)


def within(
    features: np.ndarray, categories: np.ndarray, clusters: np.ndarray, weights: np.ndarray,
    sigma: float,
) -> np.ndarray:  # fmt: skip
    """Weighted kernel sums within clusters, sum of w_i w_j k_ij over i, j of one cluster.

    On annotated images a cluster has each category once, and only i = j is left.

    Args:
        features: (n, d).
        categories: Codes, (n,).
        clusters: Codes 0, 1, ..., (n,).
        weights: (n,).
        sigma: Bandwidth > 0.

    Returns:
        Float64, (cluster,).
    """
    number = int(clusters.max(initial=-1)) + 1
    total = np.bincount(clusters, weights * weights, number)
    order = np.lexsort((categories, clusters))
    cell = np.stack([clusters[order], categories[order]])
    for step in range(1, len(order)):
        near = np.flatnonzero((cell[:, step:] == cell[:, :-step]).all(axis=0))
        if not len(near):
            break
        rows, columns = order[near], order[near + step]
        exponent = -0.5 * (_distances(features, rows, columns) / sigma) ** 2
        values = 2 * weights[rows] * weights[columns] * np.exp(exponent)
        total += np.bincount(clusters[rows], values, number)
    return np.asarray(total, np.float64)
