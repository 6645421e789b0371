"""Squared maximum mean discrepancy between two samples of image-category pairs.

OODBench, appendix C.1.4: MMD^2 = |mu_P - mu_Q|^2 in the space of the joint kernel of
`evidence.kernel`. Two estimators (Gretton et al. 2012, equations 3 and 5): biased, all couples of
points, >= 0; unbiased, without a point's couple with itself, negative about as often as not when
the two laws agree. It is reported as it is, never clipped, and no root is taken. Pairs of one image
are dependent; with `by_image` the unbiased estimator leaves out all couples within an image.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from oodexp.error import OodexpError
from oodexp.evidence.kernel import Bandwidth, Compute, tiles, within


class Sample(NamedTuple):
    """Image-category pairs of one sample; pairs are its points."""

    features: np.ndarray
    """Features of each pair's image, finite, (n, d)."""
    categories: np.ndarray
    """Category of each pair, of a type that sorts, (n,)."""
    images: np.ndarray
    """Image of each pair, of a type that sorts, (n,)."""


class Pooled(NamedTuple):
    """Two samples of points in one table; a point is an image-category pair."""

    features: np.ndarray
    """Features of its image, finite, (n, d)."""
    categories: np.ndarray
    """Code of its category, int64, (n,)."""
    images: np.ndarray
    """Code of its image, int64 from 0 on, (n,)."""
    first: np.ndarray
    """Whether it is of the first sample, bool, (n,)."""


class Forms(NamedTuple):
    """Quadratic and bilinear forms of the kernel matrix K."""

    quadratic: np.ndarray
    """w' K w of each column w of the weights, float64, (r,)."""
    linear: np.ndarray
    """1' K w of the same, float64, (r,)."""
    product: np.ndarray
    """K times the reference columns, float64, (n, k)."""


class Sums(NamedTuple):
    """Kernel sums of two samples, and numbers of couples that they run over; any one shape."""

    first: np.ndarray | float
    """Over couples within the first sample."""
    second: np.ndarray | float
    """Over couples within the second sample."""
    cross: np.ndarray | float
    """Over couples of a point of each."""
    first_couples: np.ndarray | float
    second_couples: np.ndarray | float
    cross_couples: np.ndarray | float

    def less(self, other: Sums) -> Sums:
        """Without the couples of `other`."""
        return Sums(*(one - two for one, two in zip(self, other, strict=True)))

    def mmd2(self) -> np.ndarray:
        """Mean within the first + mean within the second - 2 mean across; NaN without couples."""
        with np.errstate(divide="ignore", invalid="ignore"):
            inner = np.divide(self.first, self.first_couples)
            inner = inner + np.divide(self.second, self.second_couples)
            value = inner - 2 * np.divide(self.cross, self.cross_couples)
        lost = (self.first_couples == 0) | (self.second_couples == 0) | (self.cross_couples == 0)
        return np.where(lost, np.nan, value)


class Mmd(NamedTuple):
    """The estimates of MMD^2; both in units of the kernel, whose largest value is 1."""

    unbiased: float
    """May be negative; NaN when undefined."""
    biased: float
    """At least 0 but for rounding; NaN when undefined."""
    by_image: bool
    """Whether the unbiased one leaves out couples of one image, not only of one point."""
    reason: str | None
    """Why a value is undefined."""


def pool(first: Sample, second: Sample) -> Pooled:
    """Two samples in one table; equal names are the same category and image in both.

    Raises:
        OodexpError: When lengths or widths differ, or a feature is not finite.
    """
    parts = [_checked("first", first), _checked("second", second)]
    widths = [part.features.shape[1] for part in parts]
    if widths[0] != widths[1]:
        raise OodexpError(
            f"features of {widths[0]} and {widths[1]} columns: both samples need the same model"
        )
    features, categories, images = (np.concatenate(both) for both in zip(*parts, strict=True))
    codes = [np.unique(names, return_inverse=True)[1].ravel() for names in (categories, images)]
    chosen = np.arange(len(features)) < len(parts[0].features)
    return Pooled(features, codes[0].astype(np.int64), codes[1].astype(np.int64), chosen)


def _checked(name: str, sample: Sample) -> Sample:
    features, categories, images = (np.asarray(part) for part in sample)
    if features.ndim != 2 or not len(features) == len(categories) == len(images):
        raise OodexpError(
            f"{name} sample: features {features.shape}, {len(categories)} categories and "
            f"{len(images)} images; expected one row, category and image for each pair"
        )
    if not np.isfinite(features).all():
        raise OodexpError(
            f"{name} sample: features that are not finite; leave their images out and say so"
        )
    return Sample(features, categories, images)


