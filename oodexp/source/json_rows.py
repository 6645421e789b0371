"""The entries of a long JSON list one by one: a file of gigabytes in a few megabytes of memory."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from oodexp.error import OodexpError

_CHUNK = 1 << 22
_LONGEST = 1 << 26
_GAP = re.compile(r"[ \t\n\r]*")


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yields each object of a file that is one JSON list of objects.

    Raises:
        OodexpError: If the file is not there, is no such list, or ends too early; names the entry.
    """
    try:
        with path.open(encoding="utf-8-sig") as file:
            yield from _Reader(file, path).rows()
    except OSError as error:
        raise OodexpError(f"{path}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise OodexpError(f"{path}: not JSON in UTF-8 ({error.reason})") from error


class _Reader:
    def __init__(self, file: TextIO, path: Path) -> None:
        self._file = file
        self._path = path
        self._text = ""
        self._at = 0
        self._decode = json.JSONDecoder().raw_decode
        self._number = 0

    def rows(self) -> Iterator[dict[str, Any]]:
        self._expect("[")
        if self._next() == "]":
            self._at += 1
        else:
            yield self._row()
            while self._expect(",", "]") == ",":
                yield self._row()
        if self._next():
            raise OodexpError(f"{self._path}: goes on after the end of its list")

    def _row(self) -> dict[str, Any]:
        self._expect("{")
        self._at -= 1
        while True:
            try:
                row, self._at = self._decode(self._text, self._at)
            except ValueError as error:
                # Cut short by the end of what was read so far, or really wrong.
                if len(self._text) - self._at < _LONGEST and self._more():
                    continue
                raise OodexpError(f"{self._path}: entry {self._number}: {error}") from error
            except RecursionError as error:
                raise OodexpError(
                    f"{self._path}: entry {self._number}: lists within lists without end"
                ) from error
            self._number += 1
            return row

    def _expect(self, *signs: str) -> str:
        found = self._next()
        if found not in signs:
            shown = repr(found) if found else "the end of the file"
            wanted = " or ".join(map(repr, signs))
            raise OodexpError(
                f"{self._path}: found {shown} at entry {self._number}, expected {wanted}; this "
                "must be a JSON list of objects; if it was cut short, unpack or download it again"
            )
        self._at += 1
        return found

    def _next(self) -> str:
        """The next sign that is no white space, not yet passed; empty at the end."""
        while True:
            gap = _GAP.match(self._text, self._at)
            self._at = gap.end() if gap else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def _more(self) -> bool:
        more = self._file.read(_CHUNK)
        self._text, self._at = self._text[self._at :] + more, 0
        return bool(more)
