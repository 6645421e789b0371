"""What is kept of a COCO-like document while it is read entry by entry.

Nothing is looked up by annotation id: exporters restart it in every image. Ids are compared, never
tested for truth: 0 is an id like any other.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np

from oodexp.error import OodexpError
from oodexp.source import stream
from oodexp.source.cells import Cells
from oodexp.source.doubtful import Doubts
from oodexp.text import brief, mended

Id = int | str
"""What a document may call its images and categories; 1 and "1" are two ids."""

MOST_CATEGORIES = 1 << 20
"""ImageNet-21k has 21,841; of ten million, the names alone would fill the memory."""


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
        self._doubts = Doubts()
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
            twice = sorted(name for name, often in Counter(names).items() if often > 1)
            raise OodexpError(
                f"{self.where}: category names {brief(twice)} are repeated; give each its own name"
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
        return counted, lost + self._doubts.rows()

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
        row = self._keep(self.images, entry, "images", *self._image_fields)
        for side in ("width", "height"):
            if side in row:
                row[side] = self._doubts.side(side, row[side], row["id"])

    def _name(self, entry: Any) -> None:
        row = self._keep(self.categories, entry, "categories", *self._category_fields)
        if isinstance(row["name"], bool) or not isinstance(row["name"], (str, int)):
            where = f"{self.where}: categories: id {brief(row['id'])}"
            raise OodexpError(f"{where} has the name {brief(row['name'])}; expected text")
        if len(self.categories) > MOST_CATEGORIES:
            raise OodexpError(
                f"{self.where}: more than {MOST_CATEGORIES:,} categories; every image is scored "
                "with each: leave out what no image shows"
            )

    def _licence(self, entry: Any) -> None:
        # A data set is not refused for a licence that is not as it should be: it is not known then.
        if isinstance(entry, dict) and isinstance(entry.get("id"), (int, str)):
            told = [entry.get(field) for field in ("name", "url")]
            text = " ".join(" ".join(part.split()) for part in told if isinstance(part, str))
            self._licences |= {entry["id"]: mended(text)} if text else {}

    def _keep(
        self, kept: dict[Id, dict[str, Any]], entry: Any, section: str,
        need: tuple[str, ...], fields: tuple[str, ...],
    ) -> dict[str, Any]:  # fmt: skip
        where = f"{self.where}: {section}: entry {len(kept)}"
        lacking = [f for f in need if not isinstance(entry, dict) or entry.get(f) is None]
        if lacking:
            raise OodexpError(f"{where} has no {', '.join(lacking)}; expected {self.form}")
        key = entry["id"]
        if not _is_id(key):
            raise OodexpError(f"{where} has id {brief(key)}; expected a number")
        if key in kept:
            raise OodexpError(
                f"{self.where}: {section}: id {brief(key)} is repeated (entry {len(kept)})"
            )
        kept[key] = {f: entry.get(f) for f in fields}
        return kept[key]

    def _add(self, note: Any) -> None:
        codes = self._image, self._category
        keys = (note.get("image_id"), note.get("category_id")) if isinstance(note, dict) else None
        if keys is None or not all(map(_is_id, keys)):
            self._faulty[len(self._area)] = _fault(note)
            for column in codes:
                column.append(_FAULTY)
            self._area.append(math.nan)
            self._crowd.append(False)
            return
        for key, known, column in zip(keys, self._codes, codes, strict=True):
            column.append(known.setdefault(key, len(known)))  # type: ignore[arg-type]
        planted, number = note.get("planted"), len(self._area)
        if planted:
            self._planted[number] = str(planted)
        self._area.append(self._doubts.area(note, number))
        self._crowd.append(self._doubts.crowd(note.get("iscrowd"), number))

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
            return "", subject, f"image_id {brief(image)} is not listed"
        return str(image), subject, f"category_id {brief(category)} is not listed"


_LISTS = ("images", "annotations", "categories")
_FAULTY, _UNLISTED, _LEFT_OUT = -1, -1, -2


def _fault(note: Any) -> str:
    if not isinstance(note, dict):
        return f"annotation {brief(note)} is not listed under any image: it is no object"
    field = "category_id" if _is_id(note.get("image_id")) else "image_id"
    return f"{field} {brief(note.get(field))} is not listed"


def _is_id(key: Any) -> bool:
    return isinstance(key, (int, str)) and not isinstance(key, bool)
