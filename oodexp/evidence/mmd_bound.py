"""An upper bound of MMD^2 that is valid near the margin of equivalence.

A margin from random halves shrinks like 1 / n, as does the noise, so where MMD^2 = |delta|^2 equals
it no part of the estimate |delta + G|^2 = |delta|^2 + 2 <delta, G> + |G|^2 vanishes: the statistic
is neither degenerate nor normal there, and no bootstrap or subsampling of MMD^2 itself is
consistent. The law of |G|^2 is known from multiplier draws: each image gets a random sign (wild
bootstrap; Leucht and Neumann 2013, Chwialkowski et al. 2014), G* = sum_c e_c eta_c, where eta_c is
what image c adds to the difference of mean embeddings about the mean of its sample, and e_c is -1
or +1; |G*|^2 is centred by its exact mean, the sum of |eta_c|^2. The law of <delta, G> depends on
the direction of delta, of which data near equality tell nothing. The bound takes the least
favourable one, in which G varies most: a test by it has size 5 % there and less in every other
direction. Sizes by simulation are in tests/evidence/test_mmd_size.py. The paper (OODBench, appendix
C.1.4) speaks of a bootstrap interval and does not say how it is made.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from oodexp.evidence.kernel import Bandwidth, Compute, within
from oodexp.evidence.mmd import Pooled, forms, own_sums, table_sums

SMALLEST = 1e-10
"""Directions with a smaller share of the largest variance are rounding."""
RANK = 256
"""Draws that the direction of largest variance is sought with, at the most."""
GRID = 512
"""Roots of MMD^2 that the search for the bound starts from."""


class Noise(NamedTuple):
    """Multiplier draws of the noise G of a difference of mean embeddings."""

    value: float
    """Unbiased MMD^2 without couples of one image; NaN when undefined."""
    square: np.ndarray
    """|G*|^2 less its mean, (draw,); scale of MMD^2."""
    leading: np.ndarray
    """G* along the direction in which it varies most, (draw,); scale of the root of MMD^2."""
    reason: str | None
    """Why it is undefined."""


class Bound(NamedTuple):
    """The valid test of MMD^2 >= xi."""

    value: float
    """Unbiased MMD^2 without couples of one image; may be negative; NaN when undefined."""
    upper: float
    """Upper bound of MMD^2, >= 0; NaN when undefined."""
    level: float
    """Its confidence."""
    p: float
    """p-value of MMD^2 >= xi, in (0, 1]; small: equivalent. NaN when undefined."""
    floor: float
    """1 / (B + 1), the smallest p there is."""
    equivalent: bool | None
    """upper < xi, which is p <= 1 - level; None when undefined."""
    reason: str | None
    """Why it is undefined, or why the bound is 0."""


def multiplier_draws(
    pooled: Pooled, bandwidth: Bandwidth, draws: int, rng: np.random.Generator,
    compute: Compute | None = None,
) -> Noise:  # fmt: skip
    """Draws of the noise of MMD^2 by random signs of images, from one pass over the kernel.

    The direction of largest variance is the leading one of the operator sum_c eta_c x eta_c, by
    the Nystroem approximation on the first `RANK` draws; exact when these are as many as images.

    Args:
        pooled: The points.
        bandwidth: Of the pooled sample.
        draws: Number of draws.
        rng: Source of chance.
        compute: Type, place and tile size.
    """
    count = [len(np.unique(pooled.images[side])) for side in (pooled.first, ~pooled.first)]
    few = "a sample has fewer than two images" if min(count) < 2 else None
    if (reason := bandwidth.reason or few) is not None:
        return Noise(np.nan, np.zeros(0), np.zeros(0), reason)
    sides = np.stack([pooled.first, ~pooled.first], axis=1).astype(np.float64)
    total, shares = sides.sum(axis=0), _by_image(pooled, sides)
    sides, shares = sides / total, shares / total
    signs = rng.integers(0, 2, (len(shares), draws)) * 2.0 - 1
    # A sample's own mean is taken off each image: the weights of a sample sum to 0.
    weights = np.where(pooled.first[:, None], 1.0, -1.0) * sides.sum(axis=1)[:, None]
    weights = weights * (
        signs[pooled.images] - np.where(pooled.first[:, None], *(shares.T @ signs))
    )
    nothing = np.zeros((len(sides), 0))
    found = forms(
        pooled, bandwidth.value, nothing, np.hstack([sides, weights]), compute or Compute()
    )
    rows, noise = found.product[:, :2], found.product[:, 2:]
    value, mean = _moments(pooled, bandwidth.value, sides, total, shares, rows)
    square = np.einsum("ij,ij->j", weights, noise) - mean
    inner = _by_image(pooled, (sides[:, :1] - sides[:, 1:]) * noise)
    inner += shares @ np.diag([-1.0, 1.0]) @ (sides.T @ noise)
    return Noise(value, square, _leading(signs, inner), None)


def _by_image(pooled: Pooled, values: np.ndarray) -> np.ndarray:
    """Sums over the points of each image, (image, k)."""
    order = np.argsort(pooled.images, kind="stable")
    starts = np.unique(pooled.images[order], return_index=True)[1]
    return np.asarray(np.add.reduceat(values[order], starts, axis=0))


def _moments(
    pooled: Pooled, sigma: float, sides: np.ndarray, total: np.ndarray, shares: np.ndarray,
    rows: np.ndarray,
) -> tuple[float, float]:  # fmt: skip
    """Unbiased MMD^2 by image, and the sum of |eta_c|^2 over images."""
    means = sides.T @ rows
    every = table_sums(means * np.outer(total, total), np.outer(total, total))
    value = float(every.less(own_sums(pooled, sigma, pooled.images)).mmd2())
    difference = sides[:, 0] - sides[:, 1]
    inner = within(*pooled[:2], pooled.images, difference, sigma).sum()
    signed = shares * [1.0, -1.0]
    along = (signed * _by_image(pooled, difference[:, None] * rows)).sum()
    return value, float(inner - 2 * along + np.einsum("ci,ij,cj->", signed, means, signed))


def _leading(signs: np.ndarray, inner: np.ndarray) -> np.ndarray:
    """G* along its direction of largest variance, (draw,).

    Args:
        signs: e_c of each draw, (image, draw).
        inner: Inner products of eta_c with G* of each draw, (image, draw).
    """
    inner = inner[:, :RANK]
    table = signs[:, :RANK].T @ inner
    scales, vectors = np.linalg.eigh((table + table.T) / 2)
    kept = scales > SMALLEST * scales.max()
    if not kept.any():
        return np.zeros(signs.shape[1])
    factor = inner @ (vectors[:, kept] / np.sqrt(scales[kept]))
    left, size, _ = np.linalg.svd(factor, full_matrices=False)
    return np.asarray(size[0] * (left[:, 0] @ signs))


def upper_bound(noise: Noise, xi: float, level: float = 0.95) -> Bound:
    """The valid test: is MMD^2 below xi, whatever the direction of the difference?

    Under MMD^2 = t^2 in the least favourable direction the estimate is t^2 + 2 t g + s, with g and
    s a multiplier draw of `Noise.leading` and `Noise.square`. The bound is the largest t^2 that is
    not rejected.

    Args:
        noise: Multiplier draws.
        xi: Margin; NaN gives the bound alone.
        level: Confidence of the bound.
    """
    draws, nan = len(noise.square), float("nan")
    rank = int(np.floor((1 - level) * (draws + 1) + 1e-9))
    floor = 1 / (draws + 1)
    few = f"{draws} draws are too few for a bound at {level:g}" if rank < 1 else None
    if (reason := noise.reason or few) is not None:
        return Bound(noise.value, nan, level, nan, floor, None, reason)
    upper = _largest(noise, rank)
    if not xi > 0:
        told = "there is no margin" if np.isnan(xi) else f"the margin {xi:.3g} is not positive"
        return Bound(noise.value, upper, level, nan, floor, None, told)
    least = noise.square + 2 * np.sqrt(xi) * noise.leading + xi
    p = (1 + int((least <= noise.value).sum())) / (draws + 1)
    under = "the estimate is lower than equal laws make it at this level: the bound is 0"
    return Bound(noise.value, upper, level, p, floor, upper < xi, None if upper else under)


def _largest(noise: Noise, rank: int) -> float:
    """Largest t^2 with the draw of that rank at or below the estimate; 0 when there is none."""

    def slack(root: float) -> float:
        values = np.partition(noise.square + 2 * root * noise.leading + root * root, rank - 1)
        return float(values[rank - 1] - noise.value)

    # Beyond it even the draw that is lowest lies above the estimate.
    reach = 2 * np.abs(noise.leading).max() + np.sqrt(max(0, noise.value - noise.square.min()))
    roots = np.linspace(0, 1.01 * reach, GRID)
    held = [n for n, root in enumerate(roots) if slack(root) <= 0]
    if not held:
        return 0.0
    low, high = roots[held[-1]], roots[min(held[-1] + 1, GRID - 1)]
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if slack(middle) <= 0 else (low, middle)
    return float(low * low)
