"""The index of an export: which question a prediction answers, and which question is asked."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from oodexp.error import OodexpError
from oodexp.text import brief
from oodexp.vlm.recorded_rows import rows

NAME = "index.jsonl"
"""In the folder of every export."""

_TEXTS = ("question_id", "part", "image_sha256", "prompt")


@dataclass(frozen=True, slots=True)
class Index:
    """The questions of an export."""

    prompts: dict[str, str]
    """Prompt by question id."""
    places: dict[tuple[str, int], str]
    """Question id by (part in lower case, number within the part)."""
    contents: dict[tuple[str, str], list[str]]
    """Question ids by (sha256 of the image file, prompt), in order of the index."""
    orders: dict[str, list[str]]
    """Question ids of each part, in its order."""
    digest: str
    """sha256 of the file."""

    @classmethod
    def read(cls, path: Path) -> Self:
        """Reads `index.jsonl`.

        Args:
            path: The file, or the folder of the export.

        Raises:
            OodexpError: If it is not there, a field is missing, or a question is repeated.
        """
        file = path / NAME if path.is_dir() else path
        prompts: dict[str, str] = {}
        places: dict[tuple[str, int], str] = {}
        contents: dict[tuple[str, str], list[str]] = {}
        for where, row in rows(file):
            told = [row.get(name) for name in _TEXTS]
            number: Any = row.get("row")
            if not all(isinstance(text, str) for text in told) or not _whole(number):
                raise OodexpError(f"{where}: expected {_TEXTS} as texts and row as a number")
            question, part, sha256, prompt = map(str, told)
            place = part.lower(), int(number)
            if question in prompts or place in places:
                raise OodexpError(f"{where}: question {brief(question)} or its place is repeated")
            prompts[question] = prompt
            places[place] = question
            contents.setdefault((sha256, prompt), []).append(question)
        if not prompts:
            raise OodexpError(f"{file}: no questions; give the {NAME} of an export")
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        orders: dict[str, list[str]] = {}
        for part, number in sorted(places):
            orders.setdefault(part, []).append(places[part, number])
        return cls(prompts, places, contents, orders, digest)

    def part_of(self, path: Path) -> str | None:
        """The part that a file of results belongs to, by its name; None where none is named.

        The longest name that occurs in it counts: `x_existence_cot` is not `x_existence`. An index
        of one part needs no name.
        """
        inside = [part for part in self.orders if part in path.name.lower()]
        if inside:
            return max(inside, key=len)
        return next(iter(self.orders)) if len(self.orders) == 1 else None


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
