"""Records to Parquet and back; unknown, missing and repeated keys are refused."""

from __future__ import annotations

import base64
import os
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import IO, Any, Union, get_args, get_origin, get_type_hints

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from oodexp import scratch
from oodexp.error import OodexpError

ZSTD = "zstd"

_ARROW = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
_NULLABLE = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}


def schema(record: type) -> pa.Schema:
    """Arrow schema of a record: field order, types, and which columns may be null."""
    hints = get_type_hints(record, include_extras=True)
    return pa.schema([_column(f.name, hints[f.name]) for f in fields(record)])


def frame(
    record: type, rows: Iterable[Any] | Mapping[str, Sequence[Any] | Any] = ()
) -> pd.DataFrame:
    """A checked table from record instances, or from columns by name.

    Args:
        record: The record class.
        rows: Instances of the record, or a mapping of column name to values (a lone value is
            repeated).

    Raises:
        OodexpError: If the columns or the keys do not fit the record.
    """
    if isinstance(rows, Mapping):
        return check(record, pd.DataFrame(dict(rows)))
    names = [f.name for f in fields(record)]
    values = [[getattr(row, n) for n in names] for row in rows]
    # As objects: pandas would turn whole numbers beside a null into floats.
    return check(record, pd.DataFrame(values, columns=names, dtype=object))


def check(record: type, table: pd.DataFrame) -> pd.DataFrame:
    """The table with the record's columns, order and types.

    Raises:
        OodexpError: Names unknown and missing columns, nulls where a value is needed, values of
            the wrong type, and the first repeated key.
    """
    # pandas keeps texts as large strings: written so at once, they are not copied.
    return to_pandas(_arrow(record, table, pa.large_string()))


def to_arrow(record: type, table: pd.DataFrame) -> pa.Table:
    """The checked table in Arrow form (see `check`)."""
    return _arrow(record, table, pa.string())


def write(record: type, table: pd.DataFrame, path: Path) -> Path:
    """Writes the checked table as Parquet, atomically: a reader sees all of it or none."""
    write_arrow(to_arrow(record, table), path)
    return path


def write_arrow(table: pa.Table, path: Path) -> None:
    """Writes an Arrow table as `replacing` does."""
    with replacing(path) as sink:
        pq.write_table(table, sink, compression=ZSTD, write_page_checksum=True)


