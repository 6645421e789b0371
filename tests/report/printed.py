"""Tables as they come out of a pipe."""

from __future__ import annotations

import io

from rich.table import Table

from oodexp.report.layout import PIPE_WIDTH, Plain


def printed(made: Table, width: int = PIPE_WIDTH) -> str:
    """All lines of a table; a minus sign is a hyphen, as it is typed."""
    screen = Plain(width=width, record=True, file=io.StringIO())
    screen.print(made)
    return screen.export_text().replace("\N{MINUS SIGN}", "-")


def said(made: Table) -> str:
    """All words of a table with single blanks between them."""
    return " ".join(printed(made).split())


def rows(made: Table, width: int = 200) -> list[list[str]]:
    """Cells of the lines below the header."""
    lines = printed(made, width).splitlines()
    return [[c.strip() for c in line.strip("│").split("│")] for line in lines if line[0] == "│"]
