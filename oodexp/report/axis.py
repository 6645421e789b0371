"""Axes and legends that the figures share: percent, plain numbers on a logarithmic scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axis import Axis


def percent(axis: Axis) -> None:
    """Writes the fractions of an axis in percent, with no more digits than its ticks need."""
    from matplotlib.ticker import FuncFormatter

    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.4g} %"))


def plain_log(axis: Axis, low: float, high: float) -> None:
    """Ticks of a logarithmic axis from `low` to `high` as plain numbers, about three to six.

    Args:
        axis: Already on a logarithmic scale.
        low: Lower limit, > 0.
        high: Upper limit, > `low`.
    """
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

    decades = math.log10(high / low)
    if decades >= 2:
        axis.set_major_locator(LogLocator(numticks=6))
    elif decades >= 0.5:
        axis.set_major_locator(LogLocator(subs=(1, 3) if decades > 1.2 else (1, 2, 5)))
    else:  # so narrow that equal steps are right, and powers of ten would leave it bare
        axis.set_major_locator(MaxNLocator(4))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def legend_columns(labels: Sequence[str], width: float) -> int:
    """How many columns a legend may have to fit into `width` inches."""
    each = 0.085 * max(len(label) for label in labels) + 0.85
    return max(1, min(len(labels), int(width / each)))


def name_edges(grid: np.ndarray, panels: int, xlabel: str, ylabel: str) -> None:
    """Names the axes of shared panels on the left and below, and removes panels beyond `panels`.

    A legend outside of the panels would lie upon a common name of all of them. A column that ends
    a row early has its numbers and name below its own last panel.

    Args:
        grid: Axes of shared scales, (row, column), filled row by row.
        panels: How many are used.
        xlabel: Name below the last panel of each column.
        ylabel: Name left of the first panel of each row.
    """
    wide = grid.shape[1]
    for n, axes in enumerate(grid.flat):
        if n >= panels:
            axes.remove()
            continue
        if n % wide == 0:
            axes.set_ylabel(ylabel)
        if n + wide >= panels:
            axes.set_xlabel(xlabel)
            axes.tick_params(labelbottom=True)
