"""Columns of tables in memory or on disk, texts as numbers.

A million questions are a gigabyte of texts, most of which repeat a few names. What works on all of
them takes the columns that it needs, as codes, and joins by number.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from oodexp.stored import Stored

Rows: TypeAlias = pd.DataFrame | Stored
"""A table in memory or on disk."""

PART = 1 << 19
"""Texts that are looked up at once."""


class Codes(NamedTuple):
    """A column of texts as numbers."""

    codes: np.ndarray
    """Number of the text of each row, int32; -1 where there is none."""
    texts: list[str]
    """Each text once."""


def arrow(rows: Rows, name: str, coded: bool = False) -> pa.ChunkedArray:
    """A column of a table in Arrow form; texts as codes where wanted."""
    if isinstance(rows, Stored):
        return rows.arrow(name, coded)
    found = pa.Array.from_pandas(rows[name])
    return found if isinstance(found, pa.ChunkedArray) else pa.chunked_array([found])


def coded(rows: Rows, name: str) -> Codes:
    """A column of texts as codes; the texts in the order that they first stand in."""
    column = arrow(rows, name, coded=True)
    if pa.types.is_null(column.type):
        return Codes(np.full(len(column), -1, np.int32), [])
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    whole = column.unify_dictionaries().combine_chunks()
    if isinstance(whole, pa.ChunkedArray):  # no rows
        return Codes(np.zeros(0, np.int32), [])
    given = whole.indices.fill_null(-1).to_numpy()
    codes = np.full(len(given), -1, np.int32)
    # Categories of pandas may stand in another order, and need not occur.
    codes[given >= 0], used = pd.factorize(given[given >= 0])
    return Codes(codes, [str(text) for text in whole.dictionary.take(used).to_pylist()])


def only(rows: Rows, column: str, value: str) -> Rows:
    """The rows with this value in a column."""
    return rows.only(column, value) if isinstance(rows, Stored) else rows[rows[column] == value]


def different(rows: Rows, names: Sequence[str]) -> int:
    """How many different combinations of the texts of some columns there are, none of them null."""
    number = np.zeros(len(rows), np.int64)
    for name in names:
        column = coded(rows, name)
        number = number * len(column.texts) + column.codes
    return len(np.unique(number))


def positions(known: Rows, wanted: Rows, on: Sequence[str]) -> np.ndarray:
    """Number of the row of `known` with the same values in some columns, int64; -1 for none.

    Args:
        known: Each combination once.
        wanted: The rows to find.
        on: Columns of texts without nulls.
    """
    if len(on) == 1:
        names = _plain(arrow(known, on[0]))
        parts = [
            pc.index_in(_plain(part), value_set=names).fill_null(-1).to_numpy()
            for part in _in_parts(wanted, on[0])
        ]
        return np.concatenate([np.zeros(0, np.int64), *parts], dtype=np.int64)
    keys = np.zeros(len(known), np.int64)
    asked = np.zeros(len(wanted), np.int64)
    lost = np.zeros(len(wanted), bool)
    for name in on:
        mine, theirs = coded(known, name), coded(wanted, name)
        number = pd.Index(mine.texts).get_indexer(theirs.texts)
        place = np.append(number, -1)[theirs.codes]
        lost |= place < 0
        keys = keys * len(mine.texts) + mine.codes
        asked = asked * len(mine.texts) + place
    order = np.argsort(keys, kind="stable")
    at = np.searchsorted(keys, asked, sorter=order)
    found = order[np.minimum(at, max(0, len(order) - 1))] if len(order) else at * 0
    right = ~lost & (at < len(order))
    right[right] &= keys[found[right]] == asked[right]
    return np.where(right, found, -1)


def matching(rows: Rows, known: pd.DataFrame, on: Sequence[str]) -> pd.DataFrame:
    """The rows whose values in some columns are those of a row of `known`, in order."""
    parts = rows.parts() if isinstance(rows, Stored) else [rows]
    found = [part[positions(known, part, on) >= 0] for part in parts]
    return pd.concat(found, ignore_index=True) if found else known.iloc[:0]


def _in_parts(rows: Rows, name: str) -> Iterable[pa.Array]:
    """A column in parts that are large beside the work that each of them takes."""
    if isinstance(rows, Stored):
        return rows.arrow_parts(name, PART)
    return [arrow(rows, name)]


def _plain(column: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Texts as such, not as numbers, of the one type that all texts here are compared in."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return column if pa.types.is_string(column.type) else column.cast(pa.string())