def forms(
    pooled: Pooled, sigma: float, weights: np.ndarray, reference: np.ndarray, compute: Compute
) -> Forms:
    """Forms of all columns from one pass over the kernel: one matrix product for each tile.

    By symmetry a tile above the diagonal counts twice and its mirror is never made.

    Args:
        pooled: The points.
        sigma: Bandwidth > 0.
        weights: Columns of the quadratic forms, (n, r).
        reference: Columns that K is multiplied with, (n, k).
        compute: Type, place and tile size.
    """
    quadratic, linear = np.zeros(weights.shape[1]), np.zeros(weights.shape[1])
    product = np.zeros(reference.shape)
    for tile in tiles(pooled.features, pooled.categories, sigma, compute):
        right = compute.array(weights[tile.columns])
        left = right if tile.diagonal else compute.array(weights[tile.rows])
        times = tile.values @ right
        linear += _column_sums(times)
        quadratic += (1 if tile.diagonal else 2) * _column_sums(left * times)
        product[tile.rows] += _host(tile.values @ compute.array(reference[tile.columns]))
        if not tile.diagonal:
            linear += _host(tile.values.sum(1) @ left)
            product[tile.columns] += _host(tile.values.T @ compute.array(reference[tile.rows]))
    return Forms(quadratic, linear, product)


def _column_sums(values: np.ndarray) -> np.ndarray:
    """Float64 sums over rows of an array or tensor, on the host."""
    if isinstance(values, np.ndarray):
        return values.sum(axis=0, dtype=np.float64)
    return _host(values.double().sum(0))


def _host(values: np.ndarray) -> np.ndarray:
    """An array or tensor as a NumPy array."""
    return values if isinstance(values, np.ndarray) else values.cpu().numpy()  # type: ignore[unreachable]


def mmd2(
    pooled: Pooled, bandwidth: Bandwidth, by_image: bool = False, compute: Compute | None = None
) -> Mmd:
    """MMD^2 of the first and the second sample.

    Args:
        pooled: The points.
        bandwidth: Of `kernel.bandwidth`, of the pooled sample.
        by_image: Leave couples of one image out of the unbiased estimator; without it only a
            point's couple with itself, as the textbook estimator does.
        compute: Type, place and tile size.
    """
    if bandwidth.reason is not None:
        return Mmd(np.nan, np.nan, by_image, bandwidth.reason)
    sides = np.stack([pooled.first, ~pooled.first], axis=1).astype(np.float64)
    nothing = np.zeros((len(sides), 0))
    product = forms(pooled, bandwidth.value, nothing, sides, compute or Compute()).product
    whole = sides.T @ product
    couples = sides.sum(axis=0)[:, None] * sides.sum(axis=0)
    every = table_sums(whole, couples)
    clusters = pooled.images if by_image else np.arange(len(sides))
    unbiased = float(every.less(own_sums(pooled, bandwidth.value, clusters)).mmd2())
    biased = float(every.mmd2())
    return Mmd(unbiased, biased, by_image, _undefined(unbiased, biased, by_image))


def table_sums(whole: np.ndarray, couples: np.ndarray) -> Sums:
    """Sums from 2 x 2 tables of kernel sums and numbers of couples."""
    return Sums(whole[0, 0], whole[1, 1], whole[0, 1], couples[0, 0], couples[1, 1], couples[0, 1])


def own_sums(pooled: Pooled, sigma: float, clusters: np.ndarray) -> Sums:
    """Kernel sums and numbers of couples within clusters, summed over the clusters.

    Args:
        pooled: The points.
        sigma: Bandwidth > 0.
        clusters: Code of each point's cluster, from 0 on, (n,): an image, or the point itself.
    """

    def sums(weights: np.ndarray) -> float:
        return float(within(*pooled[:2], clusters, weights, sigma).sum())

    first = pooled.first.astype(np.float64)
    one, two, both = sums(first), sums(1 - first), sums(np.ones(len(first)))
    sizes = [np.bincount(clusters, side) for side in (first, 1 - first)]
    return Sums(
        one, two, (both - one - two) / 2,
        float(sizes[0] @ sizes[0]), float(sizes[1] @ sizes[1]), float(sizes[0] @ sizes[1]),
    )  # fmt: skip


def _undefined(unbiased: float, biased: float, by_image: bool) -> str | None:
    if np.isnan(biased):
        return "a sample is empty"
    if np.isnan(unbiased):
        return f"a sample has fewer than two {'images' if by_image else 'points'}"
    return None
