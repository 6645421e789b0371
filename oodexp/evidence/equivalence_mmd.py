"""Are two out-of-distribution samples equivalent: is their MMD^2 below a margin xi?

OODBench, appendix C.1.4. xi is the 95th percentile of MMD^2 between random halves of the training
side. The paper then takes q, the 1 - alpha quantile of a permutation null, and says "equivalent"
when q < xi. That null is built as if the two laws agreed: q does not depend on the observed
difference but on the sizes: with samples larger than the halves q < xi whatever the laws, with
equal sizes it is a toss of a coin. Passing is no evidence; it is kept here as the paper writes it.

The valid test rejects MMD^2 >= xi when the upper 95 % bound of `evidence.mmd_bound` is below xi.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from oodexp.error import OodexpError
from oodexp.evidence.kernel import Bandwidth, Compute, bandwidth, within
from oodexp.evidence.mmd import Mmd, Pooled, Sample, Sums, forms, mmd2, pool
from oodexp.evidence.mmd_bound import Bound, multiplier_draws, upper_bound
from oodexp.evidence.two_sample import Permutation, permutation_test, units

Sizes = Literal["matched", "halves"]


class Threshold(NamedTuple):
    """The margin xi: how far MMD^2 goes between samples of one law."""

    value: float
    """95th percentile over the splits; NaN when undefined."""
    draws: np.ndarray
    """MMD^2 of each split, (split,)."""
    units: int
    """Images, or pairs, in each half."""
    split: Literal["pairs", "images"]
    """What was dealt to the halves."""
    reason: str | None
    """Why it is undefined."""


class AsWritten(NamedTuple):
    """The paper's rule: as the paper writes it; does not depend on the observed difference."""

    quantile: float
    """q, the 95th percentile of the null of permuted pairs; NaN when undefined."""
    threshold: float
    """xi of halves of pairs; NaN when undefined."""
    equivalent: bool | None
    """q < xi; None when undefined."""
    label: str
    """What it is and is not."""
    reason: str | None
    """Why it is undefined."""


class Equivalence(NamedTuple):
    """All that is said about a training-side and a benchmark-side sample."""

    bandwidth: Bandwidth
    """Fixed once, of the pooled whole samples."""
    mmd: Mmd
    """Textbook estimates of the whole samples."""
    mmd_by_image: Mmd
    """The same, the unbiased one without couples of one image."""
    pairs: Permutation
    """Are the two equal, pairs permuted: as the paper does, off where images hold several."""
    images: Permutation
    """Are the two equal, images permuted: exact."""
    as_written: AsWritten
    """The paper's rule on the whole samples."""
    threshold: Threshold
    """xi of halves of images, for the valid test."""
    bound: Bound
    """The valid test."""
    compared: tuple[int, int]
    """Images of each sample in the valid test."""
    same_sizes: bool
    """Whether those are the sizes of the halves, too."""


LABEL = "as the paper writes it; does not depend on the observed difference"


