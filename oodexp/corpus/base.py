"""What every corpus gives: a stream of texts with the images that they are about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Protocol

from oodexp.record import Problem


class Text(NamedTuple):
    """A text that a model was trained on together with an image."""

    image: str
    """Key of the image, as `corpus.key` says: the same image has the same key in every corpus."""
    text: str
    """Caption, turn of a conversation, phrase of a region or referring expression, unchanged."""


class Corpus(Protocol):
    """A training corpus. Constructors are cheap but check that the named files exist."""

    name: str

    def read(self, lost: Lost) -> Iterator[Text]:
        """All texts with an image, in the order of the file, in memory that does not grow with it.

        Args:
            lost: Is told of the rows that could not be read or matched.

        Raises:
            OodexpError: If the file cannot be read to its end.
        """

    def key(self, image: str) -> str:
        """Key of an image of a source by its id or file name, to be looked up among the texts'."""

    def fingerprint(self) -> Mapping[str, Any]:
        """All that can change the texts: format, settings, sha256 of the files."""


class Lost:
    """Rows that give no text, or an image that matches none, counted by reason.

    Memory does not grow with their number.

    Args:
        corpus: Name of the corpus.
    """

    def __init__(self, corpus: str) -> None:
        self._corpus = corpus
        self._first: dict[str, str] = {}
        self._number: Counter[str] = Counter()

    def add(self, place: str, reason: str) -> None:
        """One row more.

        Args:
            place: Where it stands, e.g. `entry 17`.
            reason: What is wrong and what was expected; the same words for the same mistake.
        """
        self._first.setdefault(reason, place)
        self._number[reason] += 1

    def number(self) -> int:
        """How many rows."""
        return self._number.total()

    def problems(self) -> list[Problem]:
        """One problem for each reason, with the first place and the number of rows."""
        return [
            Problem("corpus", "", self._corpus, "", place, f"{reason} ({self._number[reason]:,})")
            for reason, place in self._first.items()
        ]
