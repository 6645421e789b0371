"""The requirements of a release, for the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from oodexp.report.layout import grid

if TYPE_CHECKING:
    from rich.table import Table

    from oodexp.report.release import Requirement


def requirement_table(rows: Sequence[Requirement]) -> Table:
    """One row a requirement (Table E1)."""
    names = ("requirement", "verdict", "found", "images that lack it")
    table = grid("Release", names, 3, "the data card holds the same, and who waived what")
    for row in rows:
        table.add_row(row.name, row.verdict, row.words, f"{row.lacking:,}" if row.lacking else "")
    return table
