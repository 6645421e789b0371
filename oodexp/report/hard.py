"""Hard samples against OOD samples as figures (Figures 9 and 10 of OODBench)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

BINS = 30


class Panel(NamedTuple):
    """A statistic and its law under the null hypothesis."""

    title: str
    """Of the panel."""
    label: str
    """Of the horizontal axis: the statistic."""
    draws: np.ndarray
    """The statistic under the null hypothesis, (resample,); may be empty."""
    observed: float
    """The statistic of the OOD samples; NaN when undefined."""
    p: float
    """Of the left tail, a fraction > 0; NaN when there is none."""
    reason: str | None = None
    """Why there is no p."""


def draw_losses(
    names: Sequence[str], hard: np.ndarray, ood: np.ndarray, correlations: Sequence[str] = ()
) -> Figure:
    """Accuracy lost on hard samples against that on OOD samples, a numbered mark a model.

    Args:
        names: Names of the models.
        hard: ID minus hard, fractions in [-1, 1], (model,); NaN is not drawn.
        ood: ID minus OOD, (model,).
        correlations: Lines about the correlation, written below the names.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.5, 4.5), layout="constrained")
    axes, key = figure.subplots(1, 2, width_ratios=[3, 2])
    x, y = 100 * np.asarray(hard, float), 100 * np.asarray(ood, float)
    _identity(axes, np.concatenate([x, y]))
    axes.scatter(x, y, s=110, facecolor="white", edgecolor="black", zorder=2)
    for number, at in enumerate(zip(x, y, strict=True), start=1):
        if not np.isnan(at).any():
            axes.annotate(str(number), at, ha="center", va="center", fontsize=7, zorder=3)
    axes.set(
        xlabel="accuracy lost on hard samples (points)",
        ylabel="accuracy lost on OOD samples (points)",
    )
    lines = [f"{n}  {name}" for n, name in enumerate(names, start=1)]
    text = "\n".join([*lines, "", *correlations]).rstrip()
    key.text(0, 1, text, va="top", fontsize=8, linespacing=1.5, transform=key.transAxes)
    key.set_axis_off()
    return figure


def _identity(axes: Axes, values: np.ndarray) -> None:
    """The line of equal losses, and limits of both axes that hold all values."""
    known = values[~np.isnan(values)]
    low, high = (known.min(), known.max()) if len(known) else (0.0, 1.0)
    margin = 0.1 * (high - low) or 1.0
    ends = (low - margin, high + margin)
    axes.plot(ends, ends, color="0.6", linestyle="--", linewidth=1, zorder=1, label="equal loss")
    axes.set(xlim=ends, ylim=ends, aspect="equal")
    axes.legend(loc="best", frameon=False, fontsize=8)


def draw_nulls(panels: Sequence[Panel]) -> Figure:
    """The law of each statistic under the null hypothesis with the observed value.

    Args:
        panels: Variance, Pearson's and Spearman's correlation, or other statistics.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(3.6 * len(panels), 3.4), layout="constrained")
    marks: dict[str, Line2D] = {}
    for axes, panel in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
        marks |= _null(axes, panel)
    if marks:
        figure.legend(
            list(marks.values()), list(marks),
            loc="outside lower center", ncols=2, frameon=False, fontsize=8,
        )  # fmt: skip
    return figure


def _null(axes: Axes, panel: Panel) -> dict[str, Line2D]:
    """Draws one panel; its lines by their names."""
    marks, known = {}, len(panel.draws) > 0
    if known:
        axes.hist(panel.draws, BINS, histtype="stepfilled", color="0.75", edgecolor="0.45")
        marks["5 % of the draws lie to the left"] = axes.axvline(
            float(np.quantile(panel.draws, 0.05)), color="0.3", linestyle=":", linewidth=1.4
        )
    if not np.isnan(panel.observed):
        marks["observed"] = axes.axvline(panel.observed, color="black", linewidth=1.8)
    verdict = f"no p: {panel.reason}" if np.isnan(panel.p) else f"p = {panel.p:.3g}"
    axes.set_title(f"{panel.title}\n{verdict}", fontsize=9, wrap=True)
    axes.set_xlabel(panel.label, fontsize=8)
    axes.set_ylabel("draws", fontsize=8)
    axes.tick_params(labelsize=7)
    axes.margins(x=0.06)
    if not known:
        axes.set_yticks([])
    if not marks:
        axes.set_xticks([])
    return marks
