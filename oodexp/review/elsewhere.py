"""Verdicts that people made with other tools, as a CSV file."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from oodexp.error import OodexpError
from oodexp.review.sample import PAIR
from oodexp.review.standing import VERDICT

_NEEDED = ("rater", "image_id", "category", "verdict")
_OPTIONAL = ("source", "reason", "note", "seconds", "at")
_FORM = (
    f"a CSV file with the columns {', '.join(_NEEDED)} and, if wanted, {', '.join(_OPTIONAL)}; "
    "verdict is yes, no or unsure"
)

Row = tuple[dict[str, Any], str | None]
"""A line as a journal holds it, and why its pair cannot be told, if so."""


def read(path: Path, pairs: pd.DataFrame) -> Iterator[Row]:
    """The rows of a CSV file as lines of a journal, in order.

    A row without a source is about the only pair with its image and category; two such pairs in
    different sources cannot be told apart.

    Args:
        path: The file, UTF-8.
        pairs: Columns `source`, `image_id`, `category` of all pairs that a verdict can be about.

    Raises:
        OodexpError: If the file is no such table.
    """
    known: dict[tuple[str, str], list[str]] = {}
    for source, image_id, category in pairs[PAIR].itertuples(index=False):
        known.setdefault((image_id, category), []).append(source)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file, strict=True)
            _check(path, list(rows.fieldnames or ()))
            for row in rows:
                yield _row(row, known)
    except (UnicodeDecodeError, csv.Error) as error:
        raise OodexpError(f"{path}: cannot be read ({error}); expected {_FORM}") from error


def _check(path: Path, columns: list[str]) -> None:
    lacking = [name for name in _NEEDED if name not in columns]
    unknown = [name for name in columns if name not in (*_NEEDED, *_OPTIONAL)]
    if lacking or unknown or len(set(columns)) < len(columns):
        raise OodexpError(
            f"{path}: missing columns {lacking}, unknown columns {unknown}; expected {_FORM}"
        )


def _row(row: dict[str, Any], known: dict[tuple[str, str], list[str]]) -> Row:
    line: dict[str, Any] = {"kind": VERDICT}
    for name in (*_NEEDED, *_OPTIONAL):
        line[name] = (row.get(name) or "").strip() or None
    line["verdict"] = (line["verdict"] or "").lower()
    line["reason"] = (line["reason"] or "").lower().replace("_", " ") or None
    sources = known.get((line["image_id"], line["category"]), [])
    if line["source"] is None and len(sources) == 1:
        line["source"] = sources[0]
    try:
        line["seconds"] = None if line["seconds"] is None else float(line["seconds"])
    except ValueError:
        return line, f"seconds={line['seconds']!r}: expected a number"
    if None in row:
        return line, "more values than columns; put texts with commas in quotes"
    if line["source"] not in sources:
        return line, _lost(sources)
    return line, None


def _lost(sources: list[str]) -> str:
    if len(sources) > 1:
        return f"in several sources ({', '.join(sources)}); give the column source"
    return "no present pair of the run; expected source, image_id and category as in `memberships`"
