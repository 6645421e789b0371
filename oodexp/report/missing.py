"""What is at hand of an experiment's parts, for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from oodexp.report.layout import console, grid


def show_missing(rows: Sequence[tuple[str, str, str, str]]) -> None:
    """Prints group, name, state and remedy of each part.

    Args:
        rows: Group, name, `at hand` or `missing`, how to get it.
    """
    here = sum(state == "at hand" for _, _, state, _ in rows)
    table = grid(f"At hand: {here} of {len(rows)} parts", ("group", "part", "", "how to get it"), 4)
    for row in rows:
        table.add_row(*row)
    console().print(table)
