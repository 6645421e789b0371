"""Lines with bands over ordered steps, such as the number of scorers (Figure 5 of OODBench)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from oodexp.error import OodexpError
from oodexp.report.axis import legend_columns, name_edges, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", "h")
DASHES = ((0, ()), (0, (5, 2)), (0, (1, 1.5)), (0, (5, 2, 1, 2)), (0, (9, 3)))
SHADES = ("0.0", "0.4", "0.2", "0.55")
"""Marker, dash pattern and grey of a line go round at different lengths: 50 lines differ."""

PANEL = (4.4, 3.2)
"""Width and height of a panel in inches."""
SINGLE = 5.6
"""Width of the only panel: the legend below it needs two columns for long names."""


class Style(NamedTuple):
    """How a line is told from the others without colour."""

    marker: str
    dash: tuple[int, tuple[float, ...]]
    """Offset and lengths of strokes and gaps, as matplotlib takes them."""
    shade: str
    """Grey, from "0.0" (black) to "1.0" (white)."""


def style(n: int) -> Style:
    """Style of line `n`, from 0 on; the pairs of marker and dash repeat after 50."""
    lap, at = divmod(n, len(MARKERS))
    return Style(MARKERS[at], DASHES[(at + lap) % len(DASHES)], SHADES[n % len(SHADES)])


def draw_lines(
    x: Sequence[str], values: np.ndarray, lower: np.ndarray, upper: np.ndarray,
    names: Sequence[str], *, ylabel: str, xlabel: str, title: str,
) -> Figure:  # fmt: skip
    r"""One panel: a line a VLM with the band of its intervals.

    Args:
        x: Text below each step, such as `2\n+ blip2`.
        values: Fractions in [-1, 1], (vlm, x); NaN leaves a gap.
        lower: Lower ends of the intervals, of the same shape; NaN where there is none.
        upper: Upper ends.
        names: Of the VLMs.
        ylabel: What the values are; the axis is in percent.
        xlabel: What the steps are.
        title: Of the panel.

    Raises:
        OodexpError: If shapes differ, or values are no fractions.
    """
    panels = {title: (values, lower, upper)}
    return draw_panels(panels, x, names, ylabel=ylabel, xlabel=xlabel)


def draw_panels(
    panels: Mapping[str, tuple[np.ndarray, np.ndarray, np.ndarray]], x: Sequence[str],
    names: Sequence[str], *, ylabel: str, xlabel: str, columns: int = 2,
) -> Figure:  # fmt: skip
    """Several panels of one scale, with one legend outside of them.

    Args:
        panels: Values, lower and upper ends as of `draw_lines`, by the title of their panel.
        x: Text below each step.
        names: Of the VLMs.
        ylabel: What the values are.
        xlabel: What the steps are.
        columns: Most panels side by side.

    Raises:
        OodexpError: If there is no panel, shapes differ, or values are no fractions.
    """
    from matplotlib.figure import Figure

    if not panels or not names:
        raise OodexpError("no line to draw: give at least one panel and one name")
    for title, arrays in panels.items():
        check_fractions(title, arrays, (len(names), len(x)))
    wide = min(columns, len(panels))
    high = math.ceil(len(panels) / wide)
    width = wide * PANEL[0] if wide > 1 else SINGLE
    legend = legend_columns(names, width)
    size = (width, high * PANEL[1] + 0.22 * math.ceil(len(names) / legend))
    figure = Figure(figsize=size, layout="constrained")
    grid = figure.subplots(high, wide, sharex=True, sharey=True, squeeze=False)
    for axes, (title, arrays) in zip(grid.flat, panels.items(), strict=False):
        _panel(axes, x, arrays, names)
        axes.set_title(title)
        percent(axes.yaxis)
    if not any(np.isfinite(arrays[0]).any() for arrays in panels.values()):
        grid[0, 0].set_ylim(0, 1)
    name_edges(grid, len(panels), xlabel, ylabel)
    figure.legend(
        *grid.flat[0].get_legend_handles_labels(), loc="outside lower center", frameon=False,
        handlelength=4, ncols=legend,
    )  # fmt: skip
    return figure


def check_fractions(
    title: str, arrays: tuple[np.ndarray, np.ndarray, np.ndarray], shape: tuple[int, ...]
) -> None:
    """Refuses values or ends of another shape, and values that are percent.

    Raises:
        OodexpError: Names the panel.
    """
    for what, array in zip(("values", "lower", "upper"), arrays, strict=True):
        if np.shape(array) != shape:
            raise OodexpError(
                f"panel {title!r}: {what} has the shape {np.shape(array)}, expected {shape}; give "
                "a value, or NaN, for each name and step"
            )
        known = np.asarray(array)[np.isfinite(array)]
        if known.size and np.abs(known).max() > 1:
            raise OodexpError(
                f"panel {title!r}: {what} holds {known[np.abs(known).argmax()]:g}, expected "
                "fractions in [-1, 1]; divide percent by 100"
            )


def _panel(
    axes: Axes, x: Sequence[str], arrays: tuple[np.ndarray, np.ndarray, np.ndarray],
    names: Sequence[str],
) -> None:  # fmt: skip
    at = np.arange(len(x))
    values, lower, upper = (np.asarray(a, dtype=np.float64) for a in arrays)
    for n, name in enumerate(names):
        own = style(n)
        axes.plot(
            at, values[n], marker=own.marker, linestyle=own.dash, color=own.shade, label=name,
            markersize=7, linewidth=1.4, markeredgecolor="white", markeredgewidth=0.5, zorder=3,
        )  # fmt: skip
        _band(axes, at, lower[n], upper[n], own, len(names))
    if not np.isfinite(values).any():
        axes.text(0.5, 0.5, "no value is defined", transform=axes.transAxes, ha="center")
    axes.set_xticks(at, list(x))
    axes.set_xlim(-0.3, len(x) - 0.7)
    axes.grid(axis="y", color="0.9", linewidth=0.6)
    axes.set_axisbelow(True)


def _band(
    axes: Axes, at: np.ndarray, lower: np.ndarray, upper: np.ndarray, own: Style, lines: int
) -> None:
    """The band; where a step has no neighbour it has no width, and a whisker stands for it."""
    known = np.isfinite(lower) & np.isfinite(upper)
    if not known.any():
        return
    axes.fill_between(
        at, lower, upper, where=known, facecolor=own.shade, alpha=0.25 / math.sqrt(lines),
        linewidth=0,
    )  # fmt: skip
    for end in (lower, upper):
        axes.plot(
            at, np.where(known, end, np.nan), color=own.shade, linestyle=own.dash, linewidth=0.5,
            label="_edge",
        )  # fmt: skip
    padded = np.pad(known, 1)
    alone = known & ~padded[:-2] & ~padded[2:]
    if alone.any():
        axes.vlines(at[alone], lower[alone], upper[alone], color=own.shade, linewidth=0.9)
