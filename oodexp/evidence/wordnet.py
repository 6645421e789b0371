"""Synonyms from WordNet, read from its dictionary files (`index.noun` and `data.noun`).

WordNet does not ship with oodexp: the folder `dict` of any release that a user has serves. Lines
are as `wndb(5WN)` describes them: the index gives the byte offsets of a lemma's synsets, most
frequent sense first; a synset lists its words and pointers, hyponyms among them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

from oodexp.error import OodexpError

_HYPONYM = ("~", "~i")


class Synset(NamedTuple):
    """One sense."""

    words: tuple[str, ...]
    """Its words, with blanks for underscores."""
    hyponyms: tuple[int, ...]
    """Byte offsets of narrower synsets."""


def lemmas(
    folder: str, categories: Sequence[str], senses: int = 1, depth: int = 0
) -> dict[str, tuple[str, ...]]:
    """The words that share a synset with each category, or a narrower one.

    Args:
        folder: WordNet's folder with `index.noun` and `data.noun`.
        categories: Category texts; one that WordNet does not list gets no words.
        senses: How many senses of each category count, the most frequent first; further senses
            bring in homonyms ("mouse": the animal first, the device fourth).
        depth: How many levels of narrower synsets count, too: 1 adds "poodle" to "dog".

    Raises:
        OodexpError: If the files are not there or are not WordNet's, or a number is out of range.
    """
    if senses < 1 or depth < 0:
        raise OodexpError(f"wordnet: senses={senses}, depth={depth}; expected >= 1 and >= 0")
    home = Path(folder).expanduser()
    keys = {category: category.strip().lower().replace(" ", "_") for category in categories}
    try:
        offsets = _offsets(home / "index.noun", set(keys.values()))
        with (home / "data.noun").open("rb") as file:
            return {
                category: tuple(dict.fromkeys(_words(file, offsets.get(key, ())[:senses], depth)))
                for category, key in keys.items()
            }
    except (OSError, UnicodeDecodeError) as error:
        raise OodexpError(
            f"wordnet={folder}: {error}; expected WordNet's folder `dict` with index.noun and "
            "data.noun"
        ) from error


def synset(line: str) -> Synset:
    """One line of `data.noun`.

    Raises:
        OodexpError: If it is no such line.
    """
    fields = line.partition("|")[0].split()
    try:
        count = int(fields[3], 16)
        words = tuple(word.replace("_", " ") for word in fields[4 : 4 + 2 * count : 2])
        pointers = fields[4 + 2 * count :]
        number = int(pointers[0])
        kinds, targets = pointers[1 : 4 * number : 4], pointers[2 : 4 * number : 4]
        narrow = tuple(int(t) for k, t in zip(kinds, targets, strict=True) if k in _HYPONYM)
    except (IndexError, ValueError) as error:
        raise OodexpError(
            f"wordnet: data.noun: no synset in {line[:60]!r}; index.noun and data.noun must be of "
            "the same release"
        ) from error
    return Synset(words, narrow)


def _offsets(path: Path, wanted: set[str]) -> dict[str, tuple[int, ...]]:
    found = {}
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            lemma = line.partition(" ")[0]
            if lemma not in wanted:  # the licence lines begin with a blank
                continue
            fields = line.split()
            try:
                senses = int(fields[2])
                found[lemma] = tuple(int(field) for field in fields[-senses:])
            except (IndexError, ValueError) as error:
                raise OodexpError(
                    f"wordnet: {path}, line {number}: no index entry; expected the file as released"
                ) from error
    found.pop("", None)
    return found


def _words(file: BinaryIO, offsets: Iterable[int], depth: int) -> Iterable[str]:
    seen: set[int] = set()
    level = list(offsets)
    for _ in range(depth + 1):
        below: list[int] = []
        for offset in level:
            if offset in seen:
                continue
            seen.add(offset)
            file.seek(offset)
            found = synset(file.readline().decode("utf-8"))
            yield from found.words
            below += found.hyponyms
        level = below
