"""A large JSON document read entry by entry, without the polygons that make it large.

An instance file of a gigabyte is nine tenths outlines. Parsing them into Python objects takes six
times the file's size in memory; here they are cut out of the text before it is parsed, and the
entries of the long lists are handed on one by one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from oodexp.error import OodexpError
from oodexp.text import brief

PIECE = 1 << 22
"""Bytes read at a time."""

# In valid JSON this is always a key with a list of numbers, or a list of such lists: within a
# string the quotes would be escaped, and the brackets balance. It holds no brace but its first
# character, so that no match spans the end of an object.
_FLAT = rb"\[[\d\s.,eE+\-]*+\]"
_OUTLINE = re.compile(
    rb'([{,]\s*"(?:segmentation|counts)"\s*:\s*)'
    rb"(?:" + _FLAT + rb"|\[\s*" + _FLAT + rb"\s*(?:,\s*" + _FLAT + rb"\s*)*+\])"
)
_BLANK = re.compile(r"[ \t\n\r]*")
_decode = json.JSONDecoder().raw_decode

Taps = Mapping[str, Callable[[Any], None]]


def read(path: Path, taps: Taps) -> set[str]:
    """Hands every entry of the named lists of a JSON object on, in the order of the file.

    Outlines (`segmentation`, `counts`) that are lists of numbers, or lists of these, arrive as
    null. Nothing else of the document is kept.

    Args:
        path: The file, UTF-8.
        taps: What takes the entries of each list, by the list's name.

    Returns:
        The names of the taps that the document has as lists; empty if it is no object.

    Raises:
        OodexpError: If the file is not JSON, or names a list twice.
    """
    with path.open("rb") as file:
        text = _Text(file)
        try:
            found = _sections(text, taps, str(path))
            text.end()
        except RecursionError as error:
            raise OodexpError(f"{path}: {text.place}lists within lists without end") from error
        except ValueError as error:
            raise OodexpError(f"{path}: not JSON ({text.place}{_said(error)})") from error
    return found


def _sections(text: _Text, taps: Taps, where: str) -> set[str]:
    found: set[str] = set()
    text.skip("\ufeff")
    if text.peek() != "{":
        text.value()
        return found
    for key in text.names():
        tap = taps.get(key)
        if tap is None or text.peek() != "[":
            text.value()
        elif key in found:
            raise OodexpError(f"{where}: the list {key!r} is there twice")
        else:
            found.add(key)
            text.place = f"{key}, "
            text.entries(tap)
            text.place = ""
    return found


class _Text:
    """A file's text from front to back: as much of it as the next value needs."""

    def __init__(self, file: BinaryIO) -> None:
        self.place = ""
        """What is being read, for messages."""
        self._file = file
        self._tail = b""  # bytes after the last brace: an outline may go on in the next piece
        self._text, self._at = "", 0
        self._ended = False

    def peek(self) -> str:
        """The next character that is not blank; empty at the end."""
        while True:
            self._at = _BLANK.match(self._text, self._at).end()  # type: ignore[union-attr]
            if self._at < len(self._text) or not self._more():
                return self._text[self._at : self._at + 1]

    def skip(self, mark: str) -> None:
        """Passes over a character, if it comes next."""
        self._at += self.peek() == mark

    def value(self) -> Any:
        """The next value, whole."""
        self.peek()
        while True:
            try:
                value, self._at = _decode(self._text, self._at)
                return value
            except json.JSONDecodeError:
                if not self._more():
                    raise

    def names(self) -> Iterator[str]:
        """The names in the object that comes next; the caller takes the value after each."""
        self._expect("{")
        if self.peek() != "}":
            while True:
                key = self.value()
                if not isinstance(key, str):
                    raise ValueError(f"{brief(key)} where a name is expected")
                self._expect(":")
                yield key
                if self.peek() != ",":
                    break
                self._at += 1
        self._expect("}")

    def entries(self, tap: Callable[[Any], None]) -> None:
        """Hands the entries of the list that comes next to `tap`."""
        self._expect("[")
        place, number = self.place, 0
        if self.peek() != "]":
            while True:
                self.place = f"{place}entry {number}: "
                tap(self.value())
                if self.peek() != ",":
                    break
                self._at += 1
                number += 1
        self._expect("]")

    def end(self) -> None:
        """Nothing may follow."""
        if self.peek():
            raise ValueError(f"{self.peek()!r} after the end")

    def _expect(self, mark: str) -> None:
        if self.peek() != mark:
            raise ValueError(f"{self.peek() or 'the end'!r} where {mark!r} is expected")
        self._at += 1

    def _more(self) -> bool:
        """Reads on; twice as far as what waits, so that a long value is not tried too often."""
        if self._ended:
            return False
        waiting = self._text[self._at :]
        data = self._tail + self._file.read(max(PIECE, 2 * len(waiting)))
        more = [data]  # put together once: a text without a brace may be as long as the file
        while b"}" not in more[-1] and (piece := self._file.read(PIECE)):
            more.append(piece)
        data = b"".join(more)
        cut = data.rfind(b"}") + 1
        if len(data) == len(self._tail) or cut == 0:
            self._ended, cut = True, len(data)
        self._tail = data[cut:]
        self._text, self._at = waiting + _OUTLINE.sub(rb"\1null", data[:cut]).decode("utf-8"), 0
        return True


def _said(error: ValueError) -> str:
    return error.msg if isinstance(error, json.JSONDecodeError) else str(error)
