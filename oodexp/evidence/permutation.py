"""Does a closed model lose from ID to OOD? Permutations of the labels (OODBench, C.2.2 (1)).

H0: the label ID or OOD of a pair has nothing to do with how the pair is answered. One-sided:
p = (1 + #{statistic_b >= statistic_obs}) / (B + 1), ties counted, so that p is never 0.

Two forms. `pairs` is the paper's: Delta, labels exchanged freely between pairs; both questions of a
pair move together. It is exact when labels are drawn for each pair alone. They are not: labels of
one image agree more often than chance (a cluttered image is hard throughout), and so do answers.

`images` is exact under dependence within images. Exchangeable are then (a) images with equally many
pairs, with all their labels, and (b) the pairs of one image, as long as nothing but the image joins
them. A labelling gives each image the labels of a random image of its size, in random order. What
is compared is Delta over its standard error with images as clusters: the test then also holds, for
many images, when ID and OOD differ in the spread of the answers and not in T. Sizes are held fixed:
what a trend over the number of pairs of an image makes is part of the null, not of the loss.

Measured under H0: 2,000 data sets of 150 images with 1-6 pairs and image effects of standard
deviation 1.2 on the logit; share rejected at nominal 5 %, least and most of the five metrics:

    labels drawn                    pairs         images, Delta alone   images
    for each pair                    4.4-5.5 %     4.4-5.6 %            5.1-5.7 %
    by a propensity of the image     6.5-8.7 %     3.6-4.7 %            4.0-4.7 %
    for whole images, 35 % OOD      10.8-13.6 %    4.4-5.1 %            4.7-5.1 %
    for whole images, 12 % OOD       9.5-12.1 %    4.7-5.8 %            5.6-6.0 %
    so, and OOD images more unlike   8.1-13.0 %    6.8-11.0 %           4.5-5.1 %
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from oodexp.error import OodexpError
from oodexp.evidence.degradation import POOLED, delta
from oodexp.evidence.labelling import by_image, freely, movable
from oodexp.evidence.linearised import standard_errors
from oodexp.metric.binary import METRICS, undefined_reason
from oodexp.metric.bootstrap import MOST_UNDEFINED
from oodexp.record import SPLITS

TIE = 1e-10
"""Relative difference up to which two statistics are equal but for rounding."""

STUCK = "no label can change: images of a size all have as many OOD pairs, and none is mixed"


class Permutation(NamedTuple):
    """One form of the test; arrays (5,) by `METRICS`."""

    form: str
    """`pairs` or `images`."""
    values: np.ndarray
    """Delta of the observed labels; NaN where undefined."""
    statistic: np.ndarray
    """What is compared: Delta, or Delta over its standard error."""
    p: np.ndarray
    """One-sided, in [p_floor, 1]; NaN where there is no test."""
    p_floor: float
    """The least p that B labellings can give: 1 / (B + 1)."""
    exceeding: np.ndarray
    """Labellings with a statistic at least as large, undefined ones among them, int64."""
    undefined: np.ndarray
    """Labellings without a value, int64: counted as exceeding, which only raises p."""
    draws: np.ndarray
    """Delta of each labelling, (B, 5); NaN where undefined."""
    movable: float
    """Share of the pairs whose label can change, in [0, 1]: without them there is no power."""
    reasons: dict[int, str]
    """By metric: why there is no p, or why it says nothing."""


class Tested(NamedTuple):
    """Both forms of the test."""

    pairs: Permutation
    """The paper's: labels of pairs exchanged freely."""
    images: Permutation
    """Valid when answers on one image depend on each other."""


def permutation_test(
    counts: np.ndarray, image: np.ndarray, ood: np.ndarray, *, permutations: int = 2000, seed: int
) -> Tested:
    """Tests whether one model does worse on OOD than on ID.

    Args:
        counts: tp, fp, fn, tn of the questions of each pair, >= 0, int64, (pair, 4).
        image: Image of each pair, any integers, (pair,).
        ood: Whether the pair is OOD, bool, (pair,).
        permutations: Labellings B.
        seed: Of the labellings; each form has its own child seed.

    Raises:
        OodexpError: Lengths differ, or B is not positive.
    """
    if not len(counts) == len(image) == len(ood) or permutations < 1:
        raise OodexpError(
            f"permutation test of {len(counts)} counts, {len(image)} images, {len(ood)} labels, "
            f"{permutations} labellings: give one image and one label a pair, and one labelling"
        )
    order = np.argsort(image, kind="stable")
    counts, ood = np.asarray(counts)[order], np.asarray(ood, bool)[order]
    sizes = np.unique(np.asarray(image), return_counts=True)[1]
    one, other = (np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(2))
    mixed, moves = float(ood.any() and not ood.all()), movable(ood, sizes)
    amiss = STUCK if not moves else "one image: no standard error" if len(sizes) == 1 else None
    return Tested(
        _test("pairs", counts, ood, None, freely(ood, permutations, one), mixed, None),
        _test(
            "images", counts, ood, sizes, by_image(ood, sizes, permutations, other), moves, amiss
        ),
    )


