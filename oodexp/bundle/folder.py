"""A bundle opened with distrust: every file is the one that `bundle.json` names, or is refused."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from oodexp import table
from oodexp.bundle import matrix
from oodexp.bundle.layout import (
    MANIFEST,
    SUMS,
    TABLES,
    presence_file,
    score_file,
    table_file,
)  # fmt: skip
from oodexp.bundle.manifest import BundledSource, parse
from oodexp.error import OodexpError
from oodexp.escape import escape, read_file
from oodexp.record import UNKNOWN

if TYPE_CHECKING:
    import pandas as pd

_AGAIN = "copy the bundle again, or export it anew"


class BundleFolder:
    """A bundle on disk. Opening it reads `bundle.json`; tables are read when they are asked for.

    Checksums tell a torn or changed file, not who made the bundle: a person who rewrites them all
    has made another bundle, whose `content_sha256` is another.

    Args:
        folder: The folder.

    Raises:
        OodexpError: If there is no bundle, its version is not known, `bundle.json` is not as it
            should be or not what the checksums say, or a table is missing.
    """

    def __init__(self, folder: str) -> None:
        self.path = Path(folder).expanduser()
        file = self.path / MANIFEST
        try:
            data, sums = read_file(file), read_file(self.path / SUMS)
        except OSError as error:
            raise OodexpError(
                f"bundle {folder}: no {Path(error.filename or file).name} ({error.strerror}); "
                "expected the whole folder that experiment=export export=bundle wrote"
            ) from error
        self.manifest = parse(data, file)
        digest = hashlib.sha256(data).hexdigest()
        if f"{digest}  {MANIFEST}".encode() not in sums.splitlines():
            raise OodexpError(f"{file}: sha256 {digest} is not that of {SUMS}; {_AGAIN}")
        for name in self._needed():
            self._path(name)

    def source(self, name: str) -> BundledSource:
        """A source by its name.

        Raises:
            OodexpError: If the bundle has none of this name; lists those that it has.
        """
        for source in self.manifest.sources:
            if source.name == name:
                return source
        have = [source.name for source in self.manifest.sources]
        raise OodexpError(f"bundle {self.path}: no source {name!r}; it holds {have}")

    def table(self, name: str, source: str | None = None) -> pd.DataFrame:
        """A table of `layout.TABLES`, checked against its record.

        Args:
            name: Name of the table.
            source: Rows of this source only; None for all.

        Raises:
            OodexpError: If the file is torn or changed, or columns, types or keys are not those of
                the record.
        """
        path, record = self._verified(table_file(name)), TABLES[name]
        found, want = _parquet(path), table.schema(record)
        if found.schema.names != want.names or found.schema.types != want.types:
            raise OodexpError(
                f"{path}: columns {_said(found.schema)}; expected {_said(want)}: {_AGAIN}"
            )
        try:
            rows = table.from_arrow(record, found)
        except OodexpError as error:
            raise OodexpError(f"{path}: {error}; {_AGAIN}") from error
        have = [each.name for each in self.manifest.sources]
        strange = sorted(set(rows["source"]) - {"", *have})
        if strange:
            raise OodexpError(f"{path}: rows of source {strange[0]!r}; {MANIFEST} lists {have}")
        return rows if source is None else rows[rows["source"] == source].reset_index(drop=True)

    def presence(self, source: BundledSource) -> tuple[list[str], np.ndarray]:
        """Image ids, and codes of `record`, uint8, (image, category).

        Raises:
            OodexpError: If the file is torn, changed, or not such a matrix.
        """
        ids, codes = self._matrix(presence_file(source.number), np.uint8, source)
        if codes.size and codes.max() > UNKNOWN:
            where = self.path / presence_file(source.number)
            raise OodexpError(f"{where}: code {codes.max()}; expected 0, 1 or 2: {_AGAIN}")
        return ids, codes

    def logits(self, source: BundledSource) -> dict[str, tuple[list[str], np.ndarray]]:
        """Image ids, and scaled logits, float32, (image, category), NaN where unscored, by scorer.

        Raises:
            OodexpError: If a file is torn, changed, or not such a matrix.
        """
        return {
            scorer.name: self._matrix(
                score_file(scorer.number, source.number), np.float32, source
            )
            for scorer in self.manifest.scorers
        }  # fmt: skip

    def _needed(self) -> list[str]:
        told = self.manifest
        return [
            *map(table_file, TABLES),
            *(presence_file(source.number) for source in told.sources),
            *(score_file(k.number, n.number) for k in told.scorers for n in told.sources),
        ]

    def _matrix(
        self, name: str, kind: type, source: BundledSource
    ) -> tuple[list[str], np.ndarray]:  # fmt: skip
        path = self._verified(name)
        return matrix.from_arrow(_parquet(path), kind, len(source.categories), str(path))

    def _path(self, name: str) -> Path:
        path = self.path / name
        why = escape(name, self.path, self.path.resolve())
        if why is not None:
            raise OodexpError(f"{path}: {why}; a bundle holds its own files: do not use this one")
        if name not in self.manifest.files:
            raise OodexpError(f"{self.path / MANIFEST}: files has no {name}; {_AGAIN}")
        if not path.is_file():
            raise OodexpError(f"{path}: no such file, but {MANIFEST} names it; {_AGAIN}")
        return path

    def _verified(self, name: str) -> Path:
        path = self._path(name)
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        if digest != self.manifest.files[name]:
            want = self.manifest.files[name]
            raise OodexpError(f"{path}: sha256 {digest}, but {MANIFEST} says {want}; {_AGAIN}")
        return path


def _parquet(path: Path) -> pa.Table:
    try:
        with pq.ParquetFile(path) as file:
            rows = file.read()
        rows.validate(full=True)  # texts that are no UTF-8, among other things
        # Without metadata, which could tell pandas to take columns for an index.
        return rows.replace_schema_metadata(None)
    except (pa.ArrowException, OSError, ValueError) as error:
        told = " ".join(str(error).split())
        raise OodexpError(f"{path}: not a whole Parquet file ({told}); {_AGAIN}") from error


def _said(schema: pa.Schema) -> str:
    return ", ".join(f"{field.name}: {field.type}" for field in schema)
