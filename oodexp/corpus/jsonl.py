"""Any corpus written as one object a line: an image and what is said of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from oodexp.corpus.base import Lost, Text
from oodexp.corpus.entries import Entry
from oodexp.corpus.file import NO_IMAGE, OneFile, image_name
from oodexp.corpus.key import Rule


class Jsonl(OneFile):
    """Lines `{"image": ..., "text": ...}` or `{"image": ..., "texts": [...]}`.

    Args:
        path: The file, named `.jsonl`; a JSON list of such objects will do, too.
        name: Name of the corpus in every table.
        keys: `coco` or `file`, see `corpus.key`.
        genome: Visual Genome's `image_data.json`, if the corpus has images of it.

    Raises:
        OodexpError: If a file is not there.
    """

    FORM: ClassVar[str] = "one object a line with image and text, or image and texts"

    def __init__(
        self, path: str, name: str = "jsonl", keys: Rule = "coco", genome: str | None = None
    ) -> None:
        super().__init__(path, name, keys, genome)

    def _texts(self, entry: Entry, lost: Lost) -> Iterator[Text]:
        row = entry.value if isinstance(entry.value, dict) else {}
        if "text" not in row and "texts" not in row:
            lost.add(entry.place, f"neither text nor texts; expected {self.FORM}")
            return
        if row.get("image") is None:
            lost.add(entry.place, NO_IMAGE)
            return
        image = image_name(row["image"])
        if image is None:
            lost.add(entry.place, f"the image is neither text nor a number; expected {self.FORM}")
            return
        for name in ("text", "texts"):
            if name in row:
                yield from self._of(image, row[name], entry.place, lost)
