"""Verdicts on disk the moment they are given: a JSON line each, only ever appended.

A verdict is taken back by a line of its own. What a kill cut off is no verdict: the line is left as
it is, and the next one starts below it.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, Self

from oodexp.error import OodexpError

Line = dict[str, Any]


class Lines(NamedTuple):
    """What a journal holds."""

    whole: list[Line]
    """Lines in the order they were written, each with its place, `where`."""
    torn: list[int]
    """Numbers, from 1, of lines that are no JSON object."""


class Journal:
    """Appends lines to the file of one sample; one process at a time.

    Args:
        path: The file; made when it is not there.
        sample: Digest of the sample that its verdicts are about.

    Raises:
        OodexpError: If another process writes to it, or it holds verdicts on another sample.
    """

    def __init__(self, path: Path, sample: str) -> None:
        self.path = path
        self._one_at_a_time = Lock()
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("a+b", buffering=0)
        try:
            self._own()
            self._lines = read(path, sample).whole
            self._begin = b"" if _ends_whole(path) else b"\n"
            _settle(path.parent)
        except BaseException:
            self._file.close()
            raise

    @property
    def lines(self) -> list[Line]:
        """All whole lines so far, oldest first."""
        with self._one_at_a_time:
            return list(self._lines)

    def append(self, line: Mapping[str, Any]) -> bool:
        """Writes a line; it is on the disk when this returns.

        Args:
            line: With an `id`; a line whose id was written before is not written again.

        Returns:
            Whether it was new.

        Raises:
            OSError: If the disk is full or fails; lines before and after are whole.
        """
        text = json.dumps(line, ensure_ascii=True).encode() + b"\n"
        with self._one_at_a_time:
            if any(line["id"] == old.get("id") for old in reversed(self._lines)):
                return False
            rest, self._begin = self._begin + text, b"\n"
            while rest:  # a disk that fills up takes a part
                rest = rest[self._file.write(rest) :]
            os.fsync(self._file.fileno())
            self._begin = b""
            self._lines.append(dict(line))
            return True

    def close(self) -> None:
        """Lets another process have the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _own(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise OodexpError(
                f"{self.path}: another review of the same sample is open; stop it, or use its page"
            ) from error


def read(path: Path, sample: str | None = None) -> Lines:
    """The lines of a verdict file.

    Args:
        path: The file.
        sample: Digest that every line has to carry; None for any, but only one.

    Raises:
        OodexpError: If a line is about another sample.
    """
    whole: list[Line] = []
    torn: list[int] = []
    for number, text in _numbered(path.read_bytes()):
        line = _line(text)
        if line is None:
            torn.append(number)
            continue
        wanted = sample or (whole[0]["sample"] if whole else line["sample"])
        if line["sample"] != wanted:
            raise OodexpError(
                f"{path}: line {number} is a verdict on sample {line['sample'][:12]}, expected "
                f"{wanted[:12]}: the run, its division or the settings review.per_stratum, "
                "review.by, review.population or review.seed were others; give those back, or "
                "start with another file"
            )
        whole.append({**line, "where": f"{path.name}, line {number}"})
    return Lines(whole, torn)


def _numbered(content: bytes) -> Iterator[tuple[int, bytes]]:
    for number, text in enumerate(content.split(b"\n"), 1):
        if text.strip():
            yield number, text


def _line(text: bytes) -> Line | None:
    try:
        line = json.loads(text)
    except ValueError:
        return None
    return line if isinstance(line, dict) and isinstance(line.get("sample"), str) else None


def _ends_whole(path: Path) -> bool:
    content = path.read_bytes()
    return not content or content.endswith(b"\n")


def _settle(folder: Path) -> None:
    """The name of a new file is on the disk too."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
