"""What scoring will still take, for the terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from oodexp.report.layout import clock, console, grid

if TYPE_CHECKING:
    from rich.console import Console


class Outlook(Protocol):
    """What one scorer still has to do on one source."""

    @property
    def scorer(self) -> str:
        """Name of the scorer."""

    @property
    def source(self) -> str:
        """Name of the data set."""

    @property
    def images(self) -> int:
        """Different images."""

    @property
    def stored(self) -> int:
        """How many are done."""

    @property
    def seconds(self) -> float:
        """Of the model on the others; NaN where not known."""

    @property
    def size(self) -> float:
        """Bytes of their vectors; NaN where not known."""

    @property
    def timed(self) -> int:
        """Images that this rests on."""


def show_outlook(rows: Sequence[Outlook], screen: Console | None = None) -> None:
    """Prints images, time and disk still to come by scorer and source, and in all."""
    table = grid(
        "Scoring: what is still to do",
        ("scorer", "source", "images", "stored", "to score", "time", "disk MB", "timed on"), 2,
        "time of the models on this machine, decoding not counted; disk before compression",
    )  # fmt: skip
    for row in rows:
        table.add_row(
            row.scorer, row.source, f"{row.images:,}", f"{row.stored:,}",
            f"{row.images - row.stored:,}", clock(row.seconds), _megabytes(row.size),
            f"{row.timed:,} images",
        )  # fmt: skip
    screen = screen or console()
    screen.print(table)
    seconds = sum(r.seconds for r in rows if not math.isnan(r.seconds))
    size = sum(r.size for r in rows if not math.isnan(r.size))
    told = f"In all: {clock(seconds)} and {_megabytes(size)} MB"
    screen.print(f"{told}; one more scorer costs one pass of that scorer alone", highlight=False)


def _megabytes(size: float) -> str:
    return "-" if math.isnan(size) else f"{size / 1e6:,.1f}"
