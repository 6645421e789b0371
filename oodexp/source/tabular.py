"""Rows of a CSV, TSV, JSONL or Parquet file, each with its place, for messages."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from oodexp.error import OodexpError
from oodexp.text import brief

FORMS = "a table .csv, .tsv (comma or tab, with a header line), .jsonl or .parquet"
"""What `rows` reads, for messages."""

Row = tuple[str, dict[str, Any]]
"""A row's place, such as `list.csv, line 3`, and its values by column; null where empty."""


def rows(path: Path) -> Iterator[Row]:
    """The rows of a table, one by one; the texts of a CSV file stay texts.

    Args:
        path: The file; its ending tells the form.

    Raises:
        OodexpError: Names file and line of what is not a row, and a form that is not read.
    """
    if path.suffix in (".csv", ".tsv"):
        yield from _csv(path)
    elif path.suffix in (".jsonl", ".ndjson"):
        yield from _jsonl(path)
    elif path.suffix == ".parquet":
        yield from _parquet(path)
    else:
        raise OodexpError(f"{path}: ending {path.suffix!r}; expected {FORMS}")


def _csv(path: Path) -> Iterator[Row]:
    delimiter = "\t" if path.suffix == ".tsv" else ","
    with path.open(encoding="utf-8-sig", newline="") as file:
        lines = csv.reader(file, delimiter=delimiter, skipinitialspace=True, strict=True)
        try:
            header = next(lines, [])
            if len(set(header)) < len(header):
                twice = sorted({h for h in header if header.count(h) > 1})
                raise OodexpError(f"{path}, line 1: columns {twice} are repeated")
            for fields in filter(None, lines):
                place = f"{path}, line {lines.line_num}"
                if len(fields) != len(header):
                    raise OodexpError(
                        f"{place}: {len(fields)} fields; expected {len(header)} as in the header "
                        "(a value with a comma or a quote needs quotes)"
                    )
                yield place, {h: f or None for h, f in zip(header, fields, strict=True)}
        except (csv.Error, UnicodeDecodeError) as error:
            where = f"{path}, line {lines.line_num + 1}"
            raise OodexpError(f"{where}: {error}; expected {FORMS}, in UTF-8") from error


def _jsonl(path: Path) -> Iterator[Row]:
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            place = f"{path}, line {number}"
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise OodexpError(f"{place}: not JSON ({error})") from error
            if not isinstance(row, dict):
                raise OodexpError(
                    f"{place}: {brief(row)}; expected an object with the columns as keys"
                )
            yield place, row


def _parquet(path: Path) -> Iterator[Row]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            number = 0
            for batch in file.iter_batches(batch_size=8192):
                for row in batch.to_pylist():
                    yield f"{path}, row {number}", row
                    number += 1
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        raise OodexpError(f"{path}: not a Parquet file ({error})") from error
