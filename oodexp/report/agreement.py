"""How far divisions agree with a reference, and what each took."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from oodexp.record import SPLITS
from oodexp.report.layout import grid

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.table import Table


class Agreeing(NamedTuple):
    """One division beside the reference."""

    label: str
    """What divided."""
    kappa: float
    """Cohen's kappa; NaN where it is undefined."""
    same: float
    """Share of pairs in the same split."""
    jaccard: Mapping[str, float]
    """By split."""
    pairs: int
    """Pairs that both put into a split."""
    left_out: int
    """Pairs that one of them does not."""
    seconds: float
    """What its scorers took for all images, decoding not counted; NaN where not known."""


def agreement_table(reference: str, rows: Sequence[Agreeing], images: int) -> Table:
    """Kappa and Jaccard against the reference, and seconds.

    Args:
        reference: Label of the reference.
        rows: The divisions; the reference itself may be among them.
        images: Number of images that were scored.
    """
    table = grid(
        f"Divisions beside {reference}",
        ("trial", "kappa", "same %", *(f"Jaccard {s}" for s in SPLITS), "pairs", "left out", "s"),
        1,
        f"s: seconds that the group's models took for {images:,} images when they were run, "
        "decoding not counted",
    )  # fmt: skip
    for row in rows:
        table.add_row(
            row.label, _told(row.kappa, 3), _told(100 * row.same, 1),
            *(_told(row.jaccard[s], 3) for s in SPLITS),
            str(row.pairs), str(row.left_out), _told(row.seconds, 1),
        )  # fmt: skip
    return table


def _told(value: float, digits: int) -> str:
    return "-" if math.isnan(value) else f"{value:.{digits}f}"
