"""Rows with mistakes as tables of every form."""

from __future__ import annotations

import io
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.input.odd import damaged, dumped

FORMS = ("csv", "tsv", "jsonl", "parquet")


def tabular(rows: Any, random: Random, folder: Path) -> Path:
    """The rows as a table of any form, damaged."""
    rows = [row if isinstance(row, dict) else {"image": row} for row in listed(rows)]
    form = random.choice(FORMS)
    file = folder / f"table.{form}"
    columns = [str(c) for c in dict.fromkeys(key for row in rows for key in row)]
    if form == "parquet":
        file.write_bytes(damaged(parquet(rows, columns, random), random))
    elif form == "jsonl":
        lines = b"\n".join(dumped(row, random) for row in rows)
        file.write_bytes(damaged(lines, random))
    else:
        mark = "\t" if form == "tsv" else ","
        quote = '"' if random.random() < 0.5 else ""
        lines = [columns, *([_cell(row.get(c)) for c in columns] for row in rows)]
        text = "\n".join(mark.join(f"{quote}{cell}{quote}" for cell in line) for line in lines)
        file.write_bytes(damaged(text.encode("utf-8", "replace"), random))
    return file


def listed(rows: Any) -> list[Any]:
    return rows if isinstance(rows, list) else [rows]


def _cell(value: Any) -> str:
    return "" if value is None else str(value)[:6_000] if not isinstance(value, int) else hex(value)


def parquet(rows: list[dict[str, Any]], columns: list[str], random: Random) -> bytes:
    """A Parquet file of the rows; a column whose values do not fit together becomes text."""
    sink = io.BytesIO()
    arrays = []
    for column in columns:
        values = [row.get(column) for row in rows]
        try:
            array = pa.array(values)
            pq.write_table(pa.table([array], names=["a"]), io.BytesIO())
        except (pa.ArrowException, OverflowError, ValueError):
            array = pa.array([repr(v)[:100] for v in values])
        arrays.append(array)
    kinds = [pa.binary(), pa.date32(), pa.float16(), pa.uint64(), pa.bool_()]
    if arrays and random.random() < 0.3:
        arrays[random.randrange(len(arrays))] = pa.nulls(len(rows), random.choice(kinds))
    names = [c.encode("utf-8", "replace").decode() for c in columns]
    pq.write_table(pa.table(arrays, names=names), sink)
    return sink.getvalue()
