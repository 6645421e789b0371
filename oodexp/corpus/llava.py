"""Conversations about images, as LLaVA's instruction sets hold them (JSON list or JSONL)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from oodexp.corpus.base import Lost, Text
from oodexp.corpus.entries import Entry
from oodexp.corpus.file import NO_IMAGE, OneFile, image_name
from oodexp.corpus.key import Rule

_TURNS = ("conversations", "messages")


class Llava(OneFile):
    """Rows `{"image": path or list of paths, "conversations": [{"from": ..., "value": ...}]}`.

    The newer `messages` with `role` and `content` (a text, or a list of parts) are read as well. A
    row of several images gives its texts to each of them. All turns count, those of the person,
    too: grounding data name the object in the question.

    Args:
        path: The file.
        name: Name of the corpus in every table.
        keys: `coco` or `file`, see `corpus.key`.
        genome: Visual Genome's `image_data.json`; mixed sets hold its images (folders `vg`, `gqa`).
        roles: Whose turns count, as in the file, e.g. `[gpt]`; None for all.

    Raises:
        OodexpError: If a file is not there.
    """

    FORM: ClassVar[str] = (
        "rows of image and conversations (a list of objects with from and value), as a JSON list "
        "or, in a file named .jsonl, one a line"
    )

    def __init__(
        self,
        path: str,
        name: str = "llava",
        keys: Rule = "coco",
        genome: str | None = None,
        roles: Sequence[str] | None = None,
    ) -> None:
        super().__init__(path, name, keys, genome)
        self._roles = None if roles is None else tuple(roles)

    def fingerprint(self) -> Mapping[str, Any]:
        """See `corpus.base.Corpus`."""
        return {**super().fingerprint(), "roles": self._roles}

    def _texts(self, entry: Entry, lost: Lost) -> Iterator[Text]:
        row = entry.value if isinstance(entry.value, dict) else {}
        turns = next((row[name] for name in _TURNS if name in row), None)
        if not isinstance(turns, list):
            lost.add(entry.place, f"no conversation; expected {self.FORM}")
            return
        images = row.get("image", row.get("images"))
        if images is None or images == []:
            lost.add(entry.place, NO_IMAGE)
            return
        spoken = [text for turn in turns for text in self._spoken(turn)]
        for image in images if isinstance(images, list) else [images]:
            named = image_name(image)
            if named is None:
                lost.add(entry.place, "an image is no path; expected text or a list of texts")
            else:
                yield from self._of(named, spoken, entry.place, lost)

    def _spoken(self, turn: object) -> Iterator[object]:
        """What a turn says; None, which is no text, where it is no turn."""
        if not isinstance(turn, dict):
            yield None
            return
        role = turn.get("from", turn.get("role"))
        if self._roles is not None and role not in self._roles:
            return
        value = turn.get("value", turn.get("content"))
        if not isinstance(value, list):
            yield value
            return
        for part in value:
            if not isinstance(part, dict):
                yield None
            elif part.get("type") == "text":
                yield part.get("text")
