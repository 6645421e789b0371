"""What the plots of a search share: the dimensions as axes, and words where nothing is drawn."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from oodexp.error import OodexpError
from oodexp.report.axis import plain_log

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

MAXIMIZE, MINIMIZE = "maximize", "minimize"


class Dimension(NamedTuple):
    """A dimension of the space as an axis."""

    name: str
    at: np.ndarray
    """Place of each trial: its value, or the number of its label; float64, (trial,)."""
    labels: tuple[str, ...] | None
    """Of a categorical dimension, in the order of their first trial; None for numbers."""
    log: bool
    """Whether the axis is logarithmic."""


def check_trials(
    values: np.ndarray, objectives: Sequence[str], directions: Sequence[str], rows: int
) -> np.ndarray:
    """The values as float64, (trial, objective), with NaN for what is not finite.

    Args:
        values: As they came.
        objectives: Names of the columns.
        directions: `maximize` or `minimize` of each.
        rows: How many trials there are by another argument.

    Raises:
        OodexpError: If shapes differ, or a direction is none.
    """
    given = np.asarray(values, dtype=np.float64)
    if given.shape != (rows, len(objectives)) or not objectives:
        raise OodexpError(
            f"values have the shape {given.shape}, expected ({rows}, {len(objectives)}): a row for "
            "each trial, a column for each of at least one objective"
        )
    if len(directions) != len(objectives) or set(directions) - {MAXIMIZE, MINIMIZE}:
        raise OodexpError(
            f"directions {list(directions)}: expected {MAXIMIZE} or {MINIMIZE} for each of "
            f"{list(objectives)}"
        )
    return np.where(np.isfinite(given), given, np.nan)


def dimensions(settings: Sequence[Mapping[str, Any]], log: Collection[str] = ()) -> list[Dimension]:
    """All dimensions of the trials, in the order of the first trial.

    Args:
        settings: Value of each dimension by name, a mapping a trial. A dimension is numeric when
            all its values are numbers; lists, mappings, null, text and booleans are categories.
        log: Names of the dimensions with a logarithmic axis.

    Raises:
        OodexpError: If a trial lacks a dimension, or a logarithmic one has a value <= 0.
    """
    names = list(settings[0]) if settings else []
    for n, mine in enumerate(settings):
        if set(mine) != set(names):
            raise OodexpError(
                f"row {n} sets {sorted(mine)}, the first one {sorted(names)}: expected the same "
                "dimensions in every trial; draw studies of different spaces apart"
            )
    return [_dimension(name, [mine[name] for mine in settings], name in log) for name in names]


def label(value: Any) -> str:
    """A category as its axis writes it: text as it is, all else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, default=str)


def set_axis(axes: Axes, which: str, dimension: Dimension) -> None:
    """Scale, ticks and name of a dimension on the axis `x` or `y`, with room at the ends."""
    axis: Axis = axes.xaxis if which == "x" else axes.yaxis
    axis.set_label_text(dimension.name)
    limit = axes.set_xlim if which == "x" else axes.set_ylim
    if dimension.labels is not None:
        texts = _short(dimension.labels)
        turned = which == "x" and sum(map(len, texts)) > 22
        look: dict[str, Any] = (
            {"rotation": 30, "ha": "right", "rotation_mode": "anchor"} if turned else {}
        )
        axis.set_ticks(range(len(texts)), texts, **look)
        limit(-0.5, len(dimension.labels) - 0.5)
        return
    if dimension.log:
        (axes.set_xscale if which == "x" else axes.set_yscale)("log")
        plain_log(axis, *span(dimension))
    limit(*span(dimension))


def span(dimension: Dimension) -> tuple[float, float]:
    """Limits of a numeric axis: the values and a twentieth of their range at both ends."""
    low, high = float(dimension.at.min()), float(dimension.at.max())
    if dimension.log:
        room = (high / low) ** 0.05 if high > low else 2.0
        return low / room, high * room
    room = 0.05 * (high - low) if high > low else max(abs(low) * 0.5, 0.5)
    return low - room, high + room


def words(text: str) -> Figure:
    """A figure that says why there is nothing to draw."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.5, 2.0), layout="constrained")
    figure.text(0.5, 0.5, text, ha="center", va="center", wrap=True)
    return figure


def mark_undefined(axes: Axes, at: np.ndarray) -> None:
    """Crosses on the lower edge for trials without a value."""
    axes.plot(
        at, np.full(len(at), 0.025), "x", color="0.0", markersize=5, clip_on=False,
        label="no value", transform=axes.get_xaxis_transform(),
    )  # fmt: skip


def goal(objective: str, direction: str) -> str:
    """An objective with its direction, as axes and titles name it."""
    return f"{objective} ({direction})"


def grid_shape(panels: int, most: int = 4) -> tuple[int, int]:
    """Rows and columns for some panels, `most` of them side by side."""
    wide = max(1, min(most, panels))
    return math.ceil(panels / wide), wide


def _dimension(name: str, values: list[Any], log: bool) -> Dimension:
    if all(_is_number(v) for v in values):
        at = np.array(values, dtype=np.float64)
        if log and (at <= 0).any():
            raise OodexpError(
                f"{name} = {at.min():g}: a logarithmic axis starts above 0; leave {name} out of log"
            )
        return Dimension(name, at, None, log)
    texts = [label(v) for v in values]
    if len(set(texts)) < len({json.dumps(v, default=str) for v in values}):
        texts = [json.dumps(v, default=str) for v in values]  # the text "null" beside null
    labels = tuple(dict.fromkeys(texts))
    return Dimension(name, np.array([labels.index(t) for t in texts], np.float64), labels, False)


def _is_number(value: Any) -> bool:
    return (
        isinstance(value, (int, float, np.integer, np.floating))
        and not isinstance(value, bool)
        and math.isfinite(value)
    )


def _short(labels: Sequence[str], most: int = 18) -> list[str]:
    """Labels with their middle left out where they are long, still different from one another."""
    texts = [t if len(t) <= most else f"{t[: most - 8]}…{t[-7:]}" for t in labels]
    if len(set(texts)) < len(texts):
        texts = [f"{n}: {text}" for n, text in enumerate(texts, 1)]
    return texts
