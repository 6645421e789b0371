"""The entries of a long JSON file one by one, and the lines of a JSONL file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from oodexp.error import OodexpError

PIECE = 1 << 20
"""Characters read at a time; an entry may be longer."""

_BLANK = re.compile(r"[ \t\n\r\ufeff]*")
_OF_NUMBER = ".eE+-0123456789"
_decode = json.JSONDecoder().raw_decode


class Entry(NamedTuple):
    """An entry of a list, or a line."""

    list: str
    """Name of the list in the document; empty for the document itself and for lines."""
    place: str
    """Where it stands, for messages."""
    value: Any
    """The entry; None with an `error`."""
    error: str | None
    """Why a line is no JSON. A document that is none ends the reading."""


def entries(path: Path) -> Iterator[Entry]:
    """Yields the entries of a JSON list, those of all lists of a JSON object, or JSONL lines.

    A file whose name ends in `.jsonl` or `.ndjson` is read by lines.

    Raises:
        OodexpError: If the file is not there, no UTF-8, or a document that breaks off; names where.
    """
    place = "start"
    try:
        with path.open(encoding="utf-8-sig") as text:
            if path.suffix in (".jsonl", ".ndjson"):
                yield from _lines(text)
                return
            for entry in _document(_Reader(text)):
                place = f"after {entry.place}"
                yield entry
    except OSError as error:
        raise OodexpError(f"{path}: cannot be read ({error.strerror})") from error
    except (ValueError, RecursionError) as error:  # UnicodeDecodeError among them
        raise OodexpError(
            f"{path}: not JSON in UTF-8 ({place}: {error}); if it was cut short, unpack or "
            "download it again; one object a line belongs in a file named .jsonl"
        ) from error


def _lines(text: TextIO) -> Iterator[Entry]:
    for number, line in enumerate(text, 1):
        if line.strip():
            try:
                yield Entry("", f"line {number}", json.loads(line), None)
            except (ValueError, RecursionError):
                yield Entry("", f"line {number}", None, "not JSON; expected one object a line")


def _document(reader: _Reader) -> Iterator[Entry]:
    if reader.next() == "[":
        yield from reader.items("")
    else:
        reader.take("{")
        while reader.next() != "}":
            name = str(reader.value())
            reader.take(":")
            if reader.next() == "[":
                yield from reader.items(name)
            else:
                reader.value()
            if reader.next() != "}":
                reader.take(",")
        reader.take("}")
    if reader.next():
        raise ValueError(f"{reader.next()!r} after the end")


class _Reader:
    """A text from front to back, held from the value at hand on."""

    def __init__(self, file: TextIO) -> None:
        self._file, self._text, self._at = file, "", 0

    def next(self) -> str:
        """The next sign that is not blank, not passed over; empty at the end."""
        while True:
            blank = _BLANK.match(self._text, self._at)
            self._at = blank.end() if blank else self._at
            if self._at < len(self._text) or not self._more():
                return self._text[self._at : self._at + 1]

    def take(self, sign: str) -> None:
        """Passes over a sign that must come next."""
        if self.next() != sign:
            raise ValueError(f"{self.next() or 'the end'!r} where {sign!r} is expected")
        self._at += 1

    def value(self) -> Any:
        """The next value, whole; a number at the end of the piece may go on in the next."""
        self.next()
        while True:
            try:
                value, end = _decode(self._text, self._at)
            except json.JSONDecodeError:
                if not self._more():
                    raise
                continue
            left = len(self._text) - end
            number = isinstance(value, (int, float))
            if not number or self._text[end : end + 3].strip(_OF_NUMBER) or not self._more():
                self._at = len(self._text) - left
                return value

    def items(self, name: str) -> Iterator[Entry]:
        """The entries of the list that comes next."""
        self.take("[")
        number = 0
        while self.next() != "]":
            yield Entry(name, f"{name} entry {number}".strip(), self.value(), None)
            number += 1
            if self.next() != "]":
                self.take(",")
        self.take("]")

    def _more(self) -> bool:
        """Reads on, twice as far as what waits: a long value is not tried too often."""
        waiting = self._text[self._at :]
        more = self._file.read(max(PIECE, len(waiting)))
        self._text, self._at = waiting + more, 0
        return bool(more)
