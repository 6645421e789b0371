"""What models computed, kept by content: a killed run resumes, a new threshold runs no model.

A shelf holds rows of one model, one Parquet shard a batch, written atomically and named after its
keys. The shelf's fingerprint is all that can change a value besides the key; the key is the content
asked about. A row that failed stays on the shelf as it is, and is computed anew the next time,
unless the failure lies in the content itself.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from oodexp.error import OodexpError
from oodexp.predict.journal import PATTERN, Journal, claimed, fold_left
from oodexp.predict.journal import rows as journaled
from oodexp.predict.shard import Index, Shard, opened
from oodexp.scratch import replacing
from oodexp.table import write_arrow

UNREADABLE = "unreadable: "
"""How the reason of a failure begins that lies in the content: trying again would be in vain."""

ROWS = 1 << 16
"""Rows that are read at once."""


def digest(content: Any) -> str:
    """sha256 of plain JSON values, independent of the order of keys."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


class Store:
    """A folder of shelves.

    Args:
        root: The folder; made when first written to.
    """

    def __init__(self, root: str) -> None:
        self._root = Path(root)
        self._opened: list[Shelf] = []

    def shelf(
        self, kind: str, fingerprint: dict[str, Any], schema: pa.Schema | None = None
    ) -> Shelf:
        """The shelf of one model, its fingerprint beside the shards for people to read.

        Args:
            kind: Folder of such shelves.
            fingerprint: All that can change a value besides the key.
            schema: Of rows that are journaled; what a killed run left is folded.
        """
        shelf = Shelf(self._root / kind / digest(fingerprint)[:24], fingerprint, schema)
        if schema is not None:
            shelf.torn += fold_left(shelf.folder, schema)
        self._opened.append(shelf)
        return shelf

    def torn(self) -> list[str]:
        """Shards, named below the root, that were set aside as unreadable since the last call."""
        names = []
        for shelf in self._opened:
            names += [f"{shelf.folder.relative_to(self._root)}/{name}" for name in shelf.torn]
            shelf.torn.clear()
        return names