def read_arrow(path: Path) -> pa.Table:
    """Reads what `write_arrow` wrote; a file that was damaged since is refused.

    Raises:
        ArrowInvalid, OSError: If a page is not what its checksum says, or a column not what the
            second copy of the schema says that Arrow keeps in the file.
    """
    with pq.ParquetFile(path, page_checksum_verification=True) as file:
        rows = file.read()
        kept = (file.metadata.metadata or {}).get(b"ARROW:schema")
    if kept is not None:
        second = pa.ipc.read_schema(pa.BufferReader(base64.b64decode(kept)))
        if not rows.schema.equals(second):
            raise pa.ArrowInvalid(f"{path.name}: its two copies of the schema are not the same")
    return rows


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file under another name, which is flushed and renamed when the block ends well."""
    with scratch.replacing(path) as name, name.open("wb") as sink:
        yield sink
        sink.flush()
        os.fsync(sink.fileno())


def read(record: type, path: Path) -> pd.DataFrame:
    """Reads and checks a table written by `write`."""
    return from_arrow(record, read_arrow(path))


def from_arrow(record: type, rows: pa.Table) -> pd.DataFrame:
    """The table in pandas form, checked (see `check`)."""
    return check(record, to_pandas(rows))


def concat(record: type, tables: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """The rows of all tables, in order, checked as one table."""
    parts = [to_arrow(record, t) for t in tables]
    filled = [part for part in parts if part.num_rows]
    if len(filled) < 2:  # checked already
        return to_pandas(filled[0]) if filled else frame(record)
    return check(record, to_pandas(pa.concat_tables(filled)))


def _arrow(record: type, table: pd.DataFrame, text: pa.DataType) -> pa.Table:
    want = schema(record)
    _same_columns(record, list(table.columns), want.names)
    found = {field.name: _array(record, table[field.name], field) for field in want}
    _unique(record, table, found)
    fields = [f.with_type(text) if pa.types.is_string(f.type) else f for f in want]
    return pa.table([found[f.name].cast(f.type) for f in fields], schema=pa.schema(fields))


def _column(name: str, hint: Any) -> pa.Field:
    inner, nullable = hint, False
    if get_origin(hint) in (Union, types.UnionType):
        inner = next(a for a in get_args(hint) if a is not type(None))
        nullable = True
    if hasattr(inner, "__metadata__"):
        return pa.field(name, pa.type_for_alias(inner.__metadata__[0]), nullable)
    return pa.field(name, _ARROW[inner], nullable)


def to_pandas(table: pa.Table) -> pd.DataFrame:
    """An Arrow table of a record, or some columns of it, as a table of this module."""
    nullable = [f.name for f in table.schema if f.nullable]
    strict = [name for name in table.column_names if name not in nullable]
    parts = [
        table.select(strict).to_pandas(),
        table.select(nullable).to_pandas(types_mapper=_NULLABLE.get),
    ]
    return pd.concat(parts, axis="columns")[table.column_names]


def _same_columns(record: type, have: list[str], want: list[str]) -> None:
    unknown, missing = sorted(set(have) - set(want)), sorted(set(want) - set(have))
    if unknown or missing:
        raise OodexpError(
            f"table of {record.__name__}: unknown columns {unknown}, missing columns {missing}; "
            f"expected {want}"
        )


def _array(record: type, values: pd.Series, field: pa.Field) -> pa.Array:
    where = f"table of {record.__name__}, column {field.name!r}"
    try:
        # Inferred first: a direct conversion reads the text "1.5" as a number and True as 1.
        array = pa.Array.from_pandas(values)
        if isinstance(array, pa.ChunkedArray):
            array = array.combine_chunks()
        if array.null_count == len(array):
            array = pa.nulls(len(array), field.type)
        elif not _becomes(array.type, field.type):
            raise pa.ArrowTypeError(f"found {array.type}")
        if not _is_text(array.type):  # written in its own form later
            array = array.cast(field.type)
    except (pa.ArrowException, OverflowError, UnicodeEncodeError) as error:
        raise OodexpError(f"{where}: expected {field.type}; {error}") from error
    if array.null_count and not field.nullable:
        row = array.is_null().index(True).as_py()
        raise OodexpError(f"{where}: null in row {row}, but a value is needed")
    return array


def _becomes(found: pa.DataType, wanted: pa.DataType) -> bool:
    if pa.types.is_dictionary(found):
        found = found.value_type
    if pa.types.is_string(wanted):
        return _is_text(found)
    if pa.types.is_boolean(wanted):
        return pa.types.is_boolean(found)
    # pandas keeps whole numbers with gaps as floats; the cast refuses a fraction.
    return pa.types.is_integer(found) or pa.types.is_floating(found)


def _is_text(found: pa.DataType) -> bool:
    inner = found.value_type if pa.types.is_dictionary(found) else found
    return pa.types.is_string(inner) or pa.types.is_large_string(inner)


def _unique(record: type, table: pd.DataFrame, arrays: Mapping[str, pa.Array]) -> None:
    key = list(record.KEY)  # type: ignore[attr-defined]
    number = _numbered([arrays[name] for name in key])
    # Rows in the order of their keys, as most are written, need no search.
    if number is not None and (np.diff(number) > 0).all():
        return
    repeated = table.duplicated(key) if number is None else pd.Series(number).duplicated()
    if repeated.any():
        first = table[key].iloc[int(repeated.to_numpy().argmax())].to_dict()
        raise OodexpError(
            f"table of {record.__name__}: {int(repeated.sum())} repeated keys, first {first}; "
            f"{', '.join(key)} must occur once"
        )


def _numbered(columns: Sequence[pa.Array]) -> np.ndarray | None:
    """One number a row, equal where all columns are; None where 64 bits are not enough."""
    total, number = 1, np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        total *= max(1, len(coded.dictionary))
        if total >= 2**63:
            return None
        number = number * len(coded.dictionary) + coded.indices.to_numpy()
    return number
