"""Captions in COCO's form: `captions_train2017.json`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import ClassVar

from oodexp.corpus.base import Lost, Text
from oodexp.corpus.entries import Entry, entries
from oodexp.corpus.file import OneFile, image_name
from oodexp.corpus.key import Rule


class CocoCaptions(OneFile):
    """The list `annotations` of rows `{"image_id": ..., "caption": ...}`.

    Args:
        path: The file.
        name: Name of the corpus in every table.
        keys: `coco`: the image id is COCO's number. `file`: the `file_name` that the list `images`
            gives it, for other data sets in COCO's form; these names are held in memory.

    Raises:
        OodexpError: If the file is not there.
    """

    FORM: ClassVar[str] = "COCO's captions: a list `annotations` of image_id and caption"

    def __init__(self, path: str, name: str = "coco_captions", keys: Rule = "coco") -> None:
        super().__init__(path, name, keys)

    def _texts(self, entry: Entry, lost: Lost) -> Iterator[Text]:
        if entry.list != "annotations":
            return
        row = entry.value if isinstance(entry.value, dict) else {}
        image = image_name(row.get("image_id"))
        if image is not None and self._keys == "file":
            image = self._files.get(image)
        if image is None or "caption" not in row:
            lost.add(entry.place, f"no image or no caption; expected {self.FORM}")
            return
        yield from self._of(image, row["caption"], entry.place, lost)

    @cached_property
    def _files(self) -> dict[str, str]:
        rows = (e.value for e in entries(self._path) if e.list == "images")
        return {
            str(row["id"]): str(row["file_name"])
            for row in rows
            if isinstance(row, dict) and "id" in row and "file_name" in row
        }
