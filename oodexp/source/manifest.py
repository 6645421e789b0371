"""A plain list of what is in which image, for any data set that no other source reads."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from oodexp.error import OodexpError
from oodexp.escape import Links
from oodexp.record import ABSENT, PRESENT, UNKNOWN
from oodexp.source.annotated import Folder
from oodexp.source.cells import NOT_KNOWN, Cells, empty, marked
from oodexp.source.instances import Instances, assemble
from oodexp.source.labels import Given, suggestion
from oodexp.source.tabular import FORMS, Row, rows
from oodexp.text import brief

CODES = {"absent": ABSENT, "present": PRESENT, "unknown": UNKNOWN}
"""What the column `presence` and the setting `rest` may say."""

_MOST = 2**31 - 1
"""Largest count of one category in one image."""

_COLUMNS = ("image", "category", "presence", "count", "area")
_FORM = f"{FORMS}, with the columns image, category and, if known, presence, count, area"


class Manifest(Folder):
    """Images and presence by a table of one row per image and category.

    Columns: `image` (path below the image folder; it is the image's id as well); `category` (empty
    to list an image of which nothing is said); and, each of them optional, `presence` (`present`,
    `absent`, `unknown`; present when empty), `count` (instances, >= 1; not known when empty) and
    `area` (square pixels of the largest instance). Other columns are noted and not used.

    Args:
        annotations: The table: .csv, .tsv, .jsonl or .parquet.
        images: The folder that `image` starts from.
        rest: What holds for the cells that have no row: `unknown`, as most lists name only what
            somebody looked for, or `absent` for a list that is complete. Unknown cells compete in
            the softmax like absent ones by default (`division.unknown`), but are never asked
            about as absent.
        categories: All categories, in order; those of the table, in order of appearance, if None.
        name: Name of the data set in every table.
        labels: Texts to show instead: a mapping, or the path of a file (see `source.labels`).
        links: Where links below the image folder may lead: `inside` it, or `anywhere`.

    Raises:
        OodexpError: If the file or the folder is not there, or a value is not what it should be;
            names file, line and column.
    """

    def __init__(
        self, annotations: str, images: str, rest: str = "unknown",
        categories: Sequence[str] | None = None, name: str = "manifest", labels: Given = None,
        links: Links = "inside",
    ) -> None:  # fmt: skip
        super().__init__(
            annotations, images, name, labels, _FORM, "paths in the column image", links
        )
        if rest not in ("absent", "unknown"):
            raise OodexpError(f"source rest={rest}: expected absent or unknown")
        self._rest = rest
        self._given = unique(categories)

    def _parse(self) -> Instances:
        told = _Told(self._given)
        for row in rows(self._file):
            told.add(row)
        if not told.images:
            raise OodexpError(f"{self._file}: no rows; expected {_FORM}")
        names = list(told.categories)
        presence = empty(len(told.images), len(names), CODES[self._rest])
        for cell, code in told.said.items():
            presence[cell] = code
        listed = [(file, file, None, None) for file in told.images]
        texts = self._labels.texts(names, self.name) if self._labels else names
        cells = told.cells()
        notes = [("", str(self._file), note) for note in told.notes]
        return assemble(self.name, listed, names, texts, cells, marked(cells, presence), notes)


def unique(categories: Sequence[str] | None) -> list[str] | None:
    """A given list of categories, checked.

    Raises:
        OodexpError: If one is repeated or no text.
    """
    if categories is None:
        return None
    for number, name in enumerate(categories):
        if not isinstance(name, str) or not name.strip() or name in categories[:number]:
            raise OodexpError(f"source categories[{number}]={brief(name)}: expected each name once")
    return list(categories)


class _Told:
    """What the rows so far say."""

    def __init__(self, categories: list[str] | None) -> None:
        self.images: dict[str, int] = {}
        self.categories: dict[str, int] = {c: n for n, c in enumerate(categories or ())}
        self.said: dict[tuple[int, int], int] = {}
        self.notes: dict[str, None] = {}
        self._closed = categories is not None
        self._places: dict[tuple[int, int], str] = {}
        self._present: list[tuple[int, int, int, float]] = []
        self._known: set[frozenset[str]] = set()

    def add(self, row: Row) -> None:
        """Takes in a row."""
        place, values = row
        columns = frozenset(values)
        if columns not in self._known:
            self._check(place, columns)
            self._known.add(columns)
        image = _text(place, values, "image")
        if image is None:
            raise OodexpError(f"{place}: column 'image' is empty; expected a path")
        at = self.images.setdefault(image, len(self.images))
        category = _text(place, values, "category")
        said = _text(place, values, "presence")
        count = _number(place, values, "count")
        area = _number(place, values, "area")
        if category is None:
            if (said, count, area) != (None, None, None):
                raise OodexpError(f"{place}: column 'category' is empty, but something is said")
            return
        cell = at, self._column(place, category)
        if cell in self.said:
            raise OodexpError(
                f"{place}: {brief(image)}, {brief(category)} is repeated (first in "
                f"{self._places[cell]}); give one row with a count"
            )
        self._places[cell] = place.rpartition(", ")[2]
        self.said[cell] = code = _code(place, said)
        self._fits(place, code, count)
        if code == PRESENT:
            known = NOT_KNOWN if count is None else int(count)
            self._present.append((*cell, known, math.nan if area is None else area))

    def cells(self) -> Cells:
        """The cells that are present."""
        told = sorted(self._present)
        row, column, count = np.array([t[:3] for t in told], dtype=np.int64).reshape(-1, 3).T
        nothing = np.full(len(told), None, dtype=object)
        reason = nothing.copy()
        reason[count == NOT_KNOWN] = "not given"
        area = np.array([t[3] for t in told], dtype=np.float64)
        return Cells(row, column, np.maximum(count, 1), count, reason, area, nothing)

    def _check(self, place: str, columns: frozenset[str]) -> None:
        for name in ("image", "category"):
            if name not in columns:
                raise OodexpError(
                    f"{place}: no column {brief(name)}; it has {brief(sorted(columns))}"
                )
        for name in sorted(columns - set(_COLUMNS)):
            near = suggestion(name, [c for c in _COLUMNS if c not in columns])
            if "did you mean" in near:
                raise OodexpError(f"{place}: unknown column {brief(name)}{near}")
            self.notes[f"note: the column {brief(name)} is not used"] = None

    def _column(self, place: str, category: str) -> int:
        if self._closed and category not in self.categories:
            raise OodexpError(
                f"{place}: column 'category': {brief(category)} is not one of source.categories"
                f"{suggestion(category, list(self.categories))}"
            )
        return self.categories.setdefault(category, len(self.categories))

    @staticmethod
    def _fits(place: str, code: int, count: float | None) -> None:
        least = 1 if code == PRESENT else 0
        if count is None or (count == 0 and code == ABSENT):
            return
        if not count.is_integer() or not least <= count <= _MOST or code != PRESENT:
            raise OodexpError(
                f"{place}: column 'count': {count:g}; expected a whole number >= 1 (at most "
                f"{_MOST:,}) of what is present, 0 or nothing of what is absent, nothing of what "
                "is unknown"
            )


def _text(place: str, values: dict[str, Any], field: str) -> str | None:
    value = values.get(field)
    if value is None or value == "":
        return None
    if not isinstance(value, str) or value != value.strip():
        told = f"{place}: column {field!r}: {brief(value)}"
        raise OodexpError(f"{told}; expected text, no blanks around")
    return value


def _number(place: str, values: dict[str, Any], field: str) -> float | None:
    value = values.get(field)
    if value is None or value == "" or value != value:
        return None
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number) or number < 0:
        raise OodexpError(f"{place}: column {field!r}: {brief(value)}; expected a number >= 0")
    return number


def _code(place: str, said: str | None) -> int:
    if said is not None and said not in CODES:
        raise OodexpError(
            f"{place}: column 'presence': {brief(said)}; expected present, absent or unknown"
        )
    return CODES[said or "present"]
