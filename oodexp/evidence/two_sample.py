"""Do two samples come from one law? MMD^2 held against what it is after labels are permuted.

A permutation puts the label "first sample" on other points; all B of them are columns of one matrix
that each tile of the kernel is multiplied with once, never B kernel sums. The paper (OODBench,
appendix C.1.4) permutes pairs. Pairs of one image are dependent, so only a permutation of whole
images is exact; both are given and say which they are. By simulation pairs reject in 0 % to 12 % at
nominal 5 % (tests/evidence/test_mmd_size.py). An image that lies in both samples (ID and OOD pairs
of one photograph) has its two parts swapped by a fair coin; all others trade places among
themselves.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from oodexp.evidence.kernel import Bandwidth, Compute, within
from oodexp.evidence.mmd import Pooled, Sums, forms, own_sums

Estimator = Literal["unbiased", "biased"]

CHUNK = 1024
"""Units that are summed at once."""
TIE = {"float64": 1e-11, "float32": 1e-5}
"""Values are equal when they differ by less, in units of 1 / m + 1 / n, the scale of MMD^2."""


class Permutation(NamedTuple):
    """A test that two samples come from one law."""

    value: float
    """MMD^2 of the labels as they are; NaN when undefined."""
    null: np.ndarray
    """The same after each permutation, (permutation,); empty when undefined."""
    p: float
    """(1 + #{null >= value}) / (B + 1), in (0, 1]; NaN when undefined."""
    floor: float
    """1 / (B + 1), the smallest p there is."""
    permuted: Literal["pairs", "images"]
    """What traded places; with pairs, p is off where images hold several, either way."""
    estimator: Estimator
    """Which MMD^2; of images, the unbiased one leaves out couples within an image."""
    reason: str | None
    """Why it is undefined."""


class Units(NamedTuple):
    """What is relabelled as a whole: points, or the part of an image in one sample."""

    of: np.ndarray
    """Unit of each point, int64, (n,)."""
    images: np.ndarray
    """Code of each unit's image, int64, (unit,)."""
    first: np.ndarray
    """Whether it is of the first sample, bool, (unit,)."""
    shared: np.ndarray
    """Whether its image has a part in the other sample, bool, (unit,)."""


def units(pooled: Pooled, by_image: bool) -> Units:
    """What permutations relabel.

    Args:
        pooled: The points.
        by_image: Whole images, or single points as the paper does.
    """
    if not by_image:
        whole = np.arange(len(pooled.first))
        return Units(whole, whole, pooled.first, np.zeros(len(whole), bool))
    parts, of = np.unique(2 * pooled.images + ~pooled.first, return_inverse=True)
    images = parts // 2
    shared = np.bincount(images)[images] > 1
    return Units(of.ravel(), images, parts % 2 == 0, shared)


def relabelled(chosen: Units, permutations: int, rng: np.random.Generator) -> np.ndarray:
    """Labels of the units after each permutation.

    Args:
        chosen: The units.
        permutations: Number B.
        rng: Source of chance.

    Returns:
        Whether a unit is of the first sample, bool, (unit, B).
    """
    labels = np.repeat(chosen.first[:, None], permutations, axis=1)
    alone = np.flatnonzero(~chosen.shared)
    dealt = np.tile(chosen.first[alone], (permutations, 1))
    labels[alone] = rng.permuted(dealt, axis=1, out=dealt).T
    _, image = np.unique(chosen.images[chosen.shared], return_inverse=True)
    coins = rng.random((int(image.max(initial=-1)) + 1, permutations)) < 0.5
    labels[chosen.shared] ^= coins[image]
    return labels


def permutation_test(
    pooled: Pooled, bandwidth: Bandwidth, permutations: int, rng: np.random.Generator,
    by_image: bool, estimator: Estimator = "unbiased", compute: Compute | None = None,
) -> Permutation:  # fmt: skip
    """Tests whether the two samples come from one law; small p: they do not.

    Args:
        pooled: The points.
        bandwidth: Of the pooled sample, which permutations do not change.
        permutations: Number B >= 1.
        rng: Source of chance.
        by_image: Permute images (exact), or pairs (as the paper does).
        estimator: Which MMD^2.
        compute: Type, place and tile size.
    """
    compute = compute or Compute()
    permuted: Literal["pairs", "images"] = "images" if by_image else "pairs"
    reason = bandwidth.reason
    if reason is None:
        chosen = units(pooled, by_image)
        labels = np.column_stack([chosen.first, relabelled(chosen, permutations, rng)])
        values = labelled(pooled, bandwidth.value, chosen, labels, estimator, compute)
        if not np.isnan(values).any():
            count = np.bincount(pooled.first, minlength=2)
            more = int((values[1:] >= values[0] - TIE[compute.dtype] * (1 / count).sum()).sum())
            p, floor = (1 + more) / (permutations + 1), 1 / (permutations + 1)
            return Permutation(float(values[0]), values[1:], p, floor, permuted, estimator, None)
        reason = f"a sample has fewer than two {'images' if by_image else 'points'}"
    floor = 1 / (permutations + 1)
    return Permutation(np.nan, np.zeros(0), np.nan, floor, permuted, estimator, reason)


def labelled(
    pooled: Pooled, sigma: float, chosen: Units, labels: np.ndarray, estimator: Estimator,
    compute: Compute,
) -> np.ndarray:  # fmt: skip
    """MMD^2 of each column of labels, (column,); NaN where undefined.

    The product is with labels -1 and +1, s = 2 S - 1, so that its terms cancel before rounding
    adds up: S' K S = (s' K s + 2 1' K s + 1' K 1) / 4.

    Args:
        pooled: The points.
        sigma: Bandwidth > 0.
        chosen: The units.
        labels: Whether a unit is of the first sample, bool, (unit, column).
        estimator: Which MMD^2.
        compute: Type, place and tile size.
    """
    sizes = np.bincount(chosen.of, minlength=len(chosen.first)).astype(np.float64)
    inner = within(*pooled[:2], chosen.of, np.ones(len(chosen.of)), sigma)
    counted = np.stack([sizes, sizes * sizes, inner])
    one = _table(counted, labels)
    two = counted.sum(axis=1)[:, None] - one
    m, n = one[0], two[0]
    signs = np.where(labels, np.int8(1), np.int8(-1))
    if not np.array_equal(chosen.of, np.arange(len(labels))):
        signs = signs[chosen.of]
    found = forms(pooled, sigma, signs, np.ones((len(signs), 1)), compute)
    total = found.product.sum()
    first = (found.quadratic + 2 * found.linear + total) / 4
    second = (found.quadratic - 2 * found.linear + total) / 4
    every = Sums(first, second, (total - first - second) / 2, m * m, n * n, m * n)
    if estimator == "biased":
        return every.mmd2()
    shared = own_sums(pooled, sigma, chosen.images[chosen.of])
    own = Sums(one[2], two[2], shared.cross, one[1], two[1], shared.cross_couples)
    return every.less(own).mmd2()


def _table(counted: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Sums over the units of the first sample, (k, column), without a copy of all labels as floats.

    Args:
        counted: What is summed, (k, unit).
        labels: Bool, (unit, column).
    """
    parts = [slice(at, at + CHUNK) for at in range(0, len(labels), CHUNK)]
    none = np.zeros((len(counted), labels.shape[1]))
    return sum((counted[:, part] @ labels[part] for part in parts), none)