def threshold(
    sample: Sample, sigma: Bandwidth, size: int | None, splits: int, rng: np.random.Generator,
    by_image: bool = True, compute: Compute | None = None,
) -> Threshold:  # fmt: skip
    """The margin xi from random halves of one sample.

    Args:
        sample: The training side.
        sigma: Bandwidth of what will be compared.
        size: Images, or pairs, in each half; half of all without it.
        splits: Number of random splits.
        rng: Source of chance.
        by_image: Deal whole images, or single pairs as the paper does.
        compute: Type, place and tile size.

    Raises:
        OodexpError: When two halves of that size cannot be had.
    """
    whole = pool(sample, Sample(*(part[:0] for part in sample)))
    chosen, split = units(whole, by_image), "images" if by_image else "pairs"
    number = len(chosen.first)
    half = number // 2 if size is None else size
    if 2 * half > number:
        raise OodexpError(f"halves of {half} {split}: there are {number}; ask for half of them")
    few = f"fewer than two {split} in a half" if half < 2 else None
    if (reason := sigma.reason or few) is not None:
        return Threshold(np.nan, np.zeros(0), half, split, reason)  # type: ignore[arg-type]
    order = rng.permuted(np.tile(np.arange(number), (splits, 1)), axis=1).T
    place = np.empty_like(order)
    np.put_along_axis(place, order, np.arange(number)[:, None], axis=0)
    values = _halved(whole, sigma.value, chosen.of, place // half, compute or Compute())
    xi = float(np.percentile(values, 95))
    return Threshold(xi, values, half, split, None)  # type: ignore[arg-type]


def _halved(
    whole: Pooled, sigma: float, of: np.ndarray, half: np.ndarray, compute: Compute
) -> np.ndarray:
    """Unbiased MMD^2 between units of half 0 and half 1 in each split, (split,); 2 is left out."""
    sizes = np.bincount(of).astype(np.float64)
    inner = within(*whole[:2], of, np.ones(len(of)), sigma)
    one, two = half == 0, half == 1
    m, n = sizes @ one, sizes @ two
    first, second = (one / m)[of], (two / n)[of]
    weights = np.hstack([first, second, first - second]).astype(compute.dtype)
    found = forms(whole, sigma, weights, np.zeros((len(of), 0)), compute).quadratic
    a, b, gap = found.reshape(3, -1)
    every = Sums(a * m * m, b * n * n, (a + b - gap) / 2 * m * n, m * m, n * n, m * n)
    squares = sizes * sizes
    own = Sums(inner @ one, inner @ two, 0.0, squares @ one, squares @ two, 0.0)
    return every.less(own).mmd2()


def as_written(pairs: Permutation, xi: Threshold) -> AsWritten:
    """The paper's rule, q < xi.

    Args:
        pairs: Test with permuted pairs.
        xi: Margin from halves of pairs.
    """
    reason = pairs.reason or xi.reason
    if reason is not None:
        return AsWritten(np.nan, xi.value, None, LABEL, reason)
    quantile = float(np.percentile(pairs.null, 95))
    return AsWritten(quantile, xi.value, quantile < xi.value, LABEL, None)


def equivalence(
    train: Sample, other: Sample, seed: int, rule: str | float = "median",
    sizes: Sizes = "matched", permutations: int = 500, splits: int = 500, draws: int = 1000,
    compute: Compute | None = None,
) -> Equivalence:  # fmt: skip
    """Everything about two samples: estimates, equality, the paper's rule and the valid test.

    Args:
        train: The training side, of which xi is taken.
        other: The benchmark side.
        seed: Root of all chance.
        rule: Bandwidth rule of `kernel.bandwidth`.
        sizes: `matched`: the halves, and the samples of the valid test, have as many images each as
            half of the training side, or as the other side if that has fewer, drawn at random.
            `halves`: halves of the whole training side; the whole samples are compared, so the
            noise of the comparison is smaller than that of xi and more can be shown.
        permutations: Number of each permutation test.
        splits: Number of splits for each xi.
        draws: Multiplier draws of the bound.
        compute: Type, place and tile size.
    """
    if sizes not in ("matched", "halves"):
        raise OodexpError(f"sizes {sizes!r}: expected `matched` or `halves`")
    chance = [np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(6)]
    whole = pool(train, other)
    sigma = bandwidth(whole.features, whole.categories, rule, seed)
    pairs = permutation_test(whole, sigma, permutations, chance[0], False, compute=compute)
    images = permutation_test(whole, sigma, permutations, chance[1], True, compute=compute)
    paper = threshold(train, sigma, None, splits, chance[2], False, compute)
    count = [len(np.unique(sample[2])) for sample in (train, other)]
    half = min(count[0] // 2, count[1]) if sizes == "matched" else count[0] // 2
    xi = threshold(train, sigma, half, splits, chance[3], True, compute)
    if sizes == "matched":
        train, other = (_drawn(sample, half, chance[4]) for sample in (train, other))
        count = [half, half]
    noise = multiplier_draws(pool(train, other), sigma, draws, chance[5], compute)
    return Equivalence(
        sigma, mmd2(whole, sigma, False, compute), mmd2(whole, sigma, True, compute),
        pairs, images, as_written(pairs, paper), xi, upper_bound(noise, xi.value),
        (count[0], count[1]), count == [half, half],
    )  # fmt: skip


def _drawn(sample: Sample, images: int, rng: np.random.Generator) -> Sample:
    """A sample of so many images, with all their pairs."""
    kept = rng.choice(np.unique(sample[2]), images, replace=False)
    chosen = np.isin(sample[2], kept)
    return Sample(*(np.asarray(part)[chosen] for part in sample))
