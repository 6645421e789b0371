"""Sizes of a division over the threshold, as a stacked area."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from oodexp.error import OodexpError
from oodexp.record import SPLITS
from oodexp.report.axis import percent, plain_log
from oodexp.report.bars import FILLS, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

THICK = 0.12
"""A band that is somewhere at least this high holds its own name."""
ROOM = 0.08
"""Share of the width that a name keeps from the edges and from the marks."""
APART = 0.075
"""Least distance of names beside the area."""


def draw_area(
    thresholds: np.ndarray, shares: np.ndarray, *, tried: Sequence[float] = (), title: str = ""
) -> Figure:
    """Shares of the pairs in ID, OOD-S and OOD-H over T, stacked, ID at the bottom.

    A single threshold is drawn as a bar: an area over one point has no width.

    Args:
        thresholds: T, > 0 and rising, (threshold,); the axis is logarithmic.
        shares: In [0, 1], (threshold, split) with splits in the order of `record.SPLITS`; each row
            sums to 1, or is NaN where there is no pair.
        tried: Thresholds that are marked above the area, such as those of Table IV.
        title: Of the figure.

    Raises:
        OodexpError: If thresholds do not rise from above 0, or a row does not sum to 1.
    """
    from matplotlib.figure import Figure

    at, shares = _checked(thresholds, shares)
    figure = Figure(figsize=(6.0, 3.6), layout="constrained")
    axes = figure.add_subplot()
    axes.set_xscale("log")
    _bands(axes, at, shares)
    _names(axes, at, shares, tried)
    _marks(axes, tried)
    axes.set(ylim=(0, 1), ylabel="share of pairs", xlabel="threshold T")
    limits = _limits(np.array([*at, *tried]), len(at) == 1)
    axes.set_xlim(*limits)
    plain_log(axes.xaxis, *limits)
    percent(axes.yaxis)
    axes.set_title(title, pad=24 if len(tried) else 6)
    return figure


def _checked(thresholds: np.ndarray, shares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    at, rows = np.asarray(thresholds, np.float64), np.asarray(shares, np.float64)
    if rows.shape != (len(at), len(SPLITS)) or not len(at):
        raise OodexpError(
            f"shares have the shape {rows.shape}, expected ({len(at)}, {len(SPLITS)}) with at "
            "least one threshold: a row for each threshold, a column for each split"
        )
    if not (at > 0).all() or not (np.diff(at) > 0).all():
        raise OodexpError(
            f"thresholds {at.tolist()}: expected each above 0 and above the one before; sort them "
            "with their rows, and leave out 0, which has no place on a logarithmic axis"
        )
    known = np.isfinite(rows.sum(axis=1))
    wrong = np.flatnonzero(known & ((np.abs(rows.sum(axis=1) - 1) > 1e-6) | (rows.min(axis=1) < 0)))
    if len(wrong):
        raise OodexpError(
            f"T = {at[wrong[0]]:g}: the shares are {rows[wrong[0]].tolist()}, expected fractions "
            "that sum to 1; divide the sizes by their sum"
        )
    rows = np.where(known[:, None], rows, np.nan)
    return at, rows


def _bands(axes: Axes, at: np.ndarray, shares: np.ndarray) -> None:
    known = np.isfinite(shares).all(axis=1)
    if not known.any():
        axes.text(0.5, 0.5, "no pair at any threshold", transform=axes.transAxes, ha="center")
        return
    top = np.cumsum(shares, axis=1)
    for s, (split, fill) in enumerate(FILLS.items()):
        looks = look(fill) | {"label": split}
        if len(at) == 1:
            axes.bar(at, shares[:, s], at * 0.5, bottom=top[:, s] - shares[:, s], **looks)
        else:
            axes.fill_between(at, top[:, s] - shares[:, s], top[:, s], where=known, **looks)


def _names(axes: Axes, at: np.ndarray, shares: np.ndarray, tried: Sequence[float]) -> None:
    """Each name inside its band where the band is thickest, else beside the area."""
    known = np.flatnonzero(np.isfinite(shares).all(axis=1))
    if not len(known):
        return
    places = _places(at, tried)
    # Edges of the bands are straight lines on the logarithmic axis, and a gap is a gap here, too.
    x = np.log10(at)
    rows = np.stack([np.interp(places, x, share) for share in shares.T], axis=1)
    middle = np.cumsum(rows, axis=1) - rows / 2
    edge = np.cumsum(shares[known[-1]]) - shares[known[-1]] / 2
    beside = []
    for s, split in enumerate(SPLITS):
        best = int(np.argmax(np.nan_to_num(rows[:, s], nan=-1)))
        if rows[best, s] >= THICK:
            axes.text(
                10 ** places[best], middle[best, s], split, ha="center", va="center",
                bbox={"facecolor": "1.0", "edgecolor": "none", "pad": 2},
            )  # fmt: skip
        else:
            beside.append((float(edge[s]), split))
    _beside(axes, float(at[known[-1]]), beside)


def _places(at: np.ndarray, tried: Sequence[float]) -> np.ndarray:
    """Where a name may stand, log10 of T: off the edges, and off the marks where that is left."""
    low, high = np.log10(at[[0, -1]])
    places = np.linspace(low + ROOM * (high - low), high - ROOM * (high - low), 41)
    if not len(tried):
        return places
    off = np.abs(places[:, None] - np.log10(np.asarray(tried, np.float64))).min(axis=1)
    free = off > ROOM * (high - low)
    return places[free] if free.any() else places


def _beside(axes: Axes, edge: float, names: list[tuple[float, str]]) -> None:
    """Names right of the area with a line to their band, moved apart from one another."""
    for n, (y, split) in enumerate(names):
        # Bands come from the bottom up; the last one must leave room below the upper edge.
        room = 1 - APART * (len(names) - 1 - n)
        below = names[n - 1][0] + APART if n else 0.0
        names[n] = (min(max(y, below), room), split)
        axes.annotate(
            split, (edge, y), (1.04, names[n][0]), textcoords=("axes fraction", "data"),
            va="center", arrowprops={"arrowstyle": "-", "linewidth": 0.7, "color": "0.0"},
            annotation_clip=False,
        )  # fmt: skip


def _marks(axes: Axes, tried: Sequence[float]) -> None:
    for t in tried:
        axes.axvline(t, color="1.0", linewidth=2.2)
        axes.axvline(t, color="0.0", linewidth=1, linestyle="--")
        axes.annotate(
            f"{t:g}", (t, 1), (0, 6), xycoords=("data", "axes fraction"), ha="center", va="bottom",
            textcoords="offset points", size="small",
            arrowprops={"arrowstyle": "-", "linewidth": 0.7},
        )  # fmt: skip


def _limits(at: np.ndarray, single: bool) -> tuple[float, float]:
    low, high = float(at.min()), float(at.max())
    return (low / 2, high * 2) if single or low == high else (low, high)
