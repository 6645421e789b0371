"""A progress line with the time left, for long work outside of the predict loops."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def waiting(title: str, total: int | None) -> Iterator[Callable[[], None]]:
    """Shows a line on a terminal while the block runs; a pipe gets nothing.

    Args:
        title: What is being done.
        total: Number of steps; None when it is not known.

    Yields:
        Call it after each step.
    """
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    screen = Console(file=sys.stderr)
    with Progress(
        TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(),
        TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn(), console=screen,
        transient=True, disable=not screen.is_terminal,
    ) as bar:  # fmt: skip
        task = bar.add_task(title, total=total)
        yield lambda: bar.advance(task)
