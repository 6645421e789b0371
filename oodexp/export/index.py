"""`index.jsonl` of every export: where each question went, and how to know it again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from oodexp.export.part import Item

NAME = "index.jsonl"
"""Written last: a folder that has it is a whole export."""


class Place(NamedTuple):
    """Where a question stands in the export."""

    item: Item
    """The question."""
    part: str
    """Name of the file or task, as another program repeats it in the name of its results."""
    row: int
    """Number that the format gives the question within its part: the `doc_id` of lmms-eval, the
    `index` of VLMEvalKit, the `question_id` of POPE."""
    image: str | None
    """The image file below the export's folder; None when the image is inside the part."""


def write_index(folder: Path, places: Iterable[Place]) -> None:
    """Writes the index of an export."""
    write_lines(folder / NAME, map(_row, places))


def write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Writes a JSONL file, one object a line, UTF-8, keys in their order."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for row in rows:
            # Escaped, as an id may hold half a surrogate pair, which is no UTF-8.
            file.write(json.dumps(row) + "\n")


def place(items: Sequence[Item], part: str, images: str | None, start: int = 0) -> list[Place]:
    """The places of a part's items, in order.

    Args:
        items: The questions.
        part: Name of the part.
        images: Folder of the image files below the export; None when images are inside the part.
        start: Number of the first one.
    """
    return [
        Place(item, part, n, None if images is None else f"{images}/{item.picture.file}")
        for n, item in enumerate(items, start)
    ]


def _row(told: Place) -> dict[str, Any]:
    item = told.item
    return {
        "question_id": item.question_id, "part": told.part, "row": told.row, "image": told.image,
        "image_sha256": item.picture.sha256, "prompt": item.prompt, "source": item.picture.source,
        "image_id": item.picture.image_id, "category": item.category, "kind": item.kind,
        "polarity": item.polarity, "target": item.target, "split": item.split,
        "max_tokens": item.max_tokens,
    }  # fmt: skip
