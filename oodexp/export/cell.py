"""Cells of a table that a spreadsheet would run as a formula."""

from __future__ import annotations

_SIGNS = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def is_formula(text: str) -> bool:
    """Whether a spreadsheet may take the text for a formula, by its first letter."""
    return text.startswith(_SIGNS)


def inert(text: str) -> str:
    """The text, with an apostrophe before it where a spreadsheet may run it.

    For names that people read. What another program compares must stay as it is.

    >>> inert("=1+1"), inert("dog")
    ("'=1+1", 'dog')
    """
    return f"'{text}" if is_formula(text) else text