class Shelf:
    """Rows by key; a row with a `reason` in place of a value is a failure.

    Args:
        folder: Where the shards lie.
        fingerprint: Written to `fingerprint.json`.
        schema: Of rows that are journaled one by one; None where rows come in batches.
    """

    def __init__(
        self, folder: Path, fingerprint: dict[str, Any], schema: pa.Schema | None = None
    ) -> None:
        self.folder = folder
        self._fingerprint = fingerprint
        self._schema = schema
        self.torn: list[str] = []
        """Names of shards that could not be read and were set aside."""
        self._sound: set[str] = set()

    def write(self, rows: pa.Table) -> None:
        """Adds a shard; a reader sees all of its rows or none."""
        self._describe()
        name = digest(rows["key"].to_pylist())[:24]
        write_arrow(rows, self.folder / f"{name}.parquet")

    def journal(self) -> Journal:
        """Takes rows one by one, each on the disk at once; of a shelf with a schema."""
        if self._schema is None:
            raise ValueError(f"{self.folder}: a shelf without a schema has no journal")
        self._describe()
        return Journal(self.folder, self._schema)

    def rows(self) -> pa.Table:
        """All rows, a writer's in its order, perhaps twice; of a shelf with a schema."""
        empty = self._schema or pa.schema([])
        shards = [self._whole(shard) for shard in self._shards(["key"])]
        return pa.concat_tables([empty.empty_table(), *shards], promote_options="default")

    @contextmanager
    def claimed(self) -> Iterator[None]:
        """Lets one process at a time into the block; the others wait."""
        self._describe()
        with claimed(self.folder / "claim.lock"):
            yield

    def _describe(self) -> None:
        path = self.folder / "fingerprint.json"
        if not path.exists():
            with replacing(path) as scratch:
                scratch.write_text(json.dumps(self._fingerprint, indent=1, sort_keys=True))

    def missing(self, keys: Iterable[str], retry: bool = False) -> list[str]:
        """The keys without a row, each once, in the given order.

        Args:
            keys: What is wanted.
            retry: Whether a failed row counts as missing, unless it is `UNREADABLE`.
        """
        wanted = pa.array(list(dict.fromkeys(keys)), pa.large_string())
        return wanted.filter(pa.array(self.lacking(wanted, retry))).to_pylist()

    def lacking(self, keys: pa.Array, retry: bool = False) -> np.ndarray:
        """Which of the keys have no row, bool; arguments as of `missing`, large texts in Arrow."""
        have, reason = Index.of(self._shards(["key", "reason"]))
        if retry:
            good = pc.or_kleene(pc.is_null(reason), pc.starts_with(reason, UNREADABLE))
            have = have.filter(good)
        return ~pc.is_in(keys, value_set=have).to_numpy(zero_copy_only=False)

    def read(self, keys: Sequence[str], patience: float = 0.0) -> pa.Table:
        """The rows of the keys, in the given order: the proof that each was computed once.

        A key in two shards (two runs at the same time, or one asked anew after a failure) gives the
        row without a failure, of the first shard by name.

        Args:
            keys: What is wanted.
            patience: Seconds to wait for rows that another machine wrote and that do not show yet.

        Raises:
            OodexpError: If a key has no row, as after the death of a worker.
        """
        parts = list(self.read_parts(pa.array(keys, pa.large_string()), patience))
        if not parts:
            return pa.table({"key": pa.array([], pa.string())})
        return pa.concat_tables(parts, promote_options="default").combine_chunks()

    def read_parts(
        self, keys: pa.Array, patience: float = 0.0, most: int = ROWS
    ) -> Iterator[pa.Table]:
        """As `read`, at most so many rows at a time, keys as large texts in Arrow."""
        shards, place = self._places(keys, patience)
        ends = np.cumsum([shard.rows for shard in shards])
        of = np.searchsorted(ends, place, side="right")
        row = place - np.append(0, ends)[of]
        blocks = [slice(start, start + most) for start in range(0, len(of), most)]
        if sum(len(np.unique(of[block])) for block in blocks) > 4 * len(shards):
            blocks = [slice(None)]  # another order than they were written in: once through all
        for block in blocks:
            used, number = np.unique(of[block], return_inverse=True)
            tables = [self._whole(shards[n]) for n in used.tolist()]
            first = np.append(0, np.cumsum([t.num_rows for t in tables]))[number]
            # Older shards have fewer columns.
            table = pa.concat_tables(tables, promote_options="default").combine_chunks()
            yield table.take(pa.array(first + row[block]))

    def _places(self, keys: pa.Array, patience: float) -> tuple[list[Shard], np.ndarray]:
        """All shards, and the number of the row of each key among all of their rows."""
        end = time.monotonic() + patience
        while True:
            shards = list(self._shards(["key", "reason"]))
            index = Index.of(shards)
            place = index.find(keys)
            lost = np.flatnonzero(place < 0)
            if not len(lost) or time.monotonic() >= end:
                break
            time.sleep(min(1.0, patience))
        if len(lost):
            self._refuse(len(pc.unique(keys.take(lost))), keys, keys[int(lost[0])].as_py())
        return [shard._replace(table=None) for shard in shards], place

    def _refuse(self, lost: int, keys: pa.Array, first: str) -> None:
        raise OodexpError(
            f"{self.folder}: {lost} of {len(pc.unique(keys))} results were never written (first "
            f"{first[:16]}): a worker died. Start the same command again: it does the rest"
        )

    def _whole(self, shard: Shard) -> pa.Table:
        """All columns of a shard that was there a moment ago."""
        if not isinstance(shard.path, Path):
            return shard.path
        table = opened(shard.path)
        if table is None:
            self.torn.append(shard.path.name)
            raise OodexpError(
                f"{shard.path}: damaged while this run was at work, and set aside. Start the same "
                "command again: it does the rest"
            )
        return table

    def _shards(self, columns: list[str]) -> Iterator[Shard]:
        """Some columns of all shards, one after the other."""
        # Journals first: a shard is written before its journal goes, so no row is missed.
        for whole in self._journals(None):
            yield Shard(whole, whole.num_rows, whole.select(columns))
        for path in sorted(self.folder.glob("*.parquet")):
            table = opened(path, columns, path.name in self._sound)
            if table is None:
                self.torn.append(path.name)
                continue
            self._sound.add(path.name)
            yield Shard(path, table.num_rows, table)

    def _journals(self, columns: list[str] | None) -> list[pa.Table]:
        tables = []
        for path in sorted(self.folder.glob(PATTERN)) if self._schema is not None else ():
            with suppress(FileNotFoundError):  # just folded
                table = journaled(path, self._schema)[0]
                tables.append(table.select(columns) if columns else table)
        return tables
