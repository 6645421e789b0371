"""Tables on disk: written part by part, read by column or part by part, never in memory whole."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import overload

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from oodexp import table
from oodexp.error import OodexpError

ROWS = 1 << 16
"""Rows of a part."""


class Stored:
    """A table on disk; what is asked for is read.

    Args:
        record: Its record class.
        path: The file.
        where: Value of a column by its name: only these rows are there.
    """

    def __init__(self, record: type, path: Path, where: Mapping[str, str] | None = None) -> None:
        self._record = record
        self._where = dict(where or {})
        self.path = path

    def only(self, column: str, value: str) -> Stored:
        """The rows with this value."""
        return Stored(self._record, self.path, self._where | {column: value})

    def __len__(self) -> int:
        if self._where:
            return len(self.arrow(next(iter(self._where))))
        return int(pq.read_metadata(self.path).num_rows)

    @overload
    def __getitem__(self, wanted: str) -> pd.Series: ...
    @overload
    def __getitem__(self, wanted: list[str]) -> pd.DataFrame: ...
    def __getitem__(self, wanted: str | list[str]) -> pd.Series | pd.DataFrame:
        """A column, or a table of some."""
        names = [wanted] if isinstance(wanted, str) else wanted
        return self.coded(names, ())[wanted]

    def coded(self, names: Sequence[str] | None, texts: Sequence[str]) -> pd.DataFrame:
        """A table of some columns, those of repeated texts as numbers (pandas' categories).

        Args:
            names: The columns; None for all.
            texts: Those of them that few texts repeat in.
        """
        return table.to_pandas(self._read(names, texts))

    def whole(self) -> pd.DataFrame:
        """All columns."""
        return self.coded(None, ())

    def parts(self, names: Sequence[str] | None = None) -> Iterator[pd.DataFrame]:
        """Some columns, or all, `ROWS` rows of the file at a time."""
        wanted = None if names is None else [*names, *(w for w in self._where if w not in names)]
        with pq.ParquetFile(self.path) as file:
            for batch in file.iter_batches(ROWS, columns=wanted):
                part = table.to_pandas(pa.Table.from_batches([batch]))
                for name, value in self._where.items():
                    part = part[part[name] == value]
                yield part if names is None else part[list(names)]

    def arrow(self, name: str, coded: bool = False) -> pa.ChunkedArray:
        """A column in Arrow form, texts as codes where wanted."""
        return self._read([name], [name] if coded else ())[name]

    def arrow_parts(self, name: str, rows: int) -> Iterator[pa.Array]:
        """A column in Arrow form, so many rows of the file at a time."""
        wanted = [name, *(w for w in self._where if w != name)]
        with pq.ParquetFile(self.path) as file:
            for batch in file.iter_batches(rows, columns=wanted):
                for column, value in self._where.items():
                    batch = batch.filter(pc.equal(batch[column], value))
                yield batch[name]

    def _read(self, names: Sequence[str] | None, texts: Sequence[str]) -> pa.Table:
        return pq.read_table(
            self.path, columns=names and list(names), read_dictionary=list(texts),
            filters=[(name, "==", value) for name, value in self._where.items()] or None,
        )  # fmt: skip


class Tables(Mapping[str, pd.DataFrame]):
    """Tables by name, each a file below a folder that goes with this object.

    A name gives the whole table, read from the disk each time; `stored` gives it by column.
    """

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="oodexp-tables-"))
        weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        self._kept: dict[str, Stored] = {}

    def keep(self, name: str, record: type, parts: Iterable[pd.DataFrame]) -> Stored:
        """Writes a table, in place of one of this name.

        Args:
            name: Its name.
            record: Its record class.
            parts: Its rows in order.

        Raises:
            OodexpError: If they do not fit the record (see `oodexp.table.check`).
        """
        file = f"{len(self._kept)}-{name.replace('/', '-')}.parquet"
        self._kept[name] = write(record, parts, self._folder / file)
        return self._kept[name]

    def stored(self, name: str) -> Stored:
        """The table, to be read by column or part by part."""
        return self._kept[name]

    def drop(self, name: str) -> None:
        """Takes a table away."""
        self._kept.pop(name).path.unlink()

    def __getitem__(self, name: str) -> pd.DataFrame:
        return self._kept[name].whole()

    def __iter__(self) -> Iterator[str]:
        return iter(self._kept)

    def __len__(self) -> int:
        return len(self._kept)


def sliced(rows: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """The rows in parts of `ROWS`; one, perhaps empty, at least."""
    for start in range(0, max(1, len(rows)), ROWS):
        yield rows.iloc[start : start + ROWS]


def write(record: type, parts: Iterable[pd.DataFrame], path: Path) -> Stored:
    """Writes a checked table atomically, a part at a time.

    Args:
        record: The record class.
        parts: Rows in order.
        path: Where to.

    Raises:
        OodexpError: If a part does not fit the record, or a key occurs in two.
    """
    seen: list[np.ndarray] = []
    schema, key = table.schema(record), list(record.KEY)  # type: ignore[attr-defined]
    with table.replacing(path) as sink:
        with pq.ParquetWriter(
            sink, schema, compression=table.ZSTD, write_page_checksum=True
        ) as writer:
            for part in parts:
                rows = table.to_arrow(record, part)
                seen.append(_hashed(rows.select(key)))
                writer.write_table(rows)
        sink.flush()
        _once(record, seen, Path(sink.name))
    return Stored(record, path)


def _hashed(keys: pa.Table) -> np.ndarray:
    """A number a row that is the same where the keys are, uint64."""
    number = np.zeros(keys.num_rows, np.uint64)
    for column in keys.columns:
        coded = column.dictionary_encode().combine_chunks()
        if isinstance(coded, pa.ChunkedArray):  # no rows
            continue
        texts = pd.util.hash_array(coded.dictionary.to_numpy(zero_copy_only=False))
        number = (number ^ texts[coded.indices.to_numpy()]) * np.uint64(0x9E3779B97F4A7C15)
    return number


def _once(record: type, seen: Sequence[np.ndarray], path: Path) -> None:
    """Refuses a key that occurs in two parts; within one, `table.check` does."""
    if len(seen) < 2:
        return
    numbers = np.sort(np.concatenate(seen))
    if (numbers[1:] != numbers[:-1]).all():
        return
    # Two keys may share a number, though hardly ever.
    key = list(record.KEY)  # type: ignore[attr-defined]
    keys = pq.read_table(path, columns=key).to_pandas()
    repeated = keys.duplicated()
    if repeated.any():
        first = keys[repeated].iloc[0].to_dict()
        raise OodexpError(
            f"table of {record.__name__}: {int(repeated.sum())} repeated keys, first {first}; "
            f"{', '.join(key)} must occur once"
        )
