"""Accuracies by threshold as groups of bars, with the gap between the OOD splits (Table IV)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from oodexp.error import OodexpError
from oodexp.record import SPLITS
from oodexp.report.axis import name_edges, percent
from oodexp.report.lines import check_fractions

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Fill(NamedTuple):
    """How the area of a split is told from the others without colour."""

    shade: str
    """Grey of the ground."""
    hatch: str
    hatchcolor: str


FILLS = dict(
    zip(
        SPLITS,
        (Fill("0.7", "", "0.0"), Fill("0.95", "///", "0.35"), Fill("0.4", "xxx", "0.95")),
        strict=True,
    )
)
"""Fill of each split."""

MINUS = "\N{MINUS SIGN}"
WIDTH = 0.26
"""Width of a bar, where groups are 1 apart."""


def look(fill: Fill) -> dict[str, Any]:
    """A fill as matplotlib's patches and areas take it."""
    return {
        "facecolor": fill.shade, "hatch": fill.hatch, "hatchcolor": fill.hatchcolor,
        "edgecolor": "0.0", "linewidth": 0.7,
    }  # fmt: skip


def draw_bars(
    panels: Mapping[str, tuple[np.ndarray, np.ndarray, np.ndarray]], thresholds: Sequence[float],
    *, ylabel: str = "accuracy", columns: int = 3,
) -> Figure:  # fmt: skip
    """A panel a VLM or reading; in it a group of bars for each threshold, with 95 % whiskers.

    A bracket above OOD-S and OOD-H tells their gap, OOD-S minus OOD-H, in points of percent.

    Args:
        panels: Fractions in [0, 1] and the ends of their intervals, each (threshold, split) with
            splits in the order of `record.SPLITS`, by title; NaN where undefined.
        thresholds: T of each group, drawn in this order at equal distances.
        ylabel: What the fractions are.
        columns: Most panels side by side.

    Raises:
        OodexpError: If there is nothing to draw, shapes differ, or values are no fractions.
    """
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    if not panels or not len(thresholds):
        raise OodexpError("no bars to draw: give at least one panel and one threshold")
    for title, arrays in panels.items():
        check_fractions(title, arrays, (len(thresholds), len(SPLITS)))
    wide = min(columns, len(panels))
    high = math.ceil(len(panels) / wide)
    each = max(2.4, 0.7 + 0.75 * len(thresholds), 0.3 + 0.09 * max(map(len, panels)))
    size = (max(wide * each, 4.6), high * 2.5 + 0.7)
    figure = Figure(figsize=size, layout="constrained")
    grid = figure.subplots(high, wide, sharex=True, sharey=True, squeeze=False)
    for axes, (title, arrays) in zip(grid.flat, panels.items(), strict=False):
        _panel(axes, *(np.asarray(a, dtype=np.float64) for a in arrays))
        axes.set_title(title, fontsize="medium")
        axes.set_xticks(range(len(thresholds)), [f"{t:g}" for t in thresholds])
        axes.set(ylim=(0, 1.17), xlim=(-0.55, len(thresholds) - 0.45))
        axes.set_yticks(np.linspace(0, 1, 6))
        percent(axes.yaxis)
    name_edges(grid, len(panels), "threshold T", ylabel)
    figure.legend(
        handles=[Patch(label=split, **look(fill)) for split, fill in FILLS.items()],
        loc="outside lower center", ncols=len(SPLITS), frameon=False,
        title="bracket: OOD-S minus OOD-H in points", title_fontsize="small",
    )  # fmt: skip
    return figure


def _panel(axes: Axes, values: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> None:
    groups = np.arange(len(values))
    for s, (split, fill) in enumerate(FILLS.items()):
        at = groups + (s - 1) * WIDTH
        known = np.isfinite(values[:, s])
        axes.bar(at[known], values[known, s], WIDTH, label=split, **look(fill))
        for x in at[~known]:
            axes.text(x, 0.01, "undefined", rotation=90, ha="center", va="bottom", size="x-small")
        _whiskers(axes, at[known], values[known, s], lower[known, s], upper[known, s])
    for n, row in enumerate(values):
        if np.isfinite(row[1:]).all():
            _bracket(axes, n, float(np.nanmax([row[1:], upper[n, 1:]])), float(row[1] - row[2]))


def _whiskers(
    axes: Axes, at: np.ndarray, values: np.ndarray, lower: np.ndarray, upper: np.ndarray
) -> None:
    """Whiskers with a white rim, to be seen on a dark bar."""
    from matplotlib.patheffects import Normal, Stroke

    known = np.isfinite(lower) & np.isfinite(upper)
    if not known.any():
        return
    rim = [Stroke(linewidth=3, foreground="1.0"), Normal()]
    lines = axes.vlines(at[known], lower[known], upper[known], color="0.0", linewidth=1.2, zorder=4)
    lines.set_path_effects(rim)


def _bracket(axes: Axes, group: int, top: float, gap: float) -> None:
    left, right, y = group, group + WIDTH, top + 0.025
    xs, ys = [left, left, right, right], [y, y + 0.015, y + 0.015, y]
    axes.plot(xs, ys, color="0.0", linewidth=0.8)
    axes.annotate(
        f"{100 * gap:+.1f}".replace("-", MINUS), ((left + right) / 2, y + 0.015), (0, 2),
        textcoords="offset points", ha="center", va="bottom", size="small",
    )  # fmt: skip