def p_value(draws: np.ndarray, observed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """One-sided p of observed statistics, and the number of draws at least as large.

    Args:
        draws: Statistics under the null, (B, ...); NaN counts as at least as large.
        observed: (...); with NaN there is no p.
    """
    slack = TIE * np.maximum(1, np.abs(np.where(np.isfinite(observed), observed, 0)))
    # Written so that NaN among the draws is not below.
    exceeding = (~(draws < observed - slack)).sum(axis=0)
    p = (1 + exceeding) / (len(draws) + 1)
    return np.where(np.isnan(observed), np.nan, p), exceeding


def _test(
    form: str, counts: np.ndarray, ood: np.ndarray, sizes: np.ndarray | None,
    labellings: Iterator[np.ndarray], moves: float, amiss: str | None,
) -> Permutation:  # fmt: skip
    """One form; with `sizes` Delta is divided by its standard error over images."""
    values, statistic = (part[0] for part in _statistics(ood[None], counts, sizes))
    found = [_statistics(labels, counts, sizes) for labels in labellings]
    draws, compared = (np.concatenate(parts) for parts in zip(*found, strict=True))
    p, exceeding = p_value(compared, statistic)
    undefined = np.isnan(compared).sum(axis=0)
    # Infinite statistics differ from none, and from one another by NaN: neither is flat.
    with np.errstate(invalid="ignore"):
        flat = np.fmax.reduce(compared) - np.fmin.reduce(compared) <= TIE
    reasons = _reasons(counts, ood, undefined / len(draws), amiss, flat)
    p[np.isnan(values) | (undefined > MOST_UNDEFINED * len(draws))] = np.nan
    floor = 1 / (len(draws) + 1)
    return Permutation(
        form, values, statistic, p, floor, exceeding, undefined, draws, moves, reasons
    )


def _statistics(
    labels: np.ndarray, counts: np.ndarray, sizes: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Delta of each labelling, and what is compared, each (labelling, 5)."""
    if sizes is None:
        ood = labels.astype(np.float64) @ counts
        found = delta(np.stack([counts.sum(axis=0) - ood, ood], axis=-2))
        return found, found
    # Sums over the pairs of each image: (labelling, image, 4).
    chosen = labels[..., None] * counts.astype(np.float32)
    ood = np.add.reduceat(chosen, np.cumsum(sizes) - sizes, axis=1).astype(np.float64)
    every = np.add.reduceat(counts, np.cumsum(sizes) - sizes, axis=0)
    parts = np.stack([every - ood, ood], axis=-2)
    found, error = delta(parts.sum(axis=-3)), standard_errors(parts)
    with np.errstate(divide="ignore", invalid="ignore"):
        none = (np.abs(found) <= TIE) & (error == 0)
        return found, np.where(none, 0.0, found / error)


def _reasons(
    counts: np.ndarray, ood: np.ndarray, undefined: np.ndarray, amiss: str | None,
    flat: np.ndarray,
) -> dict[int, str]:  # fmt: skip
    """By metric: why there is no p, or why it says nothing."""
    parts = {SPLITS[0]: counts[~ood].sum(axis=0), POOLED: counts[ood].sum(axis=0)}
    reasons: dict[int, str] = {}
    for metric, name in enumerate(METRICS):
        whys = [f"{k}: {why}" for k, part in parts.items() if (why := undefined_reason(part, name))]
        if whys:
            reasons[metric] = whys[0]
        elif amiss is not None:
            reasons[metric] = amiss
        elif undefined[metric] > MOST_UNDEFINED:
            reasons[metric] = f"undefined in {undefined[metric]:.0%} of the labellings"
        elif flat[metric]:
            reasons[metric] = "no variation between the labellings"
    return reasons
