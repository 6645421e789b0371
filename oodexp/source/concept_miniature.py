"""The drawn concepts of `oodexp.miniature` as sources: the benchmark, and what calibrates it."""

from __future__ import annotations

import csv
import io
import zipfile
from functools import cached_property
from importlib import resources
from typing import TYPE_CHECKING

from oodexp import table
from oodexp.error import OodexpError
from oodexp.record import Concept
from oodexp.source.annotated import Annotated
from oodexp.source.concepts import shown
from oodexp.source.instances import Instances

if TYPE_CHECKING:
    import pandas as pd

_PARTS = ("concepts", "id", "long_tail", "negatives")
_FILE, _TABLE = "concept.zip", "concept.csv"


class ConceptMiniature(Annotated):
    """Pictures of drawn concepts, with family, renderer, licence and origin.

    Args:
        part: `concepts`, the benchmark's 70 phrases in seven families; `id`, common objects;
            `long_tail`, rare shapes that are neither; `negatives`, digits.
        name: Name of the data set in every table.
        limit: Take the first so many images of each phrase only; None for all.

    Raises:
        OodexpError: If the part or the limit is none of these.
    """

    def __init__(
        self, part: str = "concepts", name: str = "concept_miniature", limit: int | None = None
    ) -> None:
        if part not in _PARTS:
            raise OodexpError(f"source.part={part}: expected one of {', '.join(_PARTS)}")
        if limit is not None and limit < 1:
            raise OodexpError(f"source.limit={limit}: expected a number >= 1 or null")
        super().__init__(name, labels=None)
        self._part, self._limit = part, limit

    def concepts(self) -> pd.DataFrame:
        """`record.Concept` rows, in the order of `images`."""
        return table.frame(Concept, self._kept)

    def read(self, image_id: str) -> bytes:
        """See `source.base.Source`."""
        return self._bytes[image_id]

    def _parse(self) -> Instances:
        reasons = ["canonical" if c.category == "common" else c.category for c in self._kept]
        return shown(self.name, self._kept, reasons)

    @cached_property
    def _kept(self) -> list[Concept]:
        with _packed() as archive:
            lines = list(csv.DictReader(io.StringIO(archive.read(_TABLE).decode())))
        fields = ("image", "phrase", "category", "acquisition", "licence", "origin")
        mine = [row for row in lines if row["part"] == self._part]
        seen: dict[str, int] = {}
        kept = []
        for row in mine:
            seen[row["phrase"]] = seen.get(row["phrase"], 0) + 1
            if self._limit is None or seen[row["phrase"]] <= self._limit:
                kept.append(Concept(self.name, *(row[field] for field in fields)))
        return kept

    @cached_property
    def _bytes(self) -> dict[str, bytes]:
        # All of it at once (1 MB): an open archive can be shared with no other process.
        with _packed() as archive:
            return {concept.image_id: archive.read(concept.image_id) for concept in self._kept}


def _packed() -> zipfile.ZipFile:
    data = resources.files("oodexp.miniature") / "data" / _FILE
    return zipfile.ZipFile(io.BytesIO(data.read_bytes()))
