"""Rows on disk the moment they exist: a line each, folded into a shard when the writer is done.

A journal belongs to one process, which holds a lock on it for as long as it lives. Whoever finds a
journal that nobody holds may fold it. A line that was cut off by a kill is no row.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import chain, islice
from pathlib import Path
from threading import Lock
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from oodexp.error import OodexpError
from oodexp.table import ZSTD, replacing

PATTERN = "journal-*.jsonl"

LINES = 1 << 15
"""Lines that are folded at once."""

_LOG = logging.getLogger(__name__)


class Journal:
    """Appends rows to a file of its own.

    Args:
        folder: Where shards lie; the file is made with the first row.
        schema: Columns and types of a row.
    """

    def __init__(self, folder: Path, schema: pa.Schema) -> None:
        self.path = folder / f"journal-{os.getpid()}-{uuid.uuid4().hex[:12]}.jsonl"
        self._schema = schema
        self._file: IO[bytes] | None = None
        self._begin = b""
        self._one_at_a_time = Lock()
        self._flushing = Lock()
        self._written = self._flushed = 0

    def append(self, row: Mapping[str, Any], flush: bool = True) -> None:
        """Writes a row; it is on the disk when this returns. Any thread may call it.

        Args:
            row: Values by column; others are left out.
            flush: Whether the row must outlive the machine, not only this process.

        Raises:
            OodexpError: If the file system knows no locks.
            OSError: If the disk is full or fails; the rows before and after are whole.
        """
        values = {name: row[name] for name in self._schema.names}
        line = json.dumps(values, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        with self._one_at_a_time:
            if self._file is None:
                self._file = _owned(self.path)
            rest, self._begin = self._begin + line, b"\n"
            while rest:  # a disk that fills up takes a part
                rest = rest[self._file.write(rest) :]
            self._begin = b""
            self._written += 1
            mine = self._written
        if flush:
            self._flush(mine)

    def _flush(self, row: int) -> None:
        """Returns when the row of this number is on the disk."""
        with self._flushing:  # whoever comes while another one flushes is served by the next flush
            if self._flushed < row and self._file is not None:
                written = self._written
                os.fsync(self._file.fileno())
                self._flushed = written

    def fold(self) -> None:
        """Turns the rows into a shard and takes the file away."""
        if self._file is None:
            return
        _shard(self.path, self._schema)
        self._file.close()
        self._file = None


def rows(path: Path, schema: pa.Schema) -> tuple[pa.Table, bool]:
    """The whole rows of a journal, and whether a line was cut off."""
    torn: list[bool] = []
    parts = list(_parts(path, schema, torn))
    return pa.concat_tables([schema.empty_table(), *parts]), bool(torn)


def _parts(path: Path, schema: pa.Schema, torn: list[bool]) -> Iterator[pa.Table]:
    """The whole rows, `LINES` at a time; an entry is added to `torn` for each that was cut off."""
    with path.open("rb") as file:
        lines = (line for line in file if line != b"\n")
        while some := list(islice(lines, LINES)):
            whole = [row for line in some if (row := _row(line)) is not None]
            torn += [True] * (len(some) - len(whole))
            yield pa.Table.from_pylist(whole, schema=schema)


def fold_left(folder: Path, schema: pa.Schema) -> list[str]:
    """Folds the journals whose writers are gone.

    Returns:
        Names of those with a line that was cut off.
    """
    torn = []
    for path in sorted(folder.glob(PATTERN)):
        with suppress(FileNotFoundError), path.open("r+b") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                continue  # its writer lives
            if _shard(path, schema):
                torn.append(path.name)
    return torn


@contextmanager
def claimed(path: Path) -> Iterator[None]:
    """Lets one process at a time into the block; the others wait.

    Args:
        path: The file that is locked; the lock goes with the process that holds it.
    """
    with path.open("ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _LOG.warning("another run asks the same model with %s; waiting for it", path.parent)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _owned(path: Path) -> IO[bytes]:
    """The file, made and locked; its name is on the disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    while True:
        file = path.open("ab", buffering=0)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
        except OSError as error:
            file.close()
            raise OodexpError(
                f"{path.parent}: this file system knows no locks ({error.strerror}); choose "
                "another one with paths.runs=DIR"
            ) from error
        # Before it was locked, another process may have taken it for one that was left behind.
        if path.exists() and os.path.samestat(path.stat(), os.fstat(file.fileno())):
            break
        file.close()
    _keep_names(path.parent)
    return file


def _keep_names(folder: Path) -> None:
    """Puts the names of a folder's files on the disk: their content alone is not enough."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _row(line: bytes) -> dict[str, Any] | None:
    """None for a line that was cut off."""
    try:
        row = json.loads(line)
    except ValueError:
        return None
    return row if isinstance(row, dict) else None


def _shard(path: Path, schema: pa.Schema) -> bool:
    """Writes the shard first: a row is in one of the two files at every moment."""
    torn: list[bool] = []
    parts = (part for part in _parts(path, schema, torn) if part.num_rows)
    first = next(parts, None)
    if first is not None:
        shard = path.with_suffix(".parquet")
        with (
            replacing(shard) as sink,
            pq.ParquetWriter(sink, schema, compression=ZSTD, write_page_checksum=True) as writer,
        ):
            for part in chain([first], parts):
                writer.write_table(part)
        _keep_names(path.parent)  # else a power cut could keep the next line and not this one
    path.unlink()
    return bool(torn)
