"""What else changes when a division does: the mix of each split, and accuracies without it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from oodexp.ablation.band import by_image, spread
from oodexp.ablation.regroup import readings_of, rows, tally
from oodexp.metric.binary import TN, TP
from oodexp.metric.bootstrap import resampled
from oodexp.metric.mix import Grouping, distance, entropy, shares, sizes, standardise
from oodexp.record import SPLITS

if TYPE_CHECKING:
    from oodexp.ablation.regroup import Regrouped
    from oodexp.ablation.stock import Stock


@dataclass(frozen=True, slots=True)
class Mix:
    """The drawn pairs of one split."""

    pairs: int
    """Number of pairs, absent ones too."""
    images: int
    """Number of images they are about, among those with questions."""
    area: float
    """Median area of the pairs' largest instance in square pixels; NaN where none is known."""
    count: float
    """Mean number of instances; NaN where none is known."""
    entropy: float
    """Of the categories in bits (see `mix.entropy`)."""
    categories: int
    """Number of categories that occur."""
    shares: dict[str, float]
    """Share of each composition group among the pairs whose group is known."""
    known: dict[str, float]
    """Share of the pairs whose group is known, by grouping."""
    distance: dict[str, float]
    """Share of pairs that would have to change group to be as in the reference, by grouping."""


class Reweighted(NamedTuple):
    """Accuracies of the splits as if their pairs were mixed as the reference's."""

    values: np.ndarray
    """Over the groups that each split has, (vlm, split)."""
    covered: np.ndarray
    """Share of the reference in those groups, (vlm, split): below 1, the rest is not covered."""
    missing: list[list[str]]
    """Groups of the reference that a split has no pair of, by split."""
    fewest: list[int]
    """Pairs in the smallest group of the reference that a split has, by split; 0 for none. A
    large weight on a few pairs makes a wide interval, and an interval from few is too narrow."""
    common_values: np.ndarray
    """Over the groups that all three splits have, (vlm, 6) by `regroup.ROWS`; NaN for none."""
    common: np.ndarray
    """Share of the reference in the groups that all splits have, (vlm,)."""
    lower: np.ndarray
    """2.5th percentile of `common_values`, (vlm, 6); NaN without resamples."""
    upper: np.ndarray
    """97.5th percentile of `common_values`, (vlm, 6); NaN without resamples."""


def reference(stock: Stock, found: Regrouped | None = None) -> np.ndarray:
    """The pairs whose mix is the common one: bool, (pair,).

    Args:
        stock: All pairs.
        found: A trial whose drawn pairs count; None for all present pairs that every scorer scored.
    """
    return stock.scored if found is None else found.drawn


def mixes(stock: Stock, found: Regrouped, against: np.ndarray) -> dict[str, Mix]:
    """The mix of each split.

    Args:
        stock: All pairs.
        found: The trial.
        against: Of `reference`.
    """
    return {
        name: _mix(stock, found.drawn & (found.split == code), against)
        for code, name in enumerate(SPLITS)
    }


def _mix(stock: Stock, chosen: np.ndarray, against: np.ndarray) -> Mix:
    share, known, far = dict[str, float](), dict[str, float](), dict[str, float]()
    total = int(chosen.sum())
    for grouping in stock.groupings:
        mine = sizes(grouping, chosen)
        of_label = shares(mine)
        share |= {k: float(v) for k, v in zip(grouping.labels, of_label, strict=True)}
        known[grouping.name] = float(mine.sum()) / total if total else float("nan")
        far[grouping.name] = distance(of_label, shares(sizes(grouping, against)))
    category, image = stock.category[chosen], stock.image[chosen]
    area, count = stock.area[chosen], stock.count[chosen]
    area, count = area[~np.isnan(area)], count[~np.isnan(count)]
    return Mix(
        total, len(np.unique(image[image >= 0])),
        float(np.median(area)) if len(area) else float("nan"),
        float(count.mean()) if len(count) else float("nan"),
        entropy(category), len(np.unique(category)), share, known, far,
    )  # fmt: skip


def reweighted(
    stock: Stock, found: Regrouped, grouping: Grouping, against: np.ndarray,
    weights: np.ndarray | None = None,
) -> Reweighted:  # fmt: skip
    """Accuracies of a trial by the mix of a reference.

    Args:
        stock: All pairs.
        found: The trial.
        grouping: One of `stock.groupings`, or several crossed.
        against: Of `reference`; its pairs outside of all groups have no weight.
        weights: Of `bootstrap.resample_weights` for `stock.images`; None for no intervals. The
            reference stays as it is; a resample without any pair of a group does without it.
    """
    width, splits = len(grouping.labels), len(SPLITS)
    inside = found.drawn & (grouping.codes >= 0)
    cell = np.where(inside, found.split * width + grouping.codes, -1)
    wanted, setting = sizes(grouping, against), found.setting
    readings = readings_of(stock, setting.reader)
    counted = tally(readings, stock.present, cell, splits * width, setting.convention)
    right, total = _right(counted.counts.reshape(len(stock.vlms), splits, width, 4))
    whole = standardise(right, total, wanted)
    values = rows(whole.common_values[..., None])[..., 0]
    lower = upper = np.full(values.shape, np.nan)
    if weights is not None:
        each = np.stack(_right(by_image(stock, found, cell, splits * width)), axis=-1)
        sums = resampled(weights, each.reshape(stock.images, -1), lambda summed: summed)
        sums = sums.reshape(len(weights), len(stock.vlms), splits, width, 2)
        drawn = standardise(sums[..., 0], sums[..., 1], wanted).common_values
        lower, upper = spread(values, rows(drawn[..., None])[..., 0])
    there = np.bincount(cell[inside], minlength=splits * width).reshape(splits, width)
    lacking = [
        [label for label, have, weight in zip(grouping.labels, mine, wanted, strict=True)
         if weight and not have] for mine in there
    ]  # fmt: skip
    fewest = [int(min(mine[(mine > 0) & (wanted > 0)], default=0)) for mine in there]
    return Reweighted(
        whole.values, whole.covered, lacking, fewest, values, whole.common, lower, upper
    )


def _right(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Right answers and all answers, from confusion counts (..., 4)."""
    return counts[..., TP] + counts[..., TN], counts.sum(axis=-1)
