"""A map of image features in two dimensions by level and way of acquisition (Figure D2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from oodexp.error import OodexpError
from oodexp.report.lines import MARKERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHADES = ("0.75", "0.15", "0.45")
"""Fill of the marks of each level."""
MARK, CENTROID = 3.6, 13.0
"""Sizes of a mark and of a centroid in points."""


def draw_embedding(
    points: np.ndarray, level: np.ndarray, way: np.ndarray, levels: Sequence[str],
    ways: Sequence[str], note: str,
) -> Figure:  # fmt: skip
    """Grey tells the level, the marker the way of acquisition; open marks are centroids.

    Args:
        points: Coordinates, (image, 2); NaN is not drawn.
        level: Code of each image's level, 0 ... `len(levels)` - 1, (image,).
        way: Code of its way of acquisition, (image,).
        levels: Names of the levels; each image stands under one of them.
        ways: Names of the ways.
        note: How the map was made: method, perplexity, seed, features.

    Raises:
        OodexpError: If shapes or codes do not fit, or there are more levels or ways than can be
            told apart.
    """
    from matplotlib.figure import Figure

    points = np.asarray(points, dtype=np.float64)
    _check(points, level, way, levels, ways)
    figure = Figure(figsize=(6.4, 5.8), layout="constrained")
    axes = figure.add_subplot()
    groups = [(a, b) for a in range(len(levels)) for b in range(len(ways))]
    known = np.isfinite(points).all(axis=1)
    for a, b in groups:
        mine = points[known & (level == a) & (way == b)]
        _marks(axes, mine, a, b, f"{levels[a]}, {ways[b]} (n = {len(mine):,})")
    for a, b in groups:
        mine = points[known & (level == a) & (way == b)]
        if len(mine):
            _centroid(axes, mine.mean(axis=0), a, b, levels[a])
    if not known.any():
        axes.text(0.5, 0.5, "no image to draw", transform=axes.transAxes, ha="center")
    axes.set_xticks([])
    axes.set_yticks([])
    axes.set_xlabel(note, fontsize="small", wrap=True)
    figure.legend(loc="outside lower center", ncols=2, frameon=False, title="open mark: centroid",
                  markerscale=2)  # fmt: skip
    return figure


def _check(
    points: np.ndarray, level: np.ndarray, way: np.ndarray, levels: Sequence[str],
    ways: Sequence[str],
) -> None:  # fmt: skip
    n = len(points)
    if points.shape != (n, 2) or np.shape(level) != (n,) or np.shape(way) != (n,):
        raise OodexpError(
            f"points {points.shape}, levels {np.shape(level)}, ways {np.shape(way)}: expected "
            "(image, 2), (image,), (image,) of the same images"
        )
    for name, codes, names in (("level", level, levels), ("way", way, ways)):
        if n and not (np.min(codes) >= 0 and np.max(codes) < len(names)):
            raise OodexpError(
                f"{name} codes {np.min(codes)} ... {np.max(codes)}: expected 0 ... {len(names) - 1}"
            )
    if len(levels) > len(SHADES) or len(ways) > len(MARKERS):
        raise OodexpError(
            f"{len(levels)} levels and {len(ways)} ways of acquisition: at most {len(SHADES)} and "
            f"{len(MARKERS)} can be told apart in grey"
        )


def _marks(axes: Axes, at: np.ndarray, level: int, way: int, label: str) -> None:
    axes.plot(
        *at.T, linestyle="none", marker=_marker(way), markersize=MARK, label=label,
        markerfacecolor=SHADES[level], markeredgecolor="0.2", markeredgewidth=0.3, zorder=2,
    )  # fmt: skip


def _centroid(axes: Axes, at: np.ndarray, level: int, way: int, name: str) -> None:
    """An open mark with a white rim, to be seen on dark marks."""
    # The ring of a light level is thin, that of a dark one thick.
    inner = 1.4 + 1.4 * level
    for width, colour in ((inner + 3, "1.0"), (inner, "0.0")):
        axes.plot(
            *at, linestyle="none", marker=_marker(way), markersize=CENTROID,
            markerfacecolor="none", markeredgecolor=colour, markeredgewidth=width, zorder=3,
            label="_centroid",
        )  # fmt: skip
    axes.annotate(
        name, (float(at[0]), float(at[1])), (0, 11), textcoords="offset points", ha="center",
        size="small", zorder=4, bbox={"facecolor": "1.0", "edgecolor": "none", "pad": 0.8},
    )  # fmt: skip


def _marker(way: int) -> str:
    # A circle and a triangle differ more than a circle and a square where marks are small.
    return (MARKERS[0], MARKERS[2], MARKERS[1], *MARKERS[3:])[way]
