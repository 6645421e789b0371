"""Accuracy over the number of scorers in every order in which they can be added."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from oodexp.report.layout import grid

if TYPE_CHECKING:
    from rich.table import Table


def order_table(rule: str, vlms: Sequence[str], values: np.ndarray) -> Table:
    """Mean, least and largest accuracy over orders for each K, and how often K=3 exceeds K=2.

    Args:
        rule: How verdicts are combined.
        vlms: Names of the VLMs.
        values: Accuracy on OOD-H, fractions, (order, K, vlm); NaN where undefined.
    """
    orders, most, _ = values.shape
    table = grid(
        f"OOD-H accuracy over all {orders} orders, rule {rule}: mean (least..largest), percent",
        ("VLM", *(f"K={k}" for k in range(1, most + 1)), "K=3 above K=2"), 1,
        "not intervals: the spread between orders on the same answers",
    )  # fmt: skip
    for v, vlm in enumerate(vlms):
        mine = values[:, :, v]
        cells = [_told(mine[:, k]) for k in range(most)]
        rises = "-"
        if most > 2:
            both = np.isfinite(mine[:, 1:3]).all(axis=1)
            rises = f"{int((mine[both, 2] > mine[both, 1]).sum())} of {int(both.sum())}"
        table.add_row(vlm, *cells, rises)
    return table


def _told(values: np.ndarray) -> str:
    known = 100 * values[np.isfinite(values)]
    if not len(known):
        return "undefined"
    return f"{known.mean():.1f} ({known.min():.1f}..{known.max():.1f})"
