"""Tables of predictions as other programs write them: rows of .jsonl, .json, .csv, .tsv, .xlsx."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from oodexp.error import OodexpError
from oodexp.text import brief
from oodexp.vlm.workbook import read_workbook

FORMS = ".jsonl, .json, .csv, .tsv or .xlsx"
"""Endings that are read, for messages."""

Row = tuple[str, Mapping[str, Any]]
"""A row's place, such as `answers.jsonl, row 3`, and its values by column."""


def rows(path: Path) -> Iterator[Row]:
    """The rows of a table with their places; texts stay texts, an empty cell of .csv is "".

    Raises:
        OodexpError: If the file is not there or not what its ending says; names the row.
    """
    readers = {
        ".jsonl": _jsonl, ".ndjson": _jsonl, ".json": _json, ".csv": _csv, ".tsv": _csv,
        ".xlsx": read_workbook,
    }  # fmt: skip
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise OodexpError(f"{path}: ending {path.suffix!r}; expected {FORMS}")
    if not path.is_file():
        raise OodexpError(f"{path}: no such file; expected a table {FORMS}")
    try:
        for number, row in enumerate(reader(path), 1):
            place = f"{path}, row {number}"
            if not isinstance(row, Mapping):
                raise OodexpError(f"{place}: {brief(row)}; expected an object with columns")
            yield place, row
    except UnicodeDecodeError as error:
        raise OodexpError(f"{path}: not UTF-8 ({error.reason})") from error


def _jsonl(path: Path) -> Iterator[Any]:
    with path.open(encoding="utf-8-sig") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield _parsed(line, f"{path}, line {number}")


def _json(path: Path) -> Iterator[Any]:
    """A list of objects, or columns by name, each a list or a mapping from row to value."""
    told = _parsed(path.read_text("utf-8-sig"), str(path))
    if isinstance(told, Mapping):
        columns = {n: list(c.values()) if isinstance(c, Mapping) else c for n, c in told.items()}
        lengths = {len(c) if isinstance(c, list) else -1 for c in columns.values()}
        if len(lengths) != 1 or -1 in lengths:
            raise OodexpError(f"{path}: expected a list of objects, or equal columns")
        told = [dict(zip(columns, v, strict=True)) for v in zip(*columns.values(), strict=True)]
    if not isinstance(told, list):
        raise OodexpError(f"{path}: expected a list of objects, one a question")
    yield from told


def _csv(path: Path) -> Iterator[Any]:
    import pandas as pd

    separator = "\t" if path.suffix.lower() == ".tsv" else ","
    try:
        # Nothing is a missing value: the answers "None" and "NA" are texts.
        found = pd.read_csv(
            path, sep=separator, dtype=str, keep_default_na=False, encoding="utf-8-sig"
        )
    except UnicodeDecodeError:
        raise
    except (pd.errors.ParserError, pd.errors.EmptyDataError, ValueError) as error:
        raise OodexpError(f"{path}: not a table ({error})") from error
    yield from found.to_dict("records")


def _parsed(text: str, place: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise OodexpError(f"{place}: not JSON ({error})") from error
