"""What is kept of a COCO-like document while it is read entry by entry.

Nothing is looked up by annotation id: exporters restart it in every image. Ids are compared, never
tested for truth: 0 is an id like any other.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np

from oodexp.error import OodexpError
from oodexp.source import stream
from oodexp.source.cells import Cells

Id = int | str
"""What a document may call its images and categories; 1 and "1" are two ids."""


class Document:
    """Images, categories and annotations of a COCO-like document; about 20 bytes an annotation.

    Args:
        where: The file's name, for messages.
        form: What the document should be, for messages.
        images: Fields of an image that must be there, `id` first.
        more: Fields of an image that are kept when they are there.
        categories: Fields of a category that must be there, `id` and `name` first.
        also: Fields of a category that are kept when they are there.
    """

    def __init__(
        self, where: str, form: str, images: tuple[str, ...], more: tuple[str, ...] = (),
        categories: tuple[str, ...] = ("id", "name"), also: tuple[str, ...] = (),
    ) -> None:  # fmt: skip
        self.where, self.form = where, form
        self.images: dict[Id, dict[str, Any]] = {}
        """Kept fields of each image, by id."""
        self.categories: dict[Id, dict[str, Any]] = {}
        """Kept fields of each category, by id."""
        self._image_fields = images, (*images, *more)
        self._category_fields = categories, (*categories, *also)
        self._codes: tuple[dict[Id, int], dict[Id, int]] = ({}, {})
        self._image, self._category = array("i"), array("i")
        self._area, self._crowd = array("d"), bytearray()
        self._planted: dict[int, str] = {}
        self._faulty: dict[int, str] = {}
        self._licences: dict[Id, str] = {}
        self._taps = {
            "images": self._add_image, "annotations": self._add, "categories": self._name,
            "licenses": self._licence,
        }  # fmt: skip

    def read(self, file: Path) -> None:
        """Takes in a file.

        Raises:
            OodexpError: If it is not JSON, a list or field is missing, or an id is repeated.
        """
        self._whole(stream.read(file, self._taps))

    def take(self, document: Any) -> None:
        """Takes in parsed JSON.

        Raises:
            OodexpError: If a list or field is missing, or an id is repeated.
        """
        lists = document if isinstance(document, dict) else {}
        found = {name for name in self._taps if isinstance(lists.get(name), list)}
        self._whole(found)
        for name, tap in self._taps.items():
            for entry in lists[name] if name in found else ():
                tap(entry)

    @property
    def names(self) -> list[str]:
        """The annotated category names, in the order of the document.

        Raises:
            OodexpError: If two categories have the same.
        """
        names = [str(category["name"]) for category in self.categories.values()]
        if len(set(names)) < len(names):
            twice = sorted({n for n in names if names.count(n) > 1})
            raise OodexpError(
                f"{self.where}: category names {twice} are repeated; give each its own name"
            )
        return names

    def cells(self, left_out: Collection[Id] = ()) -> tuple[Cells, list[tuple[str, str, str]]]:
        """The counted annotations, and those that could not be placed: image, subject, reason.

        Args:
            left_out: Ids of listed images that the caller took out of `images`.
        """
        row = self._places(0, self.images, self._image, left_out)
        column = self._places(1, self.categories, self._category)
        listed = (row >= 0) & (column >= 0)
        # With an image that was left out on purpose goes what is annotated in it.
        astray = np.flatnonzero(~listed & (row != _LEFT_OUT)).tolist()
        lost = [self._lost(n, row[n] < 0) for n in astray]
        number = np.cumsum(listed) - 1
        planted = {int(number[n]): why for n, why in self._planted.items() if listed[n]}
        crowd = np.frombuffer(bytes(self._crowd), dtype=bool)[listed]
        area = np.array(self._area)[listed]
        counted = Cells.of(row[listed], column[listed], crowd, area, planted, len(self.categories))
        return counted, lost

    def licences(self) -> dict[str, str]:
        """Name and address of the licence by image id, for images whose `license` is listed."""
        return {
            str(key): self._licences[said]
            for key, image in self.images.items()
            if isinstance(said := image.get("license"), (int, str)) and said in self._licences
        }

    def _whole(self, found: set[str]) -> None:
        for name in _LISTS:
            if name not in found:
                raise OodexpError(f"{self.where}: no list {name!r}; expected {self.form}")

    def _add_image(self, entry: Any) -> None:
        self._keep(self.images, entry, "images", *self._image_fields)

    def _name(self, entry: Any) -> None:
        self._keep(self.categories, entry, "categories", *self._category_fields)

    def _licence(self, entry: Any) -> None:
        # A data set is not refused for a licence that is not as it should be: it is not known then.
        if isinstance(entry, dict) and isinstance(entry.get("id"), (int, str)):
            told = [entry.get(field) for field in ("name", "url")]
            text = " ".join(" ".join(part.split()) for part in told if isinstance(part, str))
            self._licences |= {entry["id"]: text} if text else {}

    def _keep(
        self, kept: dict[Id, dict[str, Any]], entry: Any, section: str,
        need: tuple[str, ...], fields: tuple[str, ...],
    ) -> None:  # fmt: skip
        where = f"{self.where}: {section}: entry {len(kept)}"
        lacking = [f for f in need if not isinstance(entry, dict) or entry.get(f) is None]
        if lacking:
            raise OodexpError(f"{where} has no {', '.join(lacking)}; expected {self.form}")
        key = entry["id"]
        if not isinstance(key, (int, str)):
            raise OodexpError(f"{where} has id {key!r}; expected a number")
        if key in kept:
            raise OodexpError(
                f"{self.where}: {section}: id {key!r} is repeated (entry {len(kept)})"
            )
        kept[key] = {f: entry.get(f) for f in fields}

    def _add(self, note: Any) -> None:
        codes = self._image, self._category
        keys = (note.get("image_id"), note.get("category_id")) if isinstance(note, dict) else None
        if keys is None or not all(isinstance(key, (int, str)) for key in keys):
            self._faulty[len(self._area)] = _fault(note)
            for column in codes:
                column.append(_FAULTY)
            self._area.append(math.nan)
            self._crowd.append(False)
            return
        for key, known, column in zip(keys, self._codes, codes, strict=True):
            column.append(known.setdefault(key, len(known)))  # type: ignore[arg-type]
        planted = note.get("planted")
        if planted:
            self._planted[len(self._area)] = str(planted)
        self._area.append(_area(note))
        self._crowd.append(bool(note.get("iscrowd", 0)))

    def _places(
        self, which: int, listed: dict[Id, Any], codes: array[int], left_out: Collection[Id] = ()
    ) -> np.ndarray:
        """Index of each annotation's image or category, negative where there is none."""
        index = {key: n for n, key in enumerate(listed)} | dict.fromkeys(left_out, _LEFT_OUT)
        # The code of a faulty annotation looks up the last place.
        place = [*(index.get(key, _UNLISTED) for key in self._codes[which]), _UNLISTED]
        return np.array(place, dtype=np.int64)[np.array(codes, dtype=np.int64)]

    def _lost(self, number: int, of_no_image: bool) -> tuple[str, str, str]:
        subject = f"annotation {number}"
        if number in self._faulty:
            return "", subject, self._faulty[number]
        image, category = (
            list(known)[codes[number]]
            for known, codes in zip(self._codes, (self._image, self._category), strict=True)
        )
        if of_no_image:
            return "", subject, f"image_id {image!r} is not listed"
        return str(image), subject, f"category_id {category!r} is not listed"


_LISTS = ("images", "annotations", "categories")
_FAULTY, _UNLISTED, _LEFT_OUT = -1, -1, -2


def _fault(note: Any) -> str:
    if not isinstance(note, dict):
        return f"annotation {note!r} is not listed under any image: it is no object"
    field = "category_id" if isinstance(note.get("image_id"), (int, str)) else "image_id"
    return f"{field} {note.get(field)!r} is not listed"


def _area(note: dict[str, Any]) -> float:
    """Square pixels of the mask where annotated, else of the box; NaN where neither is given."""
    area, box = note.get("area"), note.get("bbox")
    if not isinstance(area, (int, float)):
        if not isinstance(box, list) or len(box) != 4:
            return math.nan
        if not all(isinstance(side, (int, float)) for side in box[2:]):
            return math.nan
        area = box[2] * box[3]
    try:
        return float(area) if math.isfinite(area) else math.nan
    except OverflowError:  # a whole number of hundreds of digits
        return math.nan
