"""The objectives of a search against each other, with the Pareto front."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from oodexp.error import OodexpError
from oodexp.report.study_panel import MAXIMIZE, check_trials, goal, words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Box = tuple[float, float, float, float]
"""Left, right, lower and upper edge of a number in pixels."""

RADII = (11.0, 18.0, 27.0, 38.0, 50.0, 64.0)
"""Distances in points at which a number may stand from its mark, the nearest first."""
ANGLES = (45, 0, 90, 315, 135, 180, 270, 225)
STAIRS = "_staircase"
"""Label of the line that joins a front; the legend leaves it out."""
NAMED = 3
"""Most numbers that are written out at one place."""


def draw_front(
    numbers: np.ndarray, values: np.ndarray, objectives: Sequence[str], directions: Sequence[str],
    inside: np.ndarray,
) -> Figure:  # fmt: skip
    """Each pair of objectives against each other; trials of the front bear their numbers.

    The front of two objectives is joined by the staircase that bounds what its trials reach. With
    more objectives a trial of the front may be beaten within a pair, and nothing is joined.

    Args:
        numbers: Numbers of the trials, int, (trial,).
        values: (trial, objective), NaN where undefined: such a trial is left out and counted.
        objectives: Names of the objectives.
        directions: `maximize` or `minimize` of each.
        inside: Whether a trial is in the front of all objectives, bool, (trial,).

    Raises:
        OodexpError: If shapes differ, a direction is none, or the front holds an undefined trial.
    """
    from matplotlib.figure import Figure

    values = check_trials(values, objectives, directions, len(numbers))
    known = np.isfinite(values).all(axis=1)
    numbers = np.asarray(numbers)
    front = _checked(np.asarray(inside), known, numbers)
    if len(objectives) < 2:
        return words("a front needs two objectives; this search has one")
    if not known.any():
        return words(f"no trial of {len(numbers)} has all objectives: there is no front to draw")
    side = len(objectives) - 1
    # The numbers of a long front need room.
    each = min(8.0, (4.6 if side == 1 else 3.3) + 0.06 * max(0, int(front.sum()) - 10))
    size = (each * side, each * side * 0.85 + 0.4)
    figure = Figure(figsize=size, layout="constrained")
    grid = figure.subplots(side, side, sharex="col", sharey="row", squeeze=False)
    _pairs(grid, values, front, objectives, directions)
    _legend(figure, grid[0, 0], int((~known).sum()))
    _number(figure, grid, numbers, values, known, front)
    return figure


def staircase(front: np.ndarray, maximize: bool) -> np.ndarray:
    """Corners of the line that bounds what a front of two objectives reaches.

    From a trial to the next one, the line runs through the worse value of both.

    Args:
        front: Values of the trials of a front, (trial, 2).
        maximize: Whether more is better in the first objective.

    Returns:
        (corner, 2), from left to right.
    """
    steps = np.unique(front, axis=0)
    corners = [steps[:1]]
    for left, right in itertools.pairwise(steps):
        turn = (left[0], right[1]) if maximize else (right[0], left[1])
        corners.append(np.array([turn, right]))
    return np.concatenate(corners)


def _checked(inside: np.ndarray, known: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    if inside.shape != known.shape or inside.dtype != bool:
        raise OodexpError(
            f"inside is {inside.dtype} of the shape {inside.shape}, expected bool of "
            f"{known.shape}: whether each trial is in the front"
        )
    if (inside & ~known).any():
        raise OodexpError(
            f"trial {numbers[inside & ~known][0]} is in the front and lacks an objective; only "
            "trials with all objectives can be in it"
        )
    return inside


def _pairs(
    grid: np.ndarray, values: np.ndarray, front: np.ndarray, objectives: Sequence[str],
    directions: Sequence[str],
) -> None:  # fmt: skip
    """Each objective but the last one in a column, each but the first one in a row."""
    goals = [goal(o, d) for o, d in zip(objectives, directions, strict=True)]
    known, last = np.isfinite(values).all(axis=1), len(objectives) - 1
    for column, row in itertools.product(range(last), range(1, last + 1)):
        axes = grid[row - 1, column]
        if row <= column:
            axes.remove()
            continue
        _panel(axes, values[:, [column, row]], known, front, directions[column], last == 1)
        if row == last:
            axes.set_xlabel(goals[column])
        if column == 0:
            axes.set_ylabel(goals[row])


def _panel(
    axes: Axes, values: np.ndarray, known: np.ndarray, front: np.ndarray, direction: str,
    joined: bool,
) -> None:  # fmt: skip
    rest = known & ~front
    axes.plot(
        *values[rest].T, "o", color="0.7", markeredgecolor="0.35", markeredgewidth=0.5,
        markersize=5, label="beaten by another trial", zorder=2,
    )  # fmt: skip
    if joined and front.any():
        stairs = staircase(values[front], direction == MAXIMIZE)
        axes.plot(*stairs.T, color="0.0", linewidth=1, zorder=2.5, label=STAIRS)
    axes.plot(
        *values[front].T, "D", color="0.0", markersize=6, label="Pareto front, with trial number",
        zorder=3,
    )  # fmt: skip
    axes.margins(0.1)
    axes.grid(color="0.92", linewidth=0.6)
    axes.set_axisbelow(True)


def _legend(figure: Figure, axes: Axes, left_out: int) -> None:
    title = f"{left_out} without all objectives left out" if left_out else None
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside lower center", ncols=2, frameon=False, title=title,
        title_fontsize="small",
    )  # fmt: skip


def _number(
    figure: Figure, grid: np.ndarray, numbers: np.ndarray, values: np.ndarray, known: np.ndarray,
    front: np.ndarray,
) -> None:  # fmt: skip
    """Numbers beside the front of each panel, after the layout has settled where panels are."""
    figure.draw_without_rendering()
    for row, column in itertools.product(range(len(grid)), repeat=2):
        if column > row:
            continue
        pair = values[:, [column, row + 1]]
        axes = grid[row, column]
        hidden = axes.transData.transform(pair[known])
        for line in axes.lines:
            if line.get_label() == STAIRS:  # a line hides a number as a mark does
                hidden = np.concatenate(
                    [hidden, _along(axes.transData.transform(line.get_xydata()))]
                )
        taken = [tuple(point) for point in hidden]
        boxes: list[Box] = []
        for place in np.unique(pair[front], axis=0):
            mine = np.sort(numbers[front & (pair == place).all(axis=1)])
            _beside(figure, axes, place, _text(mine), taken, boxes)


def _along(corners: np.ndarray) -> np.ndarray:
    """Points along a line through corners, (point, 2), close enough to be hit by a number."""
    legs = [np.linspace(a, b, 30) for a, b in itertools.pairwise(corners)]
    return np.concatenate(legs) if legs else corners


def _text(numbers: np.ndarray) -> str:
    """`3`, `3, 7`, or `3, 7, 12 +4` where more trials share a place."""
    named = ", ".join(map(str, numbers[:NAMED]))
    return named + (f" +{len(numbers) - NAMED}" if len(numbers) > NAMED else "")


def _beside(
    figure: Figure, axes: Axes, place: np.ndarray, text: str, taken: list[tuple[float, ...]],
    boxes: list[Box],
) -> None:  # fmt: skip
    """The number at the nearest of some places that covers least; a line leads to far ones."""
    dot = figure.dpi / 72
    x, y = axes.transData.transform(place)
    wide, high = 2.75 * len(text) + 2, 5.5  # half of the text's size in points

    def offset(radius: float, angle: float) -> tuple[float, float]:
        turn = math.radians(angle)
        return math.cos(turn) * (radius + wide - 4), math.sin(turn) * radius

    def box(radius: float, angle: float) -> Box:
        dx, dy = offset(radius, angle)
        left, low = x + (dx - wide) * dot, y + (dy - high) * dot
        return left, left + 2 * wide * dot, low, low + 2 * high * dot

    def cost(at: tuple[float, int]) -> float:
        return _covered(axes, box(*at), taken, boxes, 3.5 * dot) + at[0] / 100

    best = min(itertools.product(RADII, ANGLES), key=cost)
    boxes.append(box(*best))
    line = {"arrowstyle": "-", "linewidth": 0.5, "color": "0.3", "shrinkB": 4}
    axes.annotate(
        text, (float(place[0]), float(place[1])), offset(*best), textcoords="offset points",
        ha="center", va="center", size="small", arrowprops=line if best[0] > RADII[0] else None,
        zorder=4,
    )  # fmt: skip


def _covered(
    axes: Axes, box: Box, taken: list[tuple[float, ...]], boxes: list[Box], mark: float
) -> float:
    """How many marks and numbers a box would cover; the outside of the panel counts as well."""
    left, right, low, high = box
    hit = sum(left - mark < x < right + mark and low - mark < y < high + mark for x, y in taken)
    hit += 2 * sum(left < r and le < right and low < h and lo < high for le, r, lo, h in boxes)
    panel = axes.bbox
    outside = left < panel.x0 or right > panel.x1 or low < panel.y0 or high > panel.y1
    return float(hit + 2 * outside)
