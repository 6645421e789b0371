"""The objectives of a search by trial number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from oodexp.report.study_panel import MAXIMIZE, check_trials, goal, mark_undefined, words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_history(
    numbers: np.ndarray, values: np.ndarray, objectives: Sequence[str], directions: Sequence[str]
) -> Figure:
    """A panel an objective: the values by trial number, the best so far as a step line.

    Only trials with all objectives steer a search: the others are hollow where they have a value,
    crosses on the lower edge where they have none, and do not count for the best.

    Args:
        numbers: Numbers of the trials in any order, int, (trial,).
        values: (trial, objective), NaN where undefined.
        objectives: Names of the objectives.
        directions: `maximize` or `minimize` of each.

    Raises:
        OodexpError: If shapes differ, or a direction is none.
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    values = check_trials(values, objectives, directions, len(numbers))
    if not np.isfinite(values).any():
        return words(f"no trial of {len(numbers)} has a value: there is no history to draw")
    order = np.argsort(numbers, kind="stable")
    at, values = np.asarray(numbers)[order], values[order]
    high = len(objectives)
    figure = Figure(figsize=(6.0, 0.7 + 2.2 * high), layout="constrained")
    grid = figure.subplots(high, 1, sharex=True, squeeze=False)[:, 0]
    complete = np.isfinite(values).all(axis=1)
    for n, axes in enumerate(grid):
        _panel(axes, at, values[:, n], complete, directions[n])
        axes.set_ylabel(goal(objectives[n], directions[n]).replace(" (", "\n("))
    grid[-1].set_xlabel("number of the trial")
    grid[-1].xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    grid[-1].set_xlim(at[0] - 0.6, at[-1] + 0.6)
    handles = {
        t: h for axes in grid for h, t in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    figure.legend(
        list(handles.values()), list(handles), loc="outside lower center", ncols=4, frameon=False
    )
    return figure


def _panel(
    axes: Axes, at: np.ndarray, values: np.ndarray, complete: np.ndarray, direction: str
) -> None:
    known = np.isfinite(values)
    partial = known & ~complete
    if complete.any():
        pick = np.maximum if direction == MAXIMIZE else np.minimum
        best = pick.accumulate(values[complete])
        # The best holds up to the last trial, whatever came of that one.
        x, y = np.append(at[complete], at[-1]), np.append(best, best[-1])
        axes.step(x, y, where="post", color="0.0", linewidth=1.2, label="best so far")
        axes.plot(
            at[complete], values[complete], "o", color="0.5", markersize=4.5, label="complete",
            markeredgecolor="0.0", markeredgewidth=0.5,
        )  # fmt: skip
    if partial.any():
        axes.plot(
            at[partial], values[partial], "s", markerfacecolor="1.0", markeredgecolor="0.0",
            markersize=4.5, label="lacks another objective",
        )  # fmt: skip
    if not known.all():
        mark_undefined(axes, at[~known])
    axes.margins(y=0.12)
    axes.grid(axis="y", color="0.9", linewidth=0.6)
    axes.set_axisbelow(True)
