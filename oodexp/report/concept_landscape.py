"""The concept landscape: concepts about a centre, those recognised less further out.

After Figures 2 and C3 of OODConceptBench. Categories are told by marker and grey; labels stand
where they cover neither a mark nor one another, the least and the best recognised first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from oodexp.error import OodexpError
from oodexp.report.axis import legend_columns
from oodexp.report.lines import MARKERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.backend_bases import RendererBase
    from matplotlib.figure import Figure
    from matplotlib.text import Annotation
    from matplotlib.transforms import Bbox

SHADES = ("1.0", "0.35", "0.7")
"""Fill of the marks; with `lines.MARKERS` 30 categories differ."""
RINGS = (0.25, 0.5, 0.75, 1.0)
"""Radii of the rings: 1 minus the recognition that stands on them."""
SIDE = 5.7
"""Width and height of a landscape in inches."""
EDGE = 1.07
"""Half the width of a landscape in units of the radius."""
MARK = 6.0
"""Size of a mark in points."""
LONGEST = 26
"""Signs of a label."""
TURNS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
"""Where a label may stand beside its mark: right, left, above, below, aslant."""


class Panel(NamedTuple):
    """Where the concepts stand for one group of models."""

    title: str
    """Of the panel, e.g. `2021 (n = 5)`."""
    points: np.ndarray
    """Coordinates, (concept, 2), no further than 1 from the centre; NaN is not drawn."""
    rates: np.ndarray
    """Mean recognition, a fraction, (concept,); it decides which concepts are named first."""


def draw_landscapes(
    panels: Sequence[Panel], phrases: Sequence[str], categories: Sequence[str], most: int = 30
) -> Figure:
    """One landscape a group of models, with the same marks.

    Args:
        panels: The groups, side by side; all of the same concepts.
        phrases: Of the concepts.
        categories: Category of each concept.
        most: Labels of a landscape; 0 for none.

    Raises:
        OodexpError: If there is nothing to draw, shapes do not fit, a point lies outside of the
            landscape, or there are more categories than can be told apart.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    _check(panels, phrases, categories)
    styles = _styles(categories)
    width = SIDE * len(panels)
    columns = legend_columns(list(styles), width)
    foot = 0.35 + 0.24 * math.ceil(len(styles) / columns)
    figure = Figure(figsize=(width, SIDE + 0.35 + foot))
    # Fixed places: a layout that moves after the labels were placed would let them collide.
    for n, panel in enumerate(panels):
        height = figure.get_figheight()
        axes = figure.add_axes((n / len(panels), foot / height, 1 / len(panels), SIDE / height))
        _rings(axes, panel.points)
        _marks(axes, panel, categories, styles)
        axes.set_title(_titled(panel))
    canvas: Any = FigureCanvasAgg(figure)  # its methods have no types
    renderer = canvas.get_renderer()
    for axes, panel in zip(figure.axes, panels, strict=True):
        _labels(axes, renderer, panel, phrases, most)
    figure.legend(
        *figure.axes[0].get_legend_handles_labels(), loc="lower center", ncols=columns,
        frameon=False,
    )  # fmt: skip
    return figure


def _check(panels: Sequence[Panel], phrases: Sequence[str], categories: Sequence[str]) -> None:
    if not panels or not phrases or len(categories) != len(phrases):
        raise OodexpError(
            f"{len(panels)} landscapes, {len(phrases)} phrases, {len(categories)} categories: "
            "expected at least one landscape and one concept, and a category for each concept"
        )
    if len(set(categories)) > len(MARKERS) * len(SHADES):
        raise OodexpError(
            f"{len(set(categories))} categories: at most {len(MARKERS) * len(SHADES)} can be told "
            "apart; draw fewer in one figure"
        )
    for panel in panels:
        shapes = (np.shape(panel.points), np.shape(panel.rates))
        if shapes != ((len(phrases), 2), (len(phrases),)):
            raise OodexpError(
                f"landscape {panel.title!r}: points and rates have the shapes {shapes}, expected "
                f"{((len(phrases), 2), (len(phrases),))}: one for each concept"
            )
        furthest = np.nanmax(np.hypot(*np.transpose(panel.points)), initial=0.0)
        if furthest > 1 + 1e-6:
            raise OodexpError(
                f"landscape {panel.title!r}: a concept lies {furthest:g} from the centre, expected "
                "at most 1; give 1 minus the rate, a fraction, as the radius"
            )


