"""Recognition by dual encoders beside the answers of chat models to the same images.

Which images both see, which only one does, and on which concepts they differ most. OODConceptBench
has no such table: it asks dual encoders alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from oodexp.report.concept_value import Value, below, percent, plain, points
from oodexp.report.layout import grid

if TYPE_CHECKING:
    from rich.table import Table

UNREAD = (
    "chat: says yes to its own phrase where presence is asked; an unread answer is no. "
    "encoder: cosine above Q95."
)


class Beside(NamedTuple):
    """One dual encoder and one chat model on the same images."""

    encoder: str
    """Name of the dual encoder."""
    chat: str
    """Name of the chat model."""
    level: str
    """E.g. `L2`."""
    both: int
    """Images whose concept both recognise."""
    encoder_only: int
    """Images that the encoder alone recognises."""
    chat_only: int
    """Images that the chat model alone recognises."""
    neither: int
    """Images that neither recognises."""
    unread: int
    """Answers of the chat model without a reading, counted as not recognised."""
    kappa: Value
    """Cohen's kappa of the two verdicts, in [-1, 1]; undefined where both are constant."""
    invented: Value
    """Share of control phrases that the chat model says yes to; without it a yes means little."""


class Alone(NamedTuple):
    """One concept as a dual encoder and a chat model recognise it."""

    phrase: str
    """The concept."""
    category: str
    """Its family."""
    images: int
    """Number of images."""
    encoder: Value
    """Share of them that the encoder recognises."""
    chat: Value
    """Share of them that the chat model recognises."""


def agreement_table(rows: Sequence[Beside]) -> Table:
    """Both, only one, neither in percent of the images, with kappa."""
    values = [(f"{row.encoder} and {row.chat}, {row.level}", row.kappa) for row in rows]
    values += [(f"controls of {row.chat}, {row.level}", row.invented) for row in rows]
    names = ("encoder", "chat model", "level", "images", "both", "encoder only", "chat only",
             "neither", "kappa", "yes to controls", "unread")  # fmt: skip
    table = grid(
        "Recognised by a dual encoder, a chat model, both or neither", names, 3,
        below(values, f"in % of the images. {UNREAD}"),
    )  # fmt: skip
    for row in rows:
        counts = (row.both, row.encoder_only, row.chat_only, row.neither)
        total = sum(counts)
        shares = (f"{100 * n / total:.1f}" if total else "-" for n in counts)
        table.add_row(
            row.encoder, row.chat, row.level, f"{total:,}", *shares, plain(row.kappa, 2),
            percent(row.invented), f"{row.unread:,}",
        )  # fmt: skip
    return table


def alone_table(
    encoder: str, chat: str, rows: Sequence[Alone], most: int = 10, least: float = 0.0
) -> Table:
    """The concepts that one of the two recognises far more often than the other does.

    Args:
        encoder: Name of the dual encoder.
        chat: Name of the chat model.
        rows: All concepts; those without a value of both are left out and counted.
        most: Concepts printed in each direction.
        least: Smallest difference that is printed, a fraction >= 0.
    """
    known = [row for row in rows if not math.isnan(_more(row))]
    by_encoder = sorted(known, key=lambda row: (-_more(row), row.phrase))
    by_chat = sorted(known, key=lambda row: (_more(row), row.phrase))
    table = grid(
        f"Concepts that {encoder} or {chat} recognises alone",
        ("concept", "category", "images", f"{encoder} %", f"{chat} %", "difference"), 2,
        _told(len(rows), len(rows) - len(known), most, least),
    )  # fmt: skip
    for sign, order in ((1, by_encoder), (-1, by_chat)):
        table.add_section()
        for row in order[:most]:
            if sign * _more(row) > least:
                table.add_row(
                    row.phrase, row.category, f"{row.images:,}",
                    percent(row.encoder), percent(row.chat), points(Value(_more(row))),
                )  # fmt: skip
    return table


def _more(row: Alone) -> float:
    """How much more often the encoder recognises the concept; NaN when one rate is undefined."""
    return row.encoder.value - row.chat.value


def _told(rows: int, unknown: int, most: int, least: float) -> str:
    text = f"up to {most} concepts each way of {rows}, difference above {100 * least:g} points"
    lost = f"; {unknown} without a value of both are left out" if unknown else ""
    return f"{text}{lost}. The largest of many differences: partly chance where images are few."
