"""An objective of a search over each pair of dimensions of its space."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from oodexp.report.study_panel import (
    MAXIMIZE,
    Dimension,
    check_trials,
    dimensions,
    goal,
    grid_shape,
    set_axis,
    span,
    words,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CELLS = 5
"""Most cells along a numeric dimension: with more values, it is cut into as many equal parts."""
LEVELS = 9
NONE = "\N{MULTIPLICATION SIGN}"
"""In a cell whose trials have no value."""
DARK = 0.84
"""Share of the scale from which on white is told from the ground more easily than black."""
FLAT = 1e-3
"""Points whose cloud is narrower than this share of its length lie on a line."""


class Scale(NamedTuple):
    """The greys of all panels: light is small, dark is large."""

    low: float
    high: float
    cmap: Any


def draw_contour(
    settings: Sequence[Mapping[str, Any]], values: np.ndarray, objective: str, direction: str,
    log: Collection[str] = (),
) -> Figure:  # fmt: skip
    """A panel for each pair of dimensions: contours where both are numbers, else cells.

    Where several trials share a place, as they do when other dimensions differ, the best of them
    stands for it. Contours are linear between trials in the scale of the axes; they need four
    places that are not on a line, and cells are drawn where there are fewer.

    Args:
        settings: Value of each dimension by name, a mapping a trial.
        values: Of one objective, (trial,), NaN where undefined.
        objective: Its name.
        direction: `maximize` or `minimize`.
        log: Names of the dimensions with a logarithmic axis.

    Raises:
        OodexpError: If lengths or dimensions differ, or a logarithmic dimension has a value <= 0.
    """
    from matplotlib.figure import Figure

    column = np.reshape(np.asarray(values, np.float64), (-1, 1))
    flat = check_trials(column, [objective], [direction], len(settings))[:, 0]
    found = dimensions(settings, log)
    if len(found) < 2:
        return words(f"a contour needs two dimensions; this search has {len(found)}")
    if not np.isfinite(flat).any():
        return words(f"no trial of {len(settings)} has a value of {objective}: no contour")
    pairs = list(itertools.combinations(found, 2))
    high, wide = grid_shape(len(pairs), 3)
    size = (1.1 + 3.8 * wide, 0.4 + 3.0 * high)
    figure = Figure(figsize=size, layout="constrained")
    grid = figure.subplots(high, wide, squeeze=False)
    for axes in grid.flat[len(pairs) :]:
        axes.remove()
    scale = _scale(flat)
    for axes, (first, second) in zip(grid.flat, pairs, strict=False):
        _panel(axes, (first, second), flat, direction, scale)
    _bar(figure, scale, goal(objective, direction))
    _explain(figure)
    return figure


def _panel(
    axes: Axes, pair: tuple[Dimension, Dimension], values: np.ndarray, direction: str, scale: Scale
) -> None:
    numeric = all(dimension.labels is None for dimension in pair)
    if numeric and _spread(_unit(pair)[np.isfinite(values)]):
        _filled(axes, pair, values, direction, scale)
    else:
        pair = (_cut(pair[0]), _cut(pair[1]))
        _cells(axes, pair, values, direction, scale)
    set_axis(axes, "x", pair[0])
    set_axis(axes, "y", pair[1])


def _scale(values: np.ndarray) -> Scale:
    from matplotlib.colors import LinearSegmentedColormap

    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    if low == high:
        room = abs(low) / 2 or 0.5
        low, high = low - room, high + room
    return Scale(low, high, LinearSegmentedColormap.from_list("grey", ["0.97", "0.35"]))


def _bar(figure: Figure, scale: Scale, text: str) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    shades = ScalarMappable(Normalize(scale.low, scale.high), scale.cmap)
    figure.colorbar(shades, ax=list(figure.axes), label=text, aspect=30)


def _explain(figure: Figure) -> None:
    """A legend of the marks that the panels hold."""
    from matplotlib.lines import Line2D

    marks: dict[str, Any] = {}
    for axes in figure.axes:
        marks |= {str(line.get_label()): line for line in axes.lines if np.size(line.get_xdata())}
        if any(text.get_text() == NONE for text in axes.texts):
            marks.setdefault("no value", Line2D([], [], marker="x", color="0.0", linestyle=""))
    if marks:
        figure.legend(
            list(marks.values()), list(marks), loc="outside lower center", ncols=3, frameon=False
        )


def _unit(pair: tuple[Dimension, Dimension]) -> np.ndarray:
    """Places of the trials in the unit square of the axes, (trial, 2)."""
    columns = []
    for dimension in pair:
        at = np.log10(dimension.at) if dimension.log else dimension.at
        width = float(np.ptp(at))
        columns.append((at - at.min()) / (width or 1.0))
    return np.stack(columns, axis=1)


def _spread(points: np.ndarray) -> bool:
    """Whether there are four places at least, not all on a line."""
    places = np.unique(points, axis=0)
    if len(places) < 4:
        return False
    long, short = np.linalg.svd(places - places.mean(axis=0), compute_uv=False)
    return bool(short > FLAT * long)


def _best(places: np.ndarray, values: np.ndarray, direction: str) -> tuple[np.ndarray, np.ndarray]:
    """Different places, (place, 2), and the best value at each, (place,)."""
    found, inverse = np.unique(places, axis=0, return_inverse=True)
    pick = np.fmax if direction == MAXIMIZE else np.fmin
    best = np.full(len(found), np.nan)
    pick.at(best, inverse.ravel(), values)
    return found, best


def _filled(
    axes: Axes, pair: tuple[Dimension, Dimension], values: np.ndarray, direction: str, scale: Scale
) -> None:
    """Contours, trials as points, undefined ones as crosses, the best as a star."""
    from matplotlib.tri import Triangulation

    known = np.isfinite(values)
    unit, best = _best(_unit(pair)[known], values[known], direction)
    # Triangles of the unit square are well shaped, whatever the units of the dimensions; the
    # square is laid over the axes, so that contours are linear on a logarithmic axis, too.
    mesh, place = Triangulation(*unit.T), _over(axes, pair)
    levels = np.linspace(scale.low, scale.high, LEVELS + 1)
    axes.tricontourf(mesh, best, levels, cmap=scale.cmap, transform=place)
    axes.tricontour(mesh, best, levels, colors="0.45", linewidths=0.4, transform=place)
    x, y = pair[0].at, pair[1].at
    axes.plot(
        x[known], y[known], "o", color="1.0", markeredgecolor="0.0", markersize=3,
        markeredgewidth=0.5, label="trial",
    )  # fmt: skip
    axes.plot(x[~known], y[~known], "x", color="0.0", markersize=5, label="no value")
    top = (np.nanargmax if direction == MAXIMIZE else np.nanargmin)(values)
    axes.plot(
        x[top], y[top], "*", color="1.0", markeredgecolor="0.0", markersize=13, label="best",
        zorder=4,
    )  # fmt: skip


def _over(axes: Axes, pair: tuple[Dimension, Dimension]) -> Any:
    """The transform that lays the unit square of the trials over the axes."""
    from matplotlib.transforms import Affine2D

    scales, shifts = [], []
    for dimension in pair:
        ends = np.array([*span(dimension), dimension.at.min(), dimension.at.max()])
        left, right, low, high = np.log10(ends) if dimension.log else ends
        scales.append((high - low) / (right - left))
        shifts.append((low - left) / (right - left))
    return Affine2D().scale(*scales).translate(*shifts) + axes.transAxes


def _cut(dimension: Dimension) -> Dimension:
    """A dimension of numbers as one of labels: its values, or equal parts of their range."""
    if dimension.labels is not None:
        return dimension
    different, codes = np.unique(dimension.at, return_inverse=True)
    if len(different) <= CELLS:
        labels = tuple(f"{value:g}" for value in different)
        return Dimension(dimension.name, codes.astype(np.float64), labels, False)
    space = np.geomspace if dimension.log else np.linspace
    edges = space(different[0], different[-1], CELLS + 1)
    codes = np.clip(np.searchsorted(edges, dimension.at, side="right") - 1, 0, CELLS - 1)
    labels = tuple(f"\N{GREATER-THAN OR EQUAL TO} {edge:.2g}" for edge in edges[:-1])
    return Dimension(dimension.name, codes.astype(np.float64), labels, False)


def _cells(
    axes: Axes, pair: tuple[Dimension, Dimension], values: np.ndarray, direction: str, scale: Scale
) -> None:
    """A cell with its value for each two labels that were tried, the best in bold."""
    from matplotlib.patches import Rectangle

    places, best = _best(np.stack([d.at for d in pair], axis=1), values, direction)
    top = (np.nanmax if direction == MAXIMIZE else np.nanmin)(best)
    for (x, y), value in zip(places, best, strict=True):
        known = bool(np.isfinite(value))
        share = (value - scale.low) / (scale.high - scale.low) if known else 0.0
        ground = scale.cmap(share) if known else "1.0"
        axes.add_patch(
            Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=ground, edgecolor="0.45", linewidth=0.5)
        )
        axes.text(
            x, y, _short(value) if known else NONE, ha="center", va="center", size="small",
            color="1.0" if share > DARK else "0.0", weight="bold" if value == top else "normal",
        )  # fmt: skip


def _short(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"