def _styles(categories: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Marker and fill of each category."""
    return {
        category: {"marker": MARKERS[n % len(MARKERS)], "markerfacecolor": SHADES[n % len(SHADES)]}
        for n, category in enumerate(dict.fromkeys(categories))
    }


def _titled(panel: Panel) -> str:
    lost = int((~np.isfinite(panel.points).all(axis=1)).sum())
    return panel.title + (f"; {lost} without a rate" if lost else "")


def _rings(axes: Axes, points: np.ndarray) -> None:
    """Rings with the recognition that stands on them, written where the fewest marks are near."""
    from matplotlib.patches import Circle

    axes.set(xlim=(-EDGE, EDGE), ylim=(-EDGE, EDGE), aspect="equal")
    axes.set_axis_off()
    turns = 2 * np.pi * np.arange(72) / 72
    ways = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    known = points[np.isfinite(points).all(axis=1)]
    places = ways[:, None, None] * np.array(RINGS)[:, None, None]
    room = np.linalg.norm(places - known, axis=-1).min(axis=(1, 2), initial=2.0)
    x, y = ways[int(room.argmax())]
    for radius in RINGS:
        axes.add_patch(Circle((0, 0), radius, fill=False, edgecolor="0.75", linewidth=0.7))
        axes.text(
            radius * x, radius * y, f"{100 * (1 - radius):g} %", ha="center", va="center",
            size="x-small", color="0.35", zorder=1,
            bbox={"facecolor": "1.0", "edgecolor": "none", "pad": 1},
        )  # fmt: skip


def _marks(
    axes: Axes, panel: Panel, categories: Sequence[str], styles: dict[str, dict[str, Any]]
) -> None:
    names = np.asarray(categories)
    for category, style in styles.items():
        x, y = panel.points[names == category].T
        axes.plot(
            x, y, linestyle="none", label=category, markersize=MARK, markeredgecolor="0.0",
            markeredgewidth=0.7, zorder=2, **style,
        )  # fmt: skip


def _labels(
    axes: Axes, renderer: RendererBase, panel: Panel, phrases: Sequence[str], most: int
) -> None:
    """Names concepts from both ends of recognition while there is room."""
    known = np.isfinite(panel.points).all(axis=1)
    centres = axes.transData.transform(panel.points[known])
    # Half of the widest mark, a square on its edge with its rim, in pixels.
    half = (MARK / math.sqrt(2) + 1) * axes.get_figure(root=True).dpi / 72  # type: ignore[union-attr]
    taken = np.hstack([centres - half, centres + half])
    rings = [text.get_window_extent(renderer).extents for text in axes.texts]
    taken = np.vstack([taken, np.reshape(rings, (-1, 4))])
    placed = 0
    for n in _from_both_ends(np.where(known, panel.rates, np.nan)):
        if placed == most:
            return
        box = _place(axes, renderer, _short(phrases[n]), panel.points[n], taken)
        if box is not None:
            taken = np.vstack([taken, box])
            placed += 1


def _place(
    axes: Axes, renderer: RendererBase, text: str, at: np.ndarray, taken: np.ndarray
) -> np.ndarray | None:
    """Writes a label where it is free; the box that it takes, or None where it is not."""
    label: Annotation = axes.annotate(
        text, (float(at[0]), float(at[1])), (0, 0), textcoords="offset points", size=6.5, zorder=3
    )
    for right, up in TURNS:
        reach = MARK / math.sqrt(2) + 1.5
        label.set_position((right * reach, up * reach))
        label.set_horizontalalignment({1: "left", -1: "right", 0: "center"}[right])  # type: ignore[arg-type]
        label.set_verticalalignment({1: "bottom", -1: "top", 0: "center"}[up])  # type: ignore[arg-type]
        box = label.get_window_extent(renderer)
        if _free(box, axes.get_window_extent(renderer), taken):
            return np.asarray(box.extents)
    label.remove()
    return None


def _free(box: Bbox, inside: Bbox, taken: np.ndarray) -> bool:
    left, bottom, right, top = box.extents
    if left < inside.x0 or bottom < inside.y0 or right > inside.x1 or top > inside.y1:
        return False
    apart = (
        (taken[:, 0] > right) | (taken[:, 2] < left) | (taken[:, 1] > top) | (taken[:, 3] < bottom)
    )
    return bool(apart.all())


def _from_both_ends(rates: np.ndarray) -> Iterator[int]:
    """Concepts by rate: the lowest, the highest, the next lowest; NaN is left out."""
    order = [int(n) for n in np.argsort(rates, kind="stable") if np.isfinite(rates[n])]
    for n in range(len(order)):
        yield order[n // 2] if n % 2 == 0 else order[-1 - n // 2]


def _short(phrase: str) -> str:
    return phrase if len(phrase) <= LONGEST else f"{phrase[: LONGEST - 1]}…"
