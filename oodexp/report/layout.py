"""What every table on the terminal shares: its width, its grid, and how a value is written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd
from rich.console import Console
from rich.table import Table
from rich.text import Text

from oodexp.text import printable

PIPE_WIDTH = 120
"""A pipe has no width of its own, and 80 columns would fold every row."""


class Plain(Console):
    """A console to which a text is a text: no markup in it, no control character, no emoji code.

    Names and ids come from data sets: `[red]` is a name, `[/red]` would be an error, and an escape
    sequence would be obeyed.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(markup=False, emoji=False, **options)

    def render_str(self, text: str, **options: Any) -> Text:
        """All texts, those of cells and titles too, come through here."""
        return super().render_str(printable(text), **options)


def console() -> Console:
    """The terminal, or a pipe of `PIPE_WIDTH` columns."""
    screen = Plain()
    return screen if screen.is_terminal else Plain(width=PIPE_WIDTH)


def bold(name: str) -> Text:
    """A name in bold, for a cell."""
    return Text(printable(name), style="bold")


def grid(title: str, names: Iterable[str], left: int, caption: str | None = None) -> Table:
    """An empty table whose first `left` columns are text, the others numbers."""
    table = Table(title=title, caption=caption, title_justify="left", caption_justify="left")
    for n, name in enumerate(names):
        table.add_column(name, justify="left" if n < left else "right", overflow="fold")
    return table


def cell(rows: pd.DataFrame, with_n: bool = False) -> str:
    """The first measurement of `rows` in percent, its interval below it; `-` when there is none.

    Args:
        rows: `record.Measurement` rows, at most one of interest.
        with_n: Whether the number of questions follows in brackets.
    """
    if not len(rows):
        return "-"
    row = rows.iloc[0]
    if pd.isna(row["value"]):
        return "undefined"
    value = f"{100 * row['value']:.1f}" + (f" ({row['n']})" if with_n else "")
    if pd.isna(row["lower"]):
        return value
    return f"{value}\n{100 * row['lower']:.1f}..{100 * row['upper']:.1f}"


def clock(seconds: float | None) -> str:
    """A time as `h:mm:ss`; `-` where it is not known."""
    if pd.isna(seconds) or seconds is None:
        return "-"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"
