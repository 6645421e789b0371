"""How much models lose from ID to OOD: violins and intervals (OODBench, Figures 7 and 8).

A panel a metric, a row a model. Open models are light, closed ones dark; the band of the open
models is a grey strip between dashed lines. All values are fractions, T_ID - T_OOD or differences
of these; a row without values says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

OPEN, CLOSED, NULL = "0.85", "0.55", "0.9"
"""Fill of a violin: of an open model, of a closed one, of a null distribution."""

STRIP = "0.94"
"""Fill of a band or margin."""

LOSS = "loss from ID to OOD"


def draw_degradation(
    draws: np.ndarray, values: np.ndarray, lower: np.ndarray, upper: np.ndarray,
    band: tuple[np.ndarray, np.ndarray], names: Sequence[str], metrics: Sequence[str],
    closed: Sequence[int] = (),
) -> Figure:  # fmt: skip
    """Bootstrap draws of the loss by model and metric, with the band of the open models.

    Args:
        draws: Loss in each resample, (resample, model, metric); NaN is left out.
        values: Loss, (model, metric).
        lower: Lower ends of the 95 % intervals, (model, metric).
        upper: Upper ends.
        band: Ends of the band of each metric, each (metric,).
        names: Names of the models.
        metrics: Names of the metrics.
        closed: Rows of the closed models.
    """
    figure, panels = _panels(names, metrics, f"{LOSS}; violin: resamples, bar: 95 %")
    for k, axes in enumerate(panels):
        _strip(axes, band[0][k], band[1][k])
        for m in range(len(names)):
            _violin(axes, draws[:, m, k], m, CLOSED if m in closed else OPEN)
            _bar(axes, values[m, k], lower[m, k], upper[m, k], m, "s" if m in closed else "o")
    _legend(figure, [("band of the open models", STRIP), ("open", OPEN), ("closed", CLOSED)])
    return figure


def draw_intervals(
    values: np.ndarray, lower: np.ndarray, upper: np.ndarray,
    band: tuple[np.ndarray, np.ndarray], names: Sequence[str], metrics: Sequence[str],
) -> Figure:  # fmt: skip
    """The loss of closed models with 95 % intervals, beside the bands of the open ones.

    Args:
        values: Loss of the closed models, (model, metric).
        lower: Lower ends of the intervals, (model, metric).
        upper: Upper ends.
        band: Ends of the band of each metric, each (metric,).
        names: Names of the closed models.
        metrics: Names of the metrics.
    """
    figure, panels = _panels(names, metrics, f"{LOSS}; bar: 95 %")
    for k, axes in enumerate(panels):
        _strip(axes, band[0][k], band[1][k])
        for m in range(len(names)):
            _bar(axes, values[m, k], lower[m, k], upper[m, k], m, "s")
    _legend(figure, [("band of the open models", STRIP)])
    return figure


def draw_null(
    draws: np.ndarray, values: np.ndarray, p: np.ndarray, names: Sequence[str],
    metrics: Sequence[str],
) -> Figure:  # fmt: skip
    """What the loss would be if labels meant nothing, and what it is (Figure 7).

    Args:
        draws: Loss under the permuted labels, (permutation, model, metric); NaN is left out.
        values: Observed loss, (model, metric).
        p: One-sided p, (model, metric); printed as "<=" where no permutation can give less.
        names: Names of the closed models.
        metrics: Names of the metrics.
    """
    figure, panels = _panels(names, metrics, f"{LOSS}; violin: labels permuted, diamond: observed")
    floor = 1 / (len(draws) + 1)
    for k, axes in enumerate(panels):
        for m in range(len(names)):
            _violin(axes, draws[:, m, k], m, NULL)
            axes.plot(values[m, k], m, "D", color="0.0", markersize=5)
            least = p[m, k] <= floor * (1 + 1e-9)
            told = f"p ≤ {floor:.2g}" if least else f"p = {p[m, k]:.2g}"
            _note(axes, m, told if np.isfinite(p[m, k]) else "no test")
        axes.margins(x=0.1)
    return figure


def draw_equivalence(
    draws: np.ndarray, values: np.ndarray, lower: np.ndarray, upper: np.ndarray, eta: np.ndarray,
    names: Sequence[str], metrics: Sequence[str],
) -> Figure:  # fmt: skip
    """The loss of closed models less that of the open ones, in the margins (Figure 8).

    Args:
        draws: Difference in each resample, (resample, model, metric); NaN is left out.
        values: Difference, (model, metric).
        lower: Lower ends of the 90 % intervals, (model, metric).
        upper: Upper ends.
        eta: Half width of the margin of each metric, (metric,).
        names: Names of the closed models.
        metrics: Names of the metrics.
    """
    title = (
        "loss of the model less mean loss of the open models; violin: resamples, "
        "bar: 90 %, circle: inside the margin, cross: not"
    )
    figure, panels = _panels(names, metrics, title)
    for k, axes in enumerate(panels):
        _strip(axes, -eta[k], eta[k])
        for m in range(len(names)):
            _violin(axes, draws[:, m, k], m, OPEN)
            inside = -eta[k] < lower[m, k] and upper[m, k] < eta[k]
            _bar(axes, values[m, k], lower[m, k], upper[m, k], m, "o" if inside else "x")
    _legend(figure, [("margin ±η", STRIP)])
    return figure


def _panels(
    names: Sequence[str], metrics: Sequence[str], title: str
) -> tuple[Figure, Sequence[Axes]]:
    from matplotlib.figure import Figure

    size = (1.6 + 1.9 * len(metrics), 1.5 + 0.42 * max(2, len(names)))
    figure = Figure(figsize=size, layout="constrained")
    panels: Sequence[Axes] = figure.subplots(1, len(metrics), sharey=True, squeeze=False)[0]
    for axes, metric in zip(panels, metrics, strict=True):
        axes.axvline(0, color="0.0", linewidth=0.8)
        axes.set_title({"f1": "F1", "mcc": "MCC"}.get(metric, metric), fontsize=9)
        axes.tick_params(labelsize=8)
        axes.locator_params(axis="x", nbins=4)
    panels[0].set_yticks(range(len(names)), names)
    panels[0].set_ylim(len(names) - 0.4, -0.6)  # the first model on top
    figure.supxlabel(title, fontsize=9)
    return figure, panels


def _strip(axes: Axes, lower: float, upper: float) -> None:
    if np.isfinite([lower, upper]).all():
        axes.axvspan(lower, upper, color=STRIP, zorder=0)
        for end in (lower, upper):
            axes.axvline(end, color="0.4", linewidth=0.8, linestyle="--", zorder=1)


def _violin(axes: Axes, draws: np.ndarray, row: int, shade: str) -> None:
    kept = draws[np.isfinite(draws)]
    # A density needs some spread: without it the value's mark says all.
    if len(kept) < 2 or np.ptp(kept) < 1e-12:
        return
    drawn = axes.violinplot(kept, [row], orientation="horizontal", widths=0.8, showextrema=False)
    for body in drawn["bodies"]:  # type: ignore[attr-defined]
        body.set(facecolor=shade, edgecolor="0.2", linewidth=0.6, alpha=1, zorder=2)


def _bar(axes: Axes, value: float, lower: float, upper: float, row: int, mark: str) -> None:
    if not np.isfinite(value):
        axes.text(0.5, row, "no value", transform=axes.get_yaxis_transform(), ha="center",
                  va="center", fontsize=7)  # fmt: skip
        return
    if np.isfinite([lower, upper]).all():
        axes.plot([lower, upper], [row, row], color="0.0", linewidth=1.5, zorder=3)
    axes.plot(value, row, mark, color="0.0", markersize=4, zorder=4)


def _note(axes: Axes, row: int, told: str) -> None:
    """Words at the right end of a row, above its middle."""
    axes.text(
        0.98, row - 0.28, told, transform=axes.get_yaxis_transform(), ha="right", va="center",
        fontsize=7, zorder=5, bbox={"facecolor": "1.0", "edgecolor": "none", "pad": 0.8},
    )  # fmt: skip


def _legend(figure: Figure, entries: Sequence[tuple[str, str]]) -> None:
    from matplotlib.patches import Patch

    handles = [Patch(facecolor=shade, edgecolor="0.2", label=name) for name, shade in entries]
    figure.legend(handles=handles, loc="outside upper right", ncols=len(handles), fontsize=8,
                  frameon=False)  # fmt: skip
