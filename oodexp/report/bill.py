"""What asking will take, for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from oodexp.report.layout import bold, clock, console, grid

if TYPE_CHECKING:
    from rich.console import Console

NAMES = (
    "VLM: source", "questions", "stored", "to ask", "prompt tokens", "new tokens: expected, most",
    "cost: expected, most", "time",
)  # fmt: skip


def show_bill(estimates: pd.DataFrame, screen: Console | None = None) -> None:
    """Prints `record.Estimate` rows and what the most expensive case costs in all."""
    table = grid(
        "Estimate: nothing has been asked", NAMES, 1,
        "most: every reply as long as it may be. Cost in the currency of vlm.<name>.price; failed "
        "requests come on top.\nTime from stored completions of the same VLM; - where there are "
        "none.",
    )  # fmt: skip
    for vlm, mine in estimates.groupby("vlm", sort=False):
        table.add_row(bold(str(vlm)))
        for row in mine.itertuples():
            table.add_row(
                str(row.source), f"{row.questions:,}", f"{row.stored:,}",
                f"{row.questions - row.stored:,}", _number(row.prompt_tokens),
                f"{_number(row.new_tokens)}, {_number(row.most_tokens)}",
                f"{_money(row.cost)}, {_money(row.most_cost)}", clock(row.seconds),
            )  # fmt: skip
        table.add_section()
    screen = screen or console()
    screen.print(table)
    open_ended = estimates["most_cost"].isna()
    total = estimates["most_cost"].sum()
    more = f", and {open_ended.sum()} rows of unknown cost" if open_ended.any() else ""
    screen.print(f"At the most, all together: {total:,.2f}{more}", highlight=False)


def _number(value: float | None) -> str:
    return "-" if pd.isna(value) else f"{value:,.0f}"


def _money(value: float | None) -> str:
    return "-" if pd.isna(value) else f"{value:,.2f}"
