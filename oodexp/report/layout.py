"""What every table on the terminal shares: its width, its grid, and how a value is written."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd
from rich.console import Console
from rich.table import Table

PIPE_WIDTH = 120
"""A pipe has no width of its own, and 80 columns would fold every row."""


def console() -> Console:
    """The terminal, or a pipe of `PIPE_WIDTH` columns."""
    screen = Console()
    return screen if screen.is_terminal else Console(width=PIPE_WIDTH)


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
