"""POPE's question files (arXiv 2305.10355): one object a line, images in a folder.

Fields as in POPE's repository: `question_id`, `image`, `text`, `label`; its answer files hold
`question` and `answer` in the same order. The question id is a number here as there; it counts
through all files of the export.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from oodexp.error import OodexpError
from oodexp.export.base import Content, files_below, opened
from oodexp.export.card import card, write_card
from oodexp.export.files import write_images
from oodexp.export.index import place, write_index, write_lines
from oodexp.export.part import Bytes, parts

if TYPE_CHECKING:
    from oodexp.export.index import Place

_USE = (
    "Each `<part>.jsonl` is a question file; `image` is a name in `images/`. Write one line "
    '`{"question_id": ..., "question": ..., "answer": ...}` a question, in any order, or without '
    "`question_id` in the order of the file, and call the file by the name of the part."
)


class Pope:
    """Writes `<part>.jsonl` and `images/`.

    Questions whose right answer is a number are left out, as the format holds yes and no only; the
    data card names them.

    Args:
        name: Name of the data set: first word of every file.
        population: `drawn` or `all` questions (see `part.parts`).
    """

    def __init__(self, name: str = "oodexp", population: str = "drawn") -> None:
        self._name = name
        self._population = population

    def write(self, folder: Path, content: Content) -> list[Path]:
        """See `base.Exporter`."""
        found = parts(content, self._name, self._population)
        kept = [part for part in found if part.verdicts]
        if not kept:
            raise OodexpError(
                f"export pope: no part of {[p.name for p in found]} asks for yes or no; choose a "
                "format that holds numbers, such as export=vlmevalkit"
            )
        opened(folder)
        read = Bytes(content)
        places: list[Place] = []
        for part in kept:
            mine = place(part.items, part.name, "images", len(places))
            write_images(folder / "images", part.items, read)
            write_lines(folder / f"{part.name}.jsonl", map(_row, mine))
            places += mine
        why = {p.name: f"{len(p.items)} questions, as some answers are numbers" for p in found}
        left_out = {name: why[name] for name in why if name not in {p.name for p in kept}}
        write_card(folder, card(self._name, kept, content.about, _USE, left_out))
        write_index(folder, places)
        return files_below(folder)


def _row(told: Place) -> dict[str, object]:
    item = told.item
    return {
        "question_id": told.row, "image": item.picture.file, "text": item.prompt,
        "label": item.target,
    }  # fmt: skip
