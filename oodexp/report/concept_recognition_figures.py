"""Figures of recognition: by model and level, by year and category, by model and category.

After Figures 4, 5, C1 and C2 of OODConceptBench. Rates are fractions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from oodexp.error import OodexpError
from oodexp.report.axis import percent
from oodexp.report.lines import check_fractions, draw_panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LOOKS: tuple[dict[str, Any], dict[str, Any]] = (
    {"marker": "o", "markerfacecolor": "1.0", "markeredgecolor": "0.0"},
    {"marker": "s", "markerfacecolor": "0.0", "markeredgecolor": "0.0"},
)
"""The wide level is an open circle, the hard one a filled square."""
RANGES = ((0.0, 0.25, "0.88"), (0.25, 0.5, "0.93"), (0.5, 0.75, "0.97"), (0.75, 1.0, "1.0"))
"""Quarters of recognition with their ground: the lower, the darker."""


def draw_models(
    values: np.ndarray, lower: np.ndarray, upper: np.ndarray, names: Sequence[str],
    families: Sequence[str], levels: tuple[str, str], marked: Sequence[int] = (),
) -> Figure:  # fmt: skip
    """A row a model with its recognition on both levels, grouped by family (Figure 4).

    Args:
        values: Rates in [0, 1], (model, level); NaN where undefined.
        lower: Lower ends of the intervals, of the same shape; NaN without one.
        upper: Upper ends.
        names: Of the models.
        families: Family of each model; families stand in the order of their first model.
        levels: The wide and the hard level.
        marked: Rows with a star: the model that built the benchmark.

    Raises:
        OodexpError: If there is no model, shapes differ, or values are no fractions.
    """
    from matplotlib.figure import Figure

    if not len(names) or len(families) != len(names):
        raise OodexpError(
            f"{len(names)} models, {len(families)} families: expected one family for each of at "
            "least one model"
        )
    check_fractions("models", (values, lower, upper), (len(names), 2))
    order = sorted(range(len(names)), key=lambda n: (families.index(families[n]), n))
    heads = len(set(families))
    size = (6.4, 1.3 + 0.24 * (len(names) + heads))
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.add_subplot()
    places = _rows(axes, order, names, families, marked)
    ends = [np.asarray(a, dtype=np.float64) for a in (values, lower, upper)]
    for row, n in places.items():
        _model(axes, row, *(end[n] for end in ends))
    axes.set(xlim=(0, 1), xlabel="recognised images")
    percent(axes.xaxis)
    axes.grid(axis="x", color="0.9", linewidth=0.6)
    axes.set_axisbelow(True)
    _legend(figure, levels, bool(len(marked)))
    return figure


def draw_years(
    panels: Mapping[str, tuple[np.ndarray, np.ndarray, np.ndarray]], years: Sequence[str],
    levels: Sequence[str],
) -> Figure:  # fmt: skip
    """Mean recognition by release year, a panel for all and for each category (Figure 5).

    Args:
        panels: Rates in [0, 1] and the ends of their intervals, each (level, year), by title.
        years: Text below each group, such as `2021 (n = 5)` with a line break.
        levels: Of the lines.

    Raises:
        OodexpError: As `lines.draw_panels`.
    """
    figure = draw_panels(
        panels, years, levels, ylabel="recognised images", xlabel="release year", columns=4
    )
    for axes in figure.axes:
        axes.set_ylim(0, 1)
        for low, high, shade in RANGES:
            axes.axhspan(low, high, color=shade, zorder=0, linewidth=0)
    return figure


def draw_matrix(
    values: np.ndarray, names: Sequence[str], categories: Sequence[str], title: str
) -> Figure:
    """Recognition by model and category as a table of greys, the lower the darker (C1, C2).

    Args:
        values: Rates in [0, 1], (model, category); NaN where undefined.
        names: Of the models.
        categories: Of the columns.
        title: Of the figure.

    Raises:
        OodexpError: If the shape differs, or values are no fractions.
    """
    from matplotlib.figure import Figure

    check_fractions(title, (values, values, values), (len(names), len(categories)))
    wide = 2.2 + 0.75 * len(categories)
    figure = Figure(figsize=(wide, 1.6 + 0.3 * len(names)), layout="constrained")
    axes = figure.add_subplot()
    shades = np.ma.masked_invalid(np.asarray(values, dtype=np.float64))
    axes.imshow(shades, cmap="gray", vmin=-0.15, vmax=1, aspect="auto")
    for (row, column), value in np.ndenumerate(shades.filled(np.nan)):
        known = np.isfinite(value)
        axes.text(
            column, row, f"{100 * value:.1f}" if known else "-", ha="center", va="center",
            size="small", color="1.0" if known and value < 0.42 else "0.0",
        )  # fmt: skip
    axes.set_xticks(
        range(len(categories)), list(categories), rotation=30, ha="right", rotation_mode="anchor"
    )
    axes.set_yticks(range(len(names)), list(names))
    axes.set_title(f"{title}: recognised images in %")
    return figure


def _rows(
    axes: Axes, order: Sequence[int], names: Sequence[str], families: Sequence[str],
    marked: Sequence[int],
) -> dict[int, int]:  # fmt: skip
    """Names models and families on the axis; the model of each row."""
    places: dict[int, int] = {}
    labels: list[str] = []
    for n in order:
        if not places or families[n] != families[places[len(labels) - 1]]:
            labels.append(families[n])
        places[len(labels)] = n
        labels.append(("* " if n in marked else "") + names[n])
    axes.set_yticks(range(len(labels)), labels)
    for row, text in enumerate(axes.get_yticklabels()):
        if row not in places:
            text.set_fontweight("bold")
            axes.axhline(row - 0.5, color="0.6", linewidth=0.6)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    return places


def _model(axes: Axes, row: int, values: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> None:
    if not np.isfinite(values).any():
        axes.text(0.01, row, "no value is defined", va="center", size="small")
        return
    axes.plot(values, [row, row], color="0.6", linewidth=1.5, zorder=1)
    for level, style in enumerate(LOOKS):
        if np.isfinite([lower[level], upper[level]]).all():
            axes.plot([lower[level], upper[level]], [row, row], color="0.0", linewidth=3.2,
                      solid_capstyle="butt", alpha=0.45, zorder=2, label="_interval")  # fmt: skip
        axes.plot(values[level], row, linestyle="none", markersize=5.5, zorder=3, **style)


def _legend(figure: Figure, levels: tuple[str, str], marked: bool) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], linestyle="none", label=level, **style)
        for level, style in zip(levels, LOOKS, strict=True)
    ]
    handles.append(Line2D([], [], color="0.0", alpha=0.45, linewidth=3.2, label="95 %"))
    if marked:
        handles.append(Line2D([], [], linestyle="none", label="* built the benchmark"))
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False)
