"""The growth curve: processor time and peak memory over the number of questions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DARK, LIGHT = "0.15", "0.55"


def draw(rows: Mapping[str, float], path: Path) -> None:
    """Draws the curve; it can be read in grey.

    Args:
        rows: Figures of `growth`.
        path: A .svg or .png file.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    named = {"wall_seconds", "cpu_seconds", "peak_gb"}
    sizes = sorted({int(name.rpartition("_")[2]) for name in rows if _what(name) in named})
    mpl.rcParams["svg.hashsalt"] = "oodexp"
    figure = Figure((8, 3.4), layout="constrained")
    time, memory = figure.subplots(1, 2)
    _line(time, sizes, [rows[f"wall_seconds_{n}"] for n in sizes], "o-", DARK, "wall clock")
    _line(time, sizes, [rows[f"cpu_seconds_{n}"] for n in sizes], "s--", LIGHT, "processor")
    steep = [rows[f"cpu_seconds_{sizes[-1]}"] * n / sizes[-1] for n in sizes]
    time.plot(sizes, steep, ":", color=DARK, linewidth=1, label="as steep as the questions")
    time.set(xscale="log", yscale="log", ylabel="seconds")
    _line(memory, sizes, [rows[f"peak_gb_{n}"] for n in sizes], "o-", DARK, "peak, all processes")
    if len(sizes) > 1:
        most = 1.5 * rows[f"peak_gb_{sizes[-2]}"]
        memory.plot(sizes[-2:], [most, most], ":", color=DARK, label=f"1.5 x that at {sizes[-2]:,}")
    memory.set(xscale="log", ylabel="GB")
    memory.set_ylim(0, 1.25 * max(rows[f"peak_gb_{n}"] for n in sizes))
    for axes in (time, memory):
        axes.set_xlabel("questions")
        axes.legend(frameon=False, fontsize=8)
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None, dpi=150)


def _what(name: str) -> str:
    return name.rpartition("_")[0] if name.rpartition("_")[2].isdecimal() else ""


def _line(
    axes: Axes, sizes: list[int], values: list[float], style: str, shade: str, label: str
) -> None:
    axes.plot(sizes, values, style, color=shade, label=label, markersize=5)
    for size, value in zip(sizes, values, strict=True):
        axes.annotate(
            f"{value:,.3g}" if value < 1000 else f"{value:,.0f}", (size, value), fontsize=7,
            xytext=(0, 6 if style == "o-" else -11), textcoords="offset points", ha="center",
        )  # fmt: skip
