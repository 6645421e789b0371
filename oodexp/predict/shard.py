"""Shards of a shelf, and where each key lies in them."""

from __future__ import annotations

import errno
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from oodexp.table import read_arrow

INDEX = pa.schema([("key", pa.large_string()), ("reason", pa.large_string())])
"""What tells whether a row is there."""

_NOT_TORN = {errno.EACCES, errno.EPERM, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ESTALE}
"""Errors that say nothing about the file: it may be whole, and is left where it lies."""


class Shard(NamedTuple):
    """Rows that were written together."""

    path: Path | pa.Table
    """The file; of a journal its rows."""
    rows: int
    """How many."""
    table: pa.Table | None
    """Some of its columns."""


class Index(NamedTuple):
    """Keys and reasons of the rows of some shards, one after the other."""

    keys: pa.ChunkedArray
    """Large texts."""
    reasons: pa.ChunkedArray
    """Texts; null for a row without a failure."""

    @classmethod
    def of(cls, shards: Iterable[Shard]) -> Index:
        """Of shards with the columns `key` and `reason`."""
        parts = [s.table.select(INDEX.names).cast(INDEX) for s in shards if s.table is not None]
        whole = pa.concat_tables([INDEX.empty_table(), *parts])
        return cls(whole["key"].combine_chunks(), whole["reason"].combine_chunks())

    def find(self, keys: pa.Array) -> np.ndarray:
        """Number of the first row of each key, one that is no failure if it can be; -1 for none."""
        good = pc.is_null(self.reasons).to_numpy(zero_copy_only=False)
        place = np.full(len(keys), -1, np.int64)
        for some in (good, ~good):
            rows, left = np.flatnonzero(some), np.flatnonzero(place < 0)
            if len(rows) and len(left):
                mine = keys if len(left) == len(keys) else keys.take(left)
                theirs = self.keys if some.all() else self.keys.take(rows)
                found = pc.index_in(mine, value_set=theirs).fill_null(-1).to_numpy()
                place[left] = np.append(rows, -1)[found]
        return place


def opened(
    path: Path, columns: Sequence[str] | None = None, sound: bool = False
) -> pa.Table | None:
    """Columns of a shard, or all; None for one that was damaged, which is set aside.

    Its rows are computed again, and the file is kept under another name.

    Args:
        path: The file.
        columns: What is wanted; all of the file is read nevertheless, as any page of it may be
            damaged.
        sound: Whether that was done before.
    """
    try:
        if sound and columns is not None:
            return pq.ParquetFile(path).read(columns=list(columns))
        whole = read_arrow(path)
        return whole if columns is None else whole.select(list(columns))
    except (pa.ArrowInvalid, OSError) as error:
        if isinstance(error, OSError) and error.errno in _NOT_TORN:
            raise
        with suppress(FileNotFoundError):  # another run has set it aside
            path.rename(path.with_suffix(".torn"))
        return None
