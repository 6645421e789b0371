"""Lists of models in YAML files: the one that ships, and a user's that adds to it or replaces."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import Any, Protocol, TypeVar

from oodexp.error import OodexpError
from oodexp.text import brief, mended

Fields = Mapping[str, type | tuple[type, ...]]
"""Types of the fields of a row; a tuple stands for text or null."""

_SAID = {str: "text (in quotes)", int: "a whole number", bool: "true or false", list: "a list"}


class Named(Protocol):
    """A row that has been read."""

    @property
    def name(self) -> str:
        """Different for every row."""


M = TypeVar("M", bound=Named)


def collect(
    shipped: str, more: str | None, parse: Callable[[str, str], tuple[M, ...]]
) -> tuple[M, ...]:
    """The rows of the file that ships and those of a user's file, in this order.

    Args:
        shipped: File name in `oodexp/evidence/data`.
        more: A file of the same form, or None.
        parse: Rows of a text; the second argument is the file's name, for messages.

    Raises:
        OodexpError: If the user's file cannot be read.
    """
    home = resources.files("oodexp.evidence") / "data" / shipped
    found = {row.name: row for row in parse(home.read_text("utf-8"), shipped)}
    if more is not None:
        try:
            text = Path(more).expanduser().read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise OodexpError(
                f"registry={more}: cannot be read ({error}); expected a file of the form of "
                f"oodexp/evidence/data/{shipped}"
            ) from error
        found |= {row.name: row for row in parse(text, more)}
    return tuple(found.values())


def rows(text: str, where: str) -> Iterator[tuple[int, str, Any]]:
    """Number from 1, place for messages, and content of each entry of the list `models`.

    Raises:
        OodexpError: If the text is no YAML, or holds no such list.
    """
    import yaml

    try:
        document = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # a date that is none, a depth
        raise OodexpError(f"{where}: not YAML ({error})") from error
    listed = document.get("models") if isinstance(document, dict) else None
    if not isinstance(listed, list):
        raise OodexpError(f"{where}: expected a list under `models`")
    for number, row in enumerate(listed, 1):
        name = row.get("name") if isinstance(row, dict) else None
        yield (
            number,
            f"{where}, model {number}" + (f" ({mended(str(name), 80)})" if name else ""),
            row,
        )


def checked(row: Any, fields: Fields, place: str) -> dict[str, Any]:
    """A copy of a row that has exactly these fields, each of its type.

    Raises:
        OodexpError: If it has not.
    """
    if not isinstance(row, dict) or set(row) != set(fields):
        given = brief(sorted(map(str, row)) if isinstance(row, dict) else row)
        raise OodexpError(f"{place}: fields {given}; expected {sorted(fields)}")
    for name, kind in fields.items():
        # True is a whole number to Python, not to a reader of the file.
        wrong = not isinstance(row[name], kind) or (kind is int and isinstance(row[name], bool))
        if wrong or row[name] == "":
            expected = "text or null" if isinstance(kind, tuple) else _SAID[kind]
            raise OodexpError(f"{place}: {name}={brief(row[name])}; expected {expected}")
    return dict(row)
