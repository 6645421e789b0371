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

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from oodexp.error import OodexpError
from oodexp.predict.journal import PATTERN, Journal, claimed, fold_left
from oodexp.predict.journal import rows as journaled
from oodexp.table import write_arrow

UNREADABLE = "unreadable: "
"""How the reason of a failure begins that lies in the content: trying again would be in vain."""


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
        shards = self._shards(None)
        empty = (self._schema or pa.schema([])).empty_table()
        return pa.concat_tables([empty, *shards], promote_options="default")

    @contextmanager
    def claimed(self) -> Iterator[None]:
        """Lets one process at a time into the block; the others wait."""
        self._describe()
        with claimed(self.folder / "claim.lock"):
            yield

    def _describe(self) -> None:
        if not (self.folder / "fingerprint.json").exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            text = json.dumps(self._fingerprint, indent=1, sort_keys=True)
            (self.folder / "fingerprint.json").write_text(text)

    def missing(self, keys: Iterable[str], retry: bool = False) -> list[str]:
        """The keys without a row, each once, in the given order.

        Args:
            keys: What is wanted.
            retry: Whether a failed row counts as missing, unless it is `UNREADABLE`.
        """
        table = self._load(["key", "reason"])
        if retry:
            reason = table["reason"].astype("str")
            table = table[reason.isna() | reason.str.startswith(UNREADABLE)]
        have = set(table["key"])
        return [key for key in dict.fromkeys(keys) if key not in have]

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
        end = time.monotonic() + patience
        while (lost := self.missing(keys)) and time.monotonic() < end:
            time.sleep(min(1.0, patience))
        if lost:
            raise OodexpError(
                f"{self.folder}: {len(lost)} of {len(set(keys))} results were never written (first "
                f"{lost[0][:16]}): a worker died. Start the same command again: it does the rest"
            )
        shards = self._shards(None)
        if not shards:
            return pa.table({"key": pa.array([], pa.string())})
        # Older shards have fewer columns.
        table = pa.concat_tables(shards, promote_options="default")
        index = table.select(["key", "reason"]).to_pandas()
        index["failed"] = index["reason"].notna()
        first = index.sort_values("failed", kind="stable").drop_duplicates("key")
        position = pd.Series(first.index, index=first["key"])
        return table.take(pa.array(position.loc[list(keys)].to_numpy())).combine_chunks()

    def _load(self, columns: list[str]) -> pd.DataFrame:
        shards = self._shards(columns)
        return pa.concat_tables(shards).to_pandas() if shards else pd.DataFrame(columns=columns)

    def _shards(self, columns: list[str] | None) -> list[pa.Table]:
        # Journals first: a shard is written before its journal goes, so no row is missed.
        tables = self._journals(columns)
        for path in sorted(self.folder.glob("*.parquet")):
            try:
                tables.append(pq.ParquetFile(path).read(columns=columns))
            except (pa.ArrowInvalid, OSError):
                # A disk that filled up or failed: its rows are computed again, the file is kept.
                with suppress(FileNotFoundError):  # another run has set it aside
                    path.rename(path.with_suffix(".torn"))
                self.torn.append(path.name)
        return tables

    def _journals(self, columns: list[str] | None) -> list[pa.Table]:
        tables = []
        for path in sorted(self.folder.glob(PATTERN)) if self._schema is not None else ():
            with suppress(FileNotFoundError):  # just folded
                table = journaled(path, self._schema)[0]
                tables.append(table.select(columns) if columns else table)
        return tables
