"""Charts of the report page as inline SVG: they take the page's colours, light, dark and in print.

A split is told by colour and by its dashes, so that the charts can be read in grey.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

import numpy as np
import pandas as pd

from oodexp.columns import Rows, coded, positions
from oodexp.record import SPLITS
from oodexp.report.page_sheet import MINUS

PAIR = ["source", "image_id", "category"]
BINS = 20
"""Bins of a histogram."""
LEFT, RIGHT, TOP, BOTTOM = 38.0, 330.0, 12.0, 150.0
"""Edges of the plot in a box of 340 x 190."""
SCALES = {"score": ("S", 0.0, 1.0), "margin": ("\N{GREEK CAPITAL LETTER DELTA}", -1.0, 1.0)}
"""Symbol, least and largest value of each signal."""


class Chart(NamedTuple):
    """A drawing and what stands below it."""

    svg: str
    """The element `svg`; its texts are escaped."""
    caption: str
    """What it shows; not escaped yet."""


class Axes(NamedTuple):
    """From values to places in the plot."""

    low: float
    """Value at the left edge."""
    high: float
    """Value at the right edge."""
    top: float
    """Value at the upper edge; 0 lies at the lower one."""

    def x(self, value: float) -> float:
        """Horizontal place of a value."""
        return LEFT + (RIGHT - LEFT) * (value - self.low) / (self.high - self.low)

    def y(self, value: float) -> float:
        """Vertical place of a value."""
        return BOTTOM - (BOTTOM - TOP) * value / self.top


def distributions(signals: Rows, memberships: pd.DataFrame) -> list[Chart]:
    """For each scorer how S and Delta of the present pairs of each split are distributed.

    Args:
        signals: `record.Signal` rows.
        memberships: `record.Membership` rows.
    """
    place, scorers = positions(memberships, signals, PAIR), coded(signals, "scorer")
    split = np.array([*memberships["split"].astype(object), None], dtype=object)[place]
    values = {name: signals[name].to_numpy(dtype=np.float64, na_value=np.nan) for name in SCALES}
    charts = []
    for number, scorer in enumerate(scorers.texts):
        if not ((scorers.codes == number) & (place >= 0)).any():
            continue
        for column, (symbol, low, high) in SCALES.items():
            chosen = (scorers.codes == number) & ~np.isnan(values[column])
            parts = {s: values[column][chosen & (split == s)] for s in SPLITS}
            charts.append(histogram(f"{symbol} of {scorer}", parts, low, high))
    return charts


def histogram(title: str, values: Mapping[str, np.ndarray], low: float, high: float) -> Chart:
    """Share of each split's pairs by value, a line of steps a split.

    Args:
        title: What the values are.
        values: Values in [low, high] by split.
        low: Lower end of the first bin.
        high: Upper end of the last bin.
    """
    edges = np.linspace(low, high, BINS + 1)
    shares = {
        split: np.histogram(np.clip(v, low, high), edges)[0] / len(v)
        for split, v in values.items() if len(v)
    }  # fmt: skip
    largest = max((float(s.max()) for s in shares.values()), default=1.0)
    axes = Axes(low, high, np.ceil(10 * largest) / 10)
    lines = [
        _line(split, [axes.x(x) for x in np.repeat(edges, 2)[1:-1]],
              [axes.y(y) for y in np.repeat(share, 2)])
        for split, share in shares.items()
    ]  # fmt: skip
    told = "; ".join(
        f"{split}: median {np.median(v):.3f}, n = {len(v):,}" if len(v) else f"{split}: no pairs"
        for split, v in values.items()
    ).replace("-0.", f"{MINUS}0.")
    return Chart(_plot(title, axes, (low, (low + high) / 2, high), lines), f"{title}. {told}.")


def calibration(rows: pd.DataFrame) -> list[Chart]:
    """The calibration curves, one chart for each VLM and kind.

    Args:
        rows: `record.Calibration` rows.
    """
    axes = Axes(0.0, 1.0, 1.0)
    charts = []
    for (vlm, kind), mine in rows.groupby(["vlm", "kind"], sort=False):
        lines = [f'<path class="even" d="M{LEFT} {BOTTOM}L{RIGHT} {TOP}"/>']
        for split in SPLITS:
            curve = mine[mine["split"] == split].sort_values("lower")
            xs = [axes.x(p) for p in curve["probability"]]
            ys = [axes.y(s) for s in curve["share"]]
            lines.append(_line(split, xs, ys))
            lines += [_point(split, x, y) for x, y in zip(xs, ys, strict=True)]
        title = f"{vlm}, {str(kind).replace('_', ' ')}"
        counts = mine.groupby("split")["n"].sum()
        told = ", ".join(f"{split}: n = {counts[split]:,}" for split in SPLITS if split in counts)
        caption = (
            f"{title}. Across: P(yes) by the model, mean of a bin; up: share of questions where "
            f"yes is right. {told}."
        )
        charts.append(Chart(_plot(title, axes, (0.0, 0.5, 1.0), lines), caption))
    return charts


def _line(split: str, xs: Sequence[float], ys: Sequence[float]) -> str:
    if not len(xs):
        return ""
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in zip(xs, ys, strict=True))
    return f'<path class="split{SPLITS.index(split)}" d="M{path}"/>'


def _point(split: str, x: float, y: float) -> str:
    return f'<circle class="split{SPLITS.index(split)}" cx="{x:.1f}" cy="{y:.1f}" r="2.5"/>'


def _plot(title: str, axes: Axes, ticks: Sequence[float], lines: Sequence[str]) -> str:
    texts = [
        f'<text x="{axes.x(t):.1f}" y="{BOTTOM + 16}" text-anchor="middle">{t:g}</text>'
        for t in ticks
    ]
    texts += [
        f'<text x="{LEFT - 5}" y="{axes.y(t) + 4:.1f}" text-anchor="end">{100 * t:.0f} %</text>'
        for t in (0.0, axes.top)
    ]
    frame = f'<path class="frame" d="M{LEFT} {TOP}V{BOTTOM}H{RIGHT}"/>'
    name = f'<text x="{(LEFT + RIGHT) / 2}" y="186" text-anchor="middle">{escape(title)}</text>'
    return (
        f'<svg viewBox="0 0 340 190" role="img" aria-label="{escape(title)}">'
        f"{frame}{''.join(texts)}{name}{''.join(lines)}</svg>"
    )
