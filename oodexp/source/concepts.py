"""Images collected for open-world concepts: one phrase an image, its family, where it is from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from oodexp import table
from oodexp.error import OodexpError
from oodexp.escape import Links
from oodexp.record import UNKNOWN, Concept
from oodexp.source.annotated import Folder
from oodexp.source.cells import NOT_KNOWN, Cells, empty, marked
from oodexp.source.instances import Instances, assemble
from oodexp.source.labels import suggestion
from oodexp.source.tabular import FORMS, Row, rows
from oodexp.text import brief

if TYPE_CHECKING:
    import pandas as pd

_NEEDED = ("image", "phrase", "category")
_OPTIONAL = ("acquisition", "licence", "origin")
_FORM = f"{FORMS}, with the columns {', '.join(_NEEDED)} and, if known, {', '.join(_OPTIONAL)}"


class Concepts(Folder):
    """Images with a concept phrase, by a table of one row per image.

    Columns: `image` (path below the image folder; it is the image's id as well), `phrase` (the
    concept, as inserted into prompts), `category` (the concept's family; all images of a phrase
    have the same), and, each of them optional, `acquisition` (`unknown` when empty), `licence` and
    `origin`. Other columns are noted and not used.

    An image shows its phrase. Of all other phrases nothing is known. To recipes that know pairs,
    phrases are the categories; `concepts` gives the rows of `record.Concept`.

    Args:
        annotations: The table: .csv, .tsv, .jsonl or .parquet.
        images: The folder that `image` starts from.
        name: Name of the data set in every table.
        links: Where links below the image folder may lead: `inside` it, or `anywhere`.

    Raises:
        OodexpError: If the file or the folder is not there, or a value is not what it should be;
            names file, line and column.
    """

    def __init__(
        self, annotations: str, images: str, name: str = "concepts", links: Links = "inside"
    ) -> None:
        super().__init__(annotations, images, name, None, _FORM, "paths in the column image", links)

    def concepts(self) -> pd.DataFrame:
        """`record.Concept` rows, in the order of `images`; of images whose path is safe."""
        known = {concept.image_id: concept for concept in self._told[0]}
        listed = [known[image_id] for image_id in self.images()["image_id"]]
        return table.frame(Concept, listed)

    def _parse(self) -> Instances:
        told, notes = self._told
        return shown(self.name, told, notes=notes)

    @cached_property
    def _told(self) -> tuple[list[Concept], list[tuple[str, str, str]]]:
        told = _Told(self.name)
        for row in rows(self._file):
            told.add(row)
        if not told.concepts:
            raise OodexpError(f"{self._file}: no rows; expected {_FORM}")
        return list(told.concepts.values()), [("", str(self._file), n) for n in told.notes]


def shown(
    name: str, concepts: Sequence[Concept], planted: Sequence[str] | None = None,
    notes: Sequence[tuple[str, str, str]] = (),
) -> Instances:  # fmt: skip
    """Concepts as annotations: each image shows its phrase, and of other phrases nothing is known.

    Args:
        name: Name of the data set.
        concepts: One per image, in order; `image_id` is the file as well.
        planted: Drawn worlds: why each image's pair is out of distribution.
        notes: Image id (or empty), subject and reason of what was left out.

    Returns:
        The annotations; phrases in order of appearance.
    """
    phrases = {concept.phrase: 0 for concept in concepts}
    phrases = {phrase: number for number, phrase in enumerate(phrases)}
    number = len(concepts)
    ones = np.ones(number, dtype=np.int64)
    cells = Cells(
        row=np.arange(number, dtype=np.int64),
        column=np.array([phrases[concept.phrase] for concept in concepts], dtype=np.int64),
        objects=ones,
        count=ones * NOT_KNOWN,
        reason=np.full(number, "not given", dtype=object),
        area=np.full(number, np.nan),
        planted=np.array(planted, dtype=object) if planted else np.full(number, None, object),
    )
    listed = [(concept.image_id, concept.image_id, None, None) for concept in concepts]
    presence = marked(cells, empty(number, len(phrases), UNKNOWN))
    found = assemble(name, listed, list(phrases), list(phrases), cells, presence, notes)
    return replace(found, licences={c.image_id: c.licence for c in concepts if c.licence})


class _Told:
    """What the rows so far say."""

    def __init__(self, source: str) -> None:
        self.concepts: dict[str, Concept] = {}
        self.notes: dict[str, None] = {}
        self._source = source
        self._places: dict[str, str] = {}
        self._families: dict[str, tuple[str, str]] = {}
        self._known: set[frozenset[str]] = set()

    def add(self, row: Row) -> None:
        """Takes in a row."""
        place, values = row
        columns = frozenset(values)
        if columns not in self._known:
            self._check(place, columns)
            self._known.add(columns)
        image, phrase, category = (_needed(place, values, field) for field in _NEEDED)
        line = place.rpartition(", ")[2]
        if image in self.concepts:
            raise OodexpError(
                f"{place}: image {brief(image)} is repeated (first in {self._places[image]}); an "
                "image has one phrase: list it under one, or keep a copy of the file for each"
            )
        family, first = self._families.setdefault(phrase, (category, line))
        if family != category:
            raise OodexpError(
                f"{place}: phrase {brief(phrase)} is of category {brief(category)} here and of "
                f"{brief(family)} in {first}; give every phrase one category"
            )
        acquisition, licence, origin = (_text(place, values, field) for field in _OPTIONAL)
        self._places[image] = line
        self.concepts[image] = Concept(
            self._source, image, phrase, category, acquisition or "unknown", licence, origin
        )

    def _check(self, place: str, columns: frozenset[str]) -> None:
        for name in _NEEDED:
            if name not in columns:
                near = suggestion(name, sorted(columns))
                raise OodexpError(f"{place}: no column {brief(name)}{near}; expected {_FORM}")
        for name in sorted(columns - {*_NEEDED, *_OPTIONAL}):
            near = suggestion(name, [c for c in _OPTIONAL if c not in columns])
            if "did you mean" in near:
                raise OodexpError(f"{place}: unknown column {brief(name)}{near}")
            self.notes[f"note: the column {brief(name)} is not used"] = None


def _text(place: str, values: dict[str, Any], field: str) -> str | None:
    value = values.get(field)
    if value is None or value == "":
        return None
    if not isinstance(value, str) or value != value.strip():
        told = f"{place}: column {field!r}: {brief(value)}"
        raise OodexpError(f"{told}; expected text, no blanks around")
    return value


def _needed(place: str, values: dict[str, Any], field: str) -> str:
    value = _text(place, values, field)
    if value is None:
        raise OodexpError(f"{place}: column {field!r} is empty; expected text")
    return value
