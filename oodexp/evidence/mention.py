"""Which categories a text mentions: names between word boundaries, found in one pass over the text.

The rule, for any language written with blanks:

* Case plays no part, and letters are compared as composed (NFC).
* The words of a name may be joined by blanks, hyphens or underscores. Any other sign between them
  parts them: "hot, dog" is no hot dog.
* A name counts between characters that are neither letters nor digits: "dog's" and "dog-friendly"
  name a dog, "hotdog" and "dogs" do not (unless these are names, too).
* A name within a longer name does not count: "hot dog" names no dog, "teddy bear" no bear. Names
  that overlap without one lying in the other both count.

All names are looked for at once (Aho and Corasick, 1975), in the joined text of many texts.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from oodexp.error import OodexpError

_PARTS, _NEXT = "\0", "\1"
"""Stands for a sign that parts words; stands between two texts."""

_JOINING = "-_\u2010\u2011"
_ASCII = str.maketrans(
    {
        c: " " if c.isspace() or c in _JOINING else _PARTS
        for c in map(chr, range(128))
        if not c.isalnum() and c != _NEXT
    }
)
_BLANK = re.compile(rf"[\s{re.escape(_JOINING)}]")
_SIGN = re.compile(rf"[^\w {_NEXT}]")


class Mentions(NamedTuple):
    """Which text mentions which category, each once, ordered by text and category."""

    text: np.ndarray
    """Number of the text, int64, (mention,)."""
    category: np.ndarray
    """Number of the category in `Finder.categories`, int64, (mention,)."""


class Finder:
    """Looks for the names of categories in texts.

    Args:
        names: All names of each category; a name may belong to several.
        other: Phrases that hold a name and mean something else, as "train track": the names
            within them do not count.

    Raises:
        OodexpError: If there is no category, or a category has no name, or a name no letter or
            digit.
    """

    def __init__(self, names: Mapping[str, Iterable[str]], other: Iterable[str] = ()) -> None:
        self.categories = tuple(names)
        owners: dict[str, set[int]] = {_key(phrase, "other"): set() for phrase in other}
        for number, (category, phrases) in enumerate(names.items()):
            keys = {_key(phrase, category) for phrase in phrases}
            if not keys:
                raise OodexpError(f"category {category!r}: no name; expected one at the least")
            for key in keys:
                owners.setdefault(key, set()).add(number)
        if not self.categories:
            raise OodexpError("no category to look for; expected one at the least")
        self._automaton = _automaton(list(owners))
        self._lengths = np.array([len(key) for key in owners], np.int64)
        self._owner = np.array(list(chain.from_iterable(map(sorted, owners.values()))), np.int64)
        self._number = np.array([len(o) for o in owners.values()], np.int64)
        self._first = np.cumsum(self._number) - self._number

    def find(self, texts: Sequence[str]) -> Mentions:
        """Which of the categories each text mentions.

        Args:
            texts: Any texts; a few megabytes together are fastest. Memory is a small multiple of
                their length.
        """
        if "".join(texts).isascii():
            return self._find(texts)
        # One text with an accent must not make all others slow.
        plain = np.array([text.isascii() for text in texts])
        parts = []
        for rows in (np.flatnonzero(plain), np.flatnonzero(~plain)):
            found = self._find([texts[row] for row in rows.tolist()])
            parts.append(rows[found.text] * len(self.categories) + found.category)
        return self._split(np.sort(np.concatenate(parts)))

    def _find(self, texts: Sequence[str]) -> Mentions:
        whole = _joined(texts)
        pairs = chain.from_iterable(self._automaton.iter(whole))
        ends, names = np.fromiter(pairs, np.int64).reshape(-1, 2).T
        kept = ~_inside(ends - self._lengths[names], ends)
        text = np.searchsorted(_borders(whole), ends[kept])
        number, first = self._number[names[kept]], self._first[names[kept]]
        before = np.cumsum(number) - number
        place = np.arange(number.sum()) + np.repeat(first - before, number)
        cells = np.repeat(text, number) * len(self.categories) + self._owner[place]
        return self._split(np.unique(cells))

    def _split(self, cells: np.ndarray) -> Mentions:
        return Mentions(*np.divmod(cells, len(self.categories)))


def _automaton(keys: Sequence[str]) -> Any:
    import ahocorasick  # type: ignore[import-not-found]  # compiled, without stubs

    found = ahocorasick.Automaton(ahocorasick.STORE_INTS)
    for number, key in enumerate(keys):
        found.add_word(key, number)
    found.make_automaton()
    return found


def _inside(starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Whether a name lies within a longer one, bool, (name,).

    Args:
        starts: First character, int64, (name,).
        ends: Last character, ascending; of equal ones the longest name first, as the search
            yields them.
    """
    if not len(ends):
        return np.zeros(0, bool)
    same = np.r_[False, ends[1:] == ends[:-1]]
    earliest = np.minimum.accumulate(starts[::-1])[::-1]
    return same | np.r_[earliest[1:] <= starts[:-1], False]


def _joined(texts: Sequence[str]) -> str:
    """Texts with one blank on both sides of each word and sign, and `_NEXT` between texts."""
    whole = _NEXT.join(texts)
    if whole.count(_NEXT) >= max(1, len(texts)):
        whole = _NEXT.join(text.replace(_NEXT, _PARTS) for text in texts)
    if whole.isascii():
        whole = whole.lower().translate(_ASCII)
    else:
        whole = unicodedata.normalize("NFC", whole.lower())
        whole = _SIGN.sub(_PARTS, _BLANK.sub(" ", whole))
    whole = whole.replace(_NEXT, f" {_NEXT} ").replace(_PARTS, f" {_PARTS} ")
    while "  " in whole:
        whole = whole.replace("  ", " ")
    return f" {whole.strip(' ')} "


def _borders(whole: str) -> np.ndarray:
    """Where in the joined text one text ends and the next begins, ascending."""
    if whole.isascii():
        codes = np.frombuffer(whole.encode("ascii"), np.uint8)
    else:
        codes = np.frombuffer(whole.encode("utf-32-le", "surrogatepass"), np.uint32)
    return np.flatnonzero(codes == ord(_NEXT))


def _key(name: str, category: str) -> str:
    words = _joined([name]).strip(f" {_PARTS}")
    if not words:
        raise OodexpError(
            f"category {category!r}: the name {name!r} has no letter or digit; drop or rename it"
        )
    return f" {words} "
