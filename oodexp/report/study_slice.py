"""The objectives of a search against each dimension of its space."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from oodexp.report.study_panel import (
    Dimension,
    check_trials,
    dimensions,
    goal,
    grid_shape,
    mark_undefined,
    set_axis,
    words,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_slice(
    numbers: np.ndarray, settings: Sequence[Mapping[str, Any]], values: np.ndarray,
    objectives: Sequence[str], directions: Sequence[str], log: Collection[str] = (),
) -> Figure:  # fmt: skip
    """A row of panels an objective, a panel a dimension; later trials are darker.

    Args:
        numbers: Numbers of the trials, int, (trial,).
        settings: Value of each dimension by name, a mapping a trial.
        values: (trial, objective), NaN where undefined: a cross on the lower edge.
        objectives: Names of the objectives.
        directions: `maximize` or `minimize` of each.
        log: Names of the dimensions with a logarithmic axis.

    Raises:
        OodexpError: If shapes or dimensions differ, or a logarithmic dimension has a value <= 0.
    """
    from matplotlib.figure import Figure

    values = check_trials(values, objectives, directions, len(numbers))
    check_trials(values, objectives, directions, len(settings))
    found = dimensions(settings, log)
    if not found or not np.isfinite(values).any():
        return words(f"no trial of {len(numbers)} has a value and a setting: nothing to slice")
    high, wide = grid_shape(len(found))
    size = (max(4.0, 0.9 + 2.5 * wide), 0.6 + 2.5 * high * len(objectives))
    figure = Figure(figsize=size, layout="constrained")
    grid = figure.subplots(high * len(objectives), wide, squeeze=False)
    for o, objective in enumerate(objectives):
        block = grid[o * high : (o + 1) * high].ravel()
        for n, axes in enumerate(block):
            if n >= len(found):
                axes.remove()
                continue
            _panel(axes, found[n], np.asarray(numbers), values[:, o])
            if n % wide:
                axes.sharey(block[0])
                axes.tick_params(labelleft=False)
            else:
                axes.set_ylabel(goal(objective, directions[o]).replace(" (", "\n("))
    _explain(figure, len(numbers) > 1)
    return figure


def _panel(axes: Axes, dimension: Dimension, numbers: np.ndarray, values: np.ndarray) -> None:
    order = np.argsort(numbers, kind="stable")  # a later trial lies upon an earlier one
    order = order[np.isfinite(values[order])]
    axes.scatter(
        dimension.at[order], values[order], c=numbers[order], s=26, cmap="gray_r",
        vmin=numbers.min() - 1, vmax=max(numbers.max(), numbers.min() + 1), edgecolors="0.0",
        linewidths=0.5,
    )  # fmt: skip
    if len(order) < len(values):
        mark_undefined(axes, dimension.at[~np.isfinite(values)])
    set_axis(axes, "x", dimension)
    axes.margins(y=0.12)


def _explain(figure: Figure, several: bool) -> None:
    """The bar of the numbers of several trials, and what a cross is where there is one."""
    from matplotlib.ticker import MaxNLocator

    panels = list(figure.axes)
    if several:
        bar = figure.colorbar(panels[0].collections[0], ax=panels, aspect=40)
        bar.set_label("number of the trial")
        bar.locator = MaxNLocator(5, integer=True)
        bar.update_ticks()
    crosses = [line for axes in panels for line in axes.lines]
    if crosses:
        figure.legend(handles=crosses[:1], loc="outside lower center", frameon=False)
