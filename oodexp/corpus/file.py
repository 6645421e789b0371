"""What corpora of one JSON file share: the stream of entries, keys of images, the fingerprint."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from oodexp.corpus import key as keys_of
from oodexp.corpus.base import Lost, Text
from oodexp.corpus.entries import Entry, entries
from oodexp.corpus.genome import numbers
from oodexp.error import OodexpError
from oodexp.weights import digests

NO_IMAGE = "no image; text only, which is about no image"
UNMATCHED = (
    "read, but its image goes by Visual Genome's number, and half of those are COCO's under "
    "another; give genome=image_data.json"
)


class OneFile(ABC):
    """A corpus of one JSON or JSONL file.

    Args:
        path: The file.
        name: Name of the corpus in every table.
        keys: How images are named: `coco` or `file`, see `corpus.key`.
        genome: Visual Genome's `image_data.json`, which tells which of its images are COCO's under
            another number; None if the corpus has none of them, or for `keys=file`.

    Raises:
        OodexpError: If a file is not there, or there is no such rule for keys.
    """

    FORM: ClassVar[str]
    """What the file should hold, for messages."""

    def __init__(
        self, path: str, name: str, keys: keys_of.Rule = "coco", genome: str | None = None
    ) -> None:
        self.name = name
        self._path = _there(path, f"corpus.{name}.path", self.FORM)
        form = "Visual Genome's image_data.json"
        self._genome = _there(genome, f"corpus.{name}.genome", form) if genome else None
        self._keys = keys
        keys_of.by(keys, "")

    def read(self, lost: Lost) -> Iterator[Text]:
        """See `corpus.base.Corpus`."""
        before, some = lost.number(), False
        for entry in entries(self._path):
            if entry.error is not None:
                lost.add(entry.place, entry.error)
                continue
            for text in self._texts(entry, lost):
                some = True
                yield text
        if not some and lost.number() == before:
            raise OodexpError(f"{self._path}: no text in it; expected {self.FORM}")

    def key(self, image: str) -> str:
        """See `corpus.base.Corpus`."""
        return keys_of.by(self._keys, image, self._numbers)

    def fingerprint(self) -> Mapping[str, Any]:
        """See `corpus.base.Corpus`."""
        files = [self._path] + ([self._genome] if self._genome else [])
        return {"form": type(self).__name__, "keys": self._keys, "files": digests(files)}

    @abstractmethod
    def _texts(self, entry: Entry, lost: Lost) -> Iterator[Text]:
        """The texts of one entry."""

    def _of(self, image: str, texts: object, place: str, lost: Lost) -> Iterator[Text]:
        """Texts of one image; whatever is no text is lost."""
        if self._keys == "coco" and self._genome is None and keys_of.of_genome(image):
            lost.add(place, UNMATCHED)
        image = self.key(image)
        for text in texts if isinstance(texts, list) else [texts]:
            if isinstance(text, str):
                yield Text(image, text)
            else:
                lost.add(place, f"a text is no text; expected {self.FORM}")

    @cached_property
    def _numbers(self) -> Mapping[int, int]:
        return numbers(self._genome) if self._genome else {}


def image_name(value: object) -> str | None:
    """An image as a row names it: a text or a whole number; None if it is neither."""
    if isinstance(value, str) and value.strip():
        return value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None


def _there(path: str, setting: str, form: str) -> Path:
    found = Path(path).expanduser()
    if not found.is_file():
        raise OodexpError(f"{setting}={path}: no such file; expected {form}")
    return found
