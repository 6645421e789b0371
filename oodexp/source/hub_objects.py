"""The objects of a Hugging Face detection data set, counted file by file."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from oodexp.error import OodexpError
from oodexp.source.cells import Cells
from oodexp.source.hub_schema import class_names, fields_of, fits, leaves, values
from oodexp.source.instances import Listed
from oodexp.text import brief, mended

_CROWD = ("iscrowd", "is_crowd")
_WIDEST = 1 << 31  # pixels
_IMAGE_COLUMNS = ("image_id", "width", "height")


class Columns(NamedTuple):
    """What things are called in a data set."""

    image: str
    """Column of the image."""
    objects: str
    """Column of the objects."""
    category: str
    """Field of an object's category."""
    boxes: str
    """`xywh` or `xyxy`."""


def _wanted(category: str) -> dict[str, str]:
    """What the fields of an object must hold."""
    marks = dict.fromkeys(_CROWD, "marks")
    return {category: "classes", "area": "numbers", "bbox": "boxes", **marks}


class Objects:
    """Images and objects of the files read so far.

    Args:
        columns: What things are called.
        names: Class names in the order of their numbers; None to find them.
    """

    def __init__(self, columns: Columns, names: list[str] | None) -> None:
        self.listed: list[Listed] = []
        """The images, in order."""
        self.rows: dict[str, int] = {}
        """Row of each image, by id."""
        self.problems: list[tuple[str, str, str]] = []
        """Image id, subject and reason of objects that could not be placed."""
        self._columns = columns
        self._names = names
        self._texts = False
        self._row: list[int] = []
        self._category: list[int | str] = []
        self._crowd: list[bool] = []
        self._area: list[float] = []

    @property
    def names(self) -> list[str]:
        """Class names, in the order of their numbers; sorted where categories are texts."""
        if self._names is not None:
            return self._names
        return sorted({str(c) for c in self._category})

    def read(self, file: Path, shown: str) -> None:
        """Takes in a file.

        Args:
            file: The file.
            shown: Its path below the data set's folder.

        Raises:
            OodexpError: If it is no Parquet file, lacks a column, or repeats an image id.
        """
        try:
            with pq.ParquetFile(file) as opened:
                fields = self._check(opened, str(file))
                there = [c for c in _IMAGE_COLUMNS if c in opened.schema_arrow.names]
                paths = [p for c in there for p in leaves(opened, c)]
                paths += leaves(opened, self._columns.objects, fields)
                row = 0
                for batch in opened.iter_batches(batch_size=4096, columns=paths):
                    first = len(self.listed)
                    self._list(batch, shown, row)
                    self._count(batch.column(self._columns.objects), fields, first, str(file))
                    row += len(batch)
        except (pa.ArrowException, OSError, ValueError, OverflowError, KeyError) as error:
            told = mended(" ".join(str(error).split()))
            raise OodexpError(f"{file}: not a Parquet file that can be read ({told})") from error

    def cells(self) -> Cells:
        """The counted objects."""
        place = {name: n for n, name in enumerate(self.names)}
        column = [place[str(c)] if self._texts else c for c in self._category]
        return Cells.of(
            np.array(self._row, dtype=np.int64), np.array(column, dtype=np.int64),
            np.array(self._crowd, dtype=bool), np.array(self._area, dtype=np.float64), {},
            len(self.names),
        )  # fmt: skip

    def _check(self, opened: pq.ParquetFile, where: str) -> list[str]:
        """The fields of the objects that are wanted and there."""
        schema, names = opened.schema_arrow, self._columns
        for column in (names.image, names.objects):
            if column not in schema.names:
                raise OodexpError(f"{where}: no column {column!r}; it has {brief(schema.names)}")
        kind = schema.field(names.objects).type
        fields = fields_of(kind, f"{where}, column {names.objects!r}")
        if names.category not in fields:
            raise OodexpError(
                f"{where}, column {names.objects!r}: no field {names.category!r}; it has "
                f"{brief(fields)} "
                "(source.hub.category=FIELD)"
            )
        fits(kind, _wanted(names.category), f"{where}, column {names.objects!r}")
        described = class_names(schema, names.objects, names.category)
        self._names = self._names or described
        if described is not None and len(self._names or ()) != len(described):
            raise OodexpError(
                f"{where}: describes {len(described)} classes, but {len(self._names or ())} are "
                "given or described by the files before it"
            )
        return [f for f in fields if f in (names.category, "bbox", "area", *_CROWD)]

    def _list(self, batch: pa.RecordBatch, shown: str, row: int) -> None:
        columns = {c: batch.column(c).to_pylist() for c in batch.schema.names if
                   c in _IMAGE_COLUMNS}  # fmt: skip
        for n in range(len(batch)):
            at = f"{shown}#{row + n}"
            key = columns["image_id"][n] if "image_id" in columns else at
            if key is None or str(key) in self.rows:
                raise OodexpError(f"{at}: image_id {brief(key)} is repeated or null")
            self.rows[str(key)] = len(self.listed)
            width, height = (
                size
                if isinstance(size := columns.get(side, {n: None})[n], int) and 0 < size < _WIDEST
                else None
                for side in ("width", "height")
            )
            self.listed.append((str(key), at, width, height))

    def _count(self, objects: pa.Array, fields: list[str], first: int, where: str) -> None:
        category, lengths = values(objects, self._columns.category)
        sizes = lengths.to_pylist()
        columns: dict[str, list[Any]] = {}
        for field in fields:
            found, mine = values(objects, field)
            if mine.to_pylist() != sizes:
                raise OodexpError(
                    f"{where}: field {field!r} has other numbers of objects than "
                    f"{self._columns.category!r} in some image"
                )
            columns[field] = found.to_pylist()
        self._texts = pa.types.is_string(category.type) or pa.types.is_large_string(category.type)
        if not self._texts and self._names is None:
            raise OodexpError(
                f"{where}: categories are numbers without names; give them in order, "
                "source.hub.categories=[first,second]"
            )
        crowd = next((columns[f] for f in _CROWD if f in columns), [])
        areas = self._areas(columns, len(category))
        at = 0
        for row, size in enumerate(sizes, first):
            for n in range(size):
                if self._placed(columns[self._columns.category][at], row, n):
                    self._area.append(areas[at])
                    self._crowd.append(bool(crowd[at]) if crowd else False)
                at += 1

    def _placed(self, category: Any, row: int, number: int) -> bool:
        """Whether an object's category is known; it is counted then, and a problem otherwise."""
        names = self._names
        if isinstance(category, str):
            known = names is None or category in names
        else:
            known = category is not None and 0 <= category < len(names or ())
        if known:
            self._row.append(row)
            self._category.append(category)
            return True
        limit = "not listed" if self._texts else f"none of the {len(names or ())} classes"
        subject = f"{self._columns.objects}[{number}]"
        self.problems.append(
            (self.listed[row][0], subject, f"category {brief(category)} is {limit}")
        )
        return False

    def _areas(self, columns: dict[str, list[Any]], count: int) -> list[float]:
        """Square pixels of each object: annotated, else of its box, else NaN."""
        given = columns.get("area") or [None] * count
        boxes = columns.get("bbox") or [None] * count
        return [
            float(a) if a is not None and math.isfinite(a) else self._of_box(box)
            for a, box in zip(given, boxes, strict=True)
        ]

    def _of_box(self, box: Any) -> float:
        if not isinstance(box, list) or len(box) != 4 or None in box:
            return math.nan
        left, top, right, bottom = box
        if self._columns.boxes == "xyxy":
            right, bottom = right - left, bottom - top
        area = float(right) * float(bottom)
        return area if math.isfinite(area) else math.nan
