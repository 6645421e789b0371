"""The calibration curve: how often yes is right where a VLM calls it so likely."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oodexp.record import SPLITS

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

MARKS = dict(zip(SPLITS, ("o-", "s--", "^:"), strict=True))
"""Marker and line of each split: told apart in grey."""

SHADES = dict(zip(SPLITS, ("0.0", "0.35", "0.6"), strict=True))


def draw(curve: pd.DataFrame) -> Figure:
    """The curve of one VLM and kind, a line a split; the area of a mark grows with n.

    Args:
        curve: `record.Calibration` rows of one VLM and kind.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.5, 4.5), layout="constrained")
    axes = figure.add_subplot()
    axes.plot([0, 1], [0, 1], color="0.8", linewidth=1, zorder=0)
    for split in SPLITS:
        mine = curve[curve["split"] == split]
        if not len(mine):
            continue
        x, y = mine["probability"], mine["share"]
        label = f"{split} (n = {mine['n'].sum()})"
        axes.plot(x, y, MARKS[split], color=SHADES[split], markersize=3, label=label)
        size = 160 * mine["n"] / mine["n"].sum()
        axes.scatter(x, y, s=size, marker=MARKS[split][0], color=SHADES[split])
    axes.set(
        xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), aspect="equal",
        xlabel="P(yes) by the model, mean of a bin", ylabel="share of questions where yes is right",
        title=str(curve["vlm"].iloc[0]),
    )  # fmt: skip
    axes.legend(loc="upper left", frameon=False)
    return figure
