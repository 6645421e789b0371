"""Descriptions of regions in Visual Genome: `region_descriptions.json`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from oodexp.corpus.base import Lost, Text
from oodexp.corpus.entries import Entry
from oodexp.corpus.file import OneFile, image_name
from oodexp.corpus.key import Rule


class VisualGenome(OneFile):
    """Rows `{"id": ..., "regions": [{"image_id": ..., "phrase": ...}]}`, one an image.

    Args:
        path: The file.
        genome: Visual Genome's `image_data.json`: which images are COCO's, under which number.
            None leaves all of them under Visual Genome's own names, which match no COCO image.
        name: Name of the corpus in every table.
        keys: `coco` or `file`, see `corpus.key`.

    Raises:
        OodexpError: If a file is not there.
    """

    FORM: ClassVar[str] = "Visual Genome's region_descriptions.json: rows of id and regions"

    def __init__(
        self, path: str, genome: str | None, name: str = "visual_genome", keys: Rule = "coco"
    ) -> None:
        super().__init__(path, name, keys, genome)

    def _texts(self, entry: Entry, lost: Lost) -> Iterator[Text]:
        row = entry.value if isinstance(entry.value, dict) else {}
        image, regions = image_name(row.get("id", row.get("image_id"))), row.get("regions")
        if image is None or not isinstance(regions, list):
            lost.add(entry.place, f"no id or no regions; expected {self.FORM}")
            return
        phrases = [r.get("phrase") if isinstance(r, dict) else None for r in regions]
        yield from self._of(f"VG_100K/{image}.jpg", phrases, entry.place, lost)
