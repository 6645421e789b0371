"""What has to be downloaded, for the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from oodexp.report.layout import console, grid


class Item(Protocol):
    """One download (`source.need.Need`)."""

    @property
    def what(self) -> str:
        """What it is."""

    @property
    def page(self) -> str:
        """The official page."""

    @property
    def path(self) -> str:
        """Where it has to lie."""

    @property
    def login(self) -> bool:
        """Whether the page wants an account."""


def show_needs(name: str, needs: Sequence[Item], states: Sequence[str]) -> None:
    """Prints each download with its page, its place and what is there.

    Args:
        name: Name of the source.
        needs: What it needs.
        states: What was found of each.
    """
    screen = console()
    if not needs:
        screen.print(f"source {name}: nothing to download, or your own files")
        return
    caption = "Nothing is downloaded for you. Unpack each at its place, then run this again."
    table = grid(f"Source {name}", ("what", "official page", "place", "found"), 4, caption)
    for need, state in zip(needs, states, strict=True):
        page = need.page + (" (wants an account)" if need.login else "")
        table.add_row(need.what, page, need.path, state)
    screen.print(table)
