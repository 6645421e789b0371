"""Figures of building a concept benchmark: its composition, and scores with their thresholds.

After Figures 3 and A1 of OODConceptBench.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from oodexp.error import OodexpError
from oodexp.report.axis import percent
from oodexp.report.bars import Fill, look
from oodexp.report.lines import DASHES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEVEL_FILLS = (
    Fill("1.0", "", "0.0"), Fill("0.8", "", "0.0"), Fill("0.5", "", "0.0"), Fill("0.2", "", "0.0"),
)  # fmt: skip
"""Levels nest: the further in, the darker."""
WAY_FILLS = (
    Fill("0.95", "///", "0.35"), Fill("0.6", "...", "0.0"), Fill("0.3", "\\\\\\", "0.95"),
    Fill("1.0", "xxx", "0.5"), Fill("0.8", "", "0.0"),
)  # fmt: skip
"""Ways of acquisition are told by hatching, so that they are not taken for levels."""
BINS = 40
KEPT = "0.93"
"""Ground of the side of a threshold that is kept."""


class Distribution(NamedTuple):
    """A score and the threshold that cuts it."""

    title: str
    """Of the panel, e.g. `rule 1`."""
    label: str
    """Of the horizontal axis: the score."""
    groups: Mapping[str, np.ndarray]
    """The score of each image, (image,), by group; what is not finite is left out and counted."""
    threshold: float
    """The cut-off, in units of the score; NaN when there is none."""
    name: str
    """Of the threshold, e.g. `T1`."""
    keeps: Literal["above", "below"]
    """Which side of the threshold is kept."""


def draw_composition(
    images: np.ndarray, concepts: np.ndarray, categories: Sequence[str], ways: Sequence[str],
    levels: Sequence[str],
) -> Figure:  # fmt: skip
    """Images by category and level, by way of acquisition, and concepts with an image (Figure 3).

    Args:
        images: Number of images, (category, way, level), >= 0.
        concepts: Number of phrases with at least one image, (category, level).
        categories: Names of the categories, from the top down.
        ways: Names of the ways of acquisition.
        levels: Names of the levels, the widest first.

    Raises:
        OodexpError: If the shapes do not fit the names, or there are more levels or ways than can
            be told apart.
    """
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    images, concepts = np.asarray(images), np.asarray(concepts)
    _check_shapes(images, concepts, categories, ways, levels)
    height = 1.5 + len(categories) * (0.12 + 0.17 * len(levels))
    figure = Figure(figsize=(10.5, height), layout=ConstrainedLayoutEngine(wspace=0.04))
    first, second, third = figure.subplots(1, 3, sharey=True, width_ratios=[4, 3, 3])
    _grouped(first, images.sum(axis=1), levels)
    first.set(title="(a) images", xlabel="images")
    _stacked(second, images, ways)
    second.set(title="(b) how they were acquired", xlabel="share of the images", xlim=(0, 1))
    second.set_xticks([0, 0.5, 1])
    percent(second.xaxis)
    _grouped(third, concepts, levels)
    third.set(title="(c) concepts with an image", xlabel="concepts")
    first.set_yticks(range(len(categories)), list(categories))
    first.set_ylim(len(categories) - 0.45, -0.55)
    _legend(figure, levels, ways)
    return figure


def draw_scores(panels: Sequence[Distribution]) -> Figure:
    """A histogram of each score with its threshold; the side that is kept is grey (Figure A1).

    Args:
        panels: The scores, side by side.

    Raises:
        OodexpError: If there is no panel, or a panel has more groups than can be told apart.
    """
    from matplotlib.figure import Figure

    if not panels:
        raise OodexpError("no score to draw: give at least one distribution")
    figure = Figure(figsize=(3.9 * len(panels), 3.6), layout="constrained")
    for axes, panel in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
        _distribution(axes, panel)
    return figure


def _check_shapes(
    images: np.ndarray, concepts: np.ndarray, categories: Sequence[str], ways: Sequence[str],
    levels: Sequence[str],
) -> None:  # fmt: skip
    wanted = (len(categories), len(ways), len(levels))
    if images.shape != wanted or concepts.shape != (wanted[0], wanted[2]) or not images.size:
        raise OodexpError(
            f"images {images.shape} and concepts {concepts.shape}: expected {wanted} and "
            f"{(wanted[0], wanted[2])}, none empty: (category, way, level) and (category, level)"
        )
    if len(levels) > len(LEVEL_FILLS) or len(ways) > len(WAY_FILLS):
        raise OodexpError(
            f"{len(levels)} levels and {len(ways)} ways of acquisition: at most {len(LEVEL_FILLS)} "
            f"and {len(WAY_FILLS)} can be told apart in grey; merge the rare ones"
        )


def _places(categories: int, levels: int) -> tuple[np.ndarray, float]:
    """Heights of the bars, (category, level), and how thick a bar is."""
    thick = 0.84 / levels
    return np.arange(categories)[:, None] + (np.arange(levels) - (levels - 1) / 2) * thick, thick


def _grouped(axes: Axes, values: np.ndarray, levels: Sequence[str]) -> None:
    at, thick = _places(*values.shape)
    for n, level in enumerate(levels):
        bars = axes.barh(at[:, n], values[:, n], thick, label=level, **look(LEVEL_FILLS[n]))
        axes.bar_label(bars, [f"{v:,}" for v in values[:, n]], padding=2, size="x-small")
    axes.set_xlim(0, 1.2 * max(float(values.max()), 1))
    axes.locator_params(axis="x", nbins=4)
    axes.xaxis.set_major_formatter("{x:,.0f}")


def _stacked(axes: Axes, images: np.ndarray, ways: Sequence[str]) -> None:
    """Shares by way of acquisition, a bar a level, in the order of the bars beside it."""
    at, thick = _places(images.shape[0], images.shape[2])
    total = images.sum(axis=1)
    left = np.zeros(total.shape)
    for n, way in enumerate(ways):
        share = np.divide(images[:, n], total, out=np.zeros(total.shape), where=total > 0)
        axes.barh(
            at.ravel(), share.ravel(), thick, left=left.ravel(), label=way, **look(WAY_FILLS[n])
        )
        left = left + share
    for place in at[total == 0]:
        axes.text(0.02, place, "no image", va="center", size="x-small")


def _legend(figure: Figure, levels: Sequence[str], ways: Sequence[str]) -> None:
    from matplotlib.patches import Patch

    named = [*zip(levels, LEVEL_FILLS, strict=False), *zip(ways, WAY_FILLS, strict=False)]
    figure.legend(
        handles=[Patch(label=name, **look(fill)) for name, fill in named],
        loc="outside lower center", ncols=len(named), frameon=False,
    )  # fmt: skip


def _distribution(axes: Axes, panel: Distribution) -> None:
    if len(panel.groups) > len(DASHES):
        raise OodexpError(
            f"panel {panel.title!r}: {len(panel.groups)} groups, at most {len(DASHES)} can be told "
            "apart; draw the others in a panel of their own"
        )
    known = {n: np.asarray(v)[np.isfinite(v)] for n, v in panel.groups.items()}
    everything = np.concatenate([*known.values(), np.zeros(0)])
    axes.set(title=panel.title, xlabel=panel.label)
    if not len(everything):
        axes.text(0.5, 0.5, "no score", transform=axes.transAxes, ha="center")
        return
    edges = np.histogram_bin_edges(everything, BINS)
    for n, (name, values) in enumerate(known.items()):
        lost = len(panel.groups[name]) - len(values)
        label = f"{name} (n = {len(values):,}" + (f", {lost:,} without)" if lost else ")")
        if len(values):
            axes.stairs(
                np.histogram(values, edges, density=True)[0], edges, color="0.0", linewidth=1.3,
                linestyle=DASHES[n], label=label,
            )  # fmt: skip
        else:
            axes.plot([], [], " ", label=label)
    axes.set_ylim(0, 1.12 * axes.dataLim.y1)
    _cut(axes, panel)
    axes.set_ylabel("density")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), frameon=False, fontsize="small")


def _cut(axes: Axes, panel: Distribution) -> None:
    """The threshold, and the side of it that is kept."""
    if np.isnan(panel.threshold):
        return
    low, high = axes.dataLim.x0, axes.dataLim.x1
    room = 0.08 * (max(high, panel.threshold) - min(low, panel.threshold)) or 0.5
    axes.set_xlim(min(low, panel.threshold) - room, max(high, panel.threshold) + room)
    ends = axes.get_xlim()
    side = (panel.threshold, ends[1]) if panel.keeps == "above" else (ends[0], panel.threshold)
    axes.axvspan(*side, color=KEPT, zorder=0)
    axes.axvline(panel.threshold, color="0.0", linewidth=1.8, zorder=3)
    right = panel.threshold < sum(ends) / 2
    axes.annotate(
        f"{panel.name} = {panel.threshold:.4f}", (panel.threshold, 1), (5 if right else -5, -4),
        xycoords=("data", "axes fraction"), textcoords="offset points", va="top",
        ha="left" if right else "right", size="small",
        bbox={"facecolor": "1.0", "edgecolor": "none", "pad": 1},
    )  # fmt: skip
