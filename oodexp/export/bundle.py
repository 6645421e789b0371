"""The whole benchmark as one folder that `source=bundle` reads on another machine.

What lies where is told in `oodexp/bundle/layout.py`. All images of the sources are in it, also
those without a question: they are what popular and co-occurring categories are counted on.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from oodexp import record, table
from oodexp.bundle import matrix
from oodexp.bundle.layout import (
    IMAGES,
    INCLUDE,
    TABLES,
    presence_file,
    score_file,
    table_file,
)  # fmt: skip
from oodexp.error import OodexpError
from oodexp.export.base import Content, files_below, opened
from oodexp.export.bundle_manifest import licences, use, write_manifest
from oodexp.export.card import card, write_card
from oodexp.export.index import Place, write_index
from oodexp.export.naming import image_kind, image_names
from oodexp.export.part import Bytes, chosen, parts

if TYPE_CHECKING:
    from oodexp.export.base import Sheet
    from oodexp.export.part import Part


class Bundle:
    """Writes tables, matrices and images; `bundle.json` says what they are.

    The checksums are written last, after the index: a folder without them is not a whole bundle.

    Args:
        name: Name of the benchmark in card and index.
        population: Questions about `all` pairs, or about the `drawn` ones only (see `part.parts`);
            all other tables are whole.
        images: `include` copies their files; `reference` names path and SHA-256 of each.
        scores: Whether the logits of the run's scorers are in it, for a division anew.

    Raises:
        OodexpError: If `images` is neither.
    """

    def __init__(
        self, name: str = "oodexp", population: str = "all", images: str = INCLUDE,
        scores: bool = True,
    ) -> None:  # fmt: skip
        if images not in IMAGES:
            raise OodexpError(f"export images={images}: expected one of {IMAGES}")
        self._name = name
        self._population = population
        self._images = images
        self._scores = scores

    def write(self, folder: Path, content: Content) -> list[Path]:
        """See `base.Exporter`."""
        found = parts(content, self._name, self._population)
        home = opened(folder)
        stored = _copied(home, content) if self._images == INCLUDE else {}
        tables = {
            "images": _listed(content, stored),
            "pairs": content.pairs,
            "memberships": content.memberships,
            "signals": content.signals,
            "questions": chosen(content, self._population).reset_index(drop=True),
            "problems": _of_source(content),
        }
        for name, rows in tables.items():
            _write_table(home, name, rows)
        scorers = list(content.scorers) if self._scores else []
        _write_matrices(home, content.sheets, scorers)
        about = dict(content.about) | licences(tables["images"])
        left_out = self._left_out(content)
        text = card(self._name, found, about, use(content.sheets, self._images), left_out)
        write_card(home, text)
        write_index(home, _places(found, stored))
        told = {"name": self._name, "images": self._images, "population": self._population}
        write_manifest(home, told, content, tables, scorers)
        return files_below(home)

    def _left_out(self, content: Content) -> dict[str, str]:
        """Why, by what it is, something is not in the bundle."""
        lost = int(content.images["sha256"].isna().sum())
        found = {f"{lost} image files": "the run could not read them"} if lost else {}
        if self._images != INCLUDE:
            found["image files"] = "named by path and SHA-256; get them from their data set"
        if content.scorers and not self._scores:
            found["logits of the scorers"] = "left out by export.scores=false"
        return found


def _copied(home: Path, content: Content) -> dict[tuple[str, str], str]:
    """Writes every readable image once; its path below the folder by (source, image_id)."""
    read, found = Bytes(content), {}
    there = content.images[content.images["sha256"].notna()]
    (home / "images").mkdir()
    names = image_names(list(zip(there["source"], there["image_id"], strict=True)))
    for (source, image_id), name in names.items():
        data = read(source, image_id)
        path = f"images/{name}{image_kind(data)[0]}"
        (home / path).write_bytes(data)
        found[source, image_id] = path
    return found


def _listed(content: Content, stored: dict[tuple[str, str], str]) -> pd.DataFrame:
    """`record.BundledImage` rows of all images."""
    of = {sheet.source: sheet.licences for sheet in content.sheets}
    keys = list(zip(content.images["source"], content.images["image_id"], strict=True))
    more = {
        "stored": [stored.get(key) for key in keys],
        "licence": [of.get(source, {}).get(image_id) for source, image_id in keys],
    }
    return table.check(record.BundledImage, content.images.assign(**more))


def _of_source(content: Content) -> pd.DataFrame:
    """What was left out of the sources themselves: other stages tell their own again."""
    rows = content.problems
    key = ["source", "image_id"]
    there = pd.MultiIndex.from_frame(content.images.loc[content.images["sha256"].notna(), key])
    decoded = (rows["stage"] == "decode") & pd.MultiIndex.from_frame(rows[key]).isin(there)
    decoded &= ~rows["reason"].str.startswith("note:")
    return rows[(rows["stage"] == "source") | decoded].reset_index(drop=True)


def _write_table(home: Path, name: str, rows: pd.DataFrame) -> None:
    table.write(TABLES[name], rows, home / table_file(name))


def _write_matrices(home: Path, sheets: Sequence[Sheet], scorers: Sequence[str]) -> None:
    for number, sheet in enumerate(sheets):
        values: dict[str, Any] = {presence_file(number): sheet.presence}
        values |= {score_file(k, number): sheet.logits[name] for k, name in enumerate(scorers)}
        for path, cells in values.items():
            table.write_arrow(matrix.to_arrow(sheet.image_ids, cells), home / path)


def _places(found: Sequence[Part], stored: dict[tuple[str, str], str]) -> list[Place]:
    return [
        Place(item, part.name, n, stored.get((item.picture.source, item.picture.image_id)))
        for part in found
        for n, item in enumerate(part.items)
    ]
