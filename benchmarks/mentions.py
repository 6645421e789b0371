"""Finding categories in training texts, against a loop over one compiled expression.

Two million captions of COCO's length (ten words and a half) are generated, five an image, and
searched for the names of COCO's 80 categories with all synonyms. `overlap_texts_per_second` is of
the whole pass, from the stream of captions to the covered pairs, on one core, in processor time;
every image is one of the pairs', so that no text is passed over, and generating the captions is
not counted. `overlap_regex_ratio` is the processor time of the loop over ours on the same texts;
no ratio without equal answers. Targets: 200,000 texts a second, memory that does not grow.
"""

from __future__ import annotations

import random
import re
import resource
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.timing import json_file, of_call, publish

if TYPE_CHECKING:
    from oodexp.evidence.mention import Finder
    from oodexp.evidence.synonym import Names

TEXTS, PER_IMAGE, PAIRS_PER_IMAGE = 2_000_000, 5, 3
COMPARED = 40_000
"""Texts that the loop searches, too."""
VARIETY = 100_000
"""Different captions; the stream repeats them."""
_PLACES = (
    "in a park", "on the street", "near a building", "at night", "on a sunny day", "in the kitchen",
    "next to the wall", "under a tree", "by the water", "in the background",
)  # fmt: skip
_DOING = (
    "standing", "sitting", "lying", "parked", "waiting", "placed", "resting", "held up", "shown",
)  # fmt: skip
_ADJECTIVES = ("large", "small", "old", "white", "red", "carved", "scattered", "shiny", "wooden")


def main() -> None:
    """Prints the figures; see the top of this file."""
    json_file(__doc__ or "")  # before the work, so that --help answers at once
    notes = f"{TEXTS:,} texts, 80 categories with synonyms; ratio on {COMPARED:,} of them"
    publish("Mentions of categories", measure(), notes, __doc__ or "")


def measure(texts: int = TEXTS, compared: int = COMPARED) -> dict[str, float]:
    """Speed and memory of the pass, and the ratio to the loop.

    Args:
        texts: Texts of the corpus.
        compared: Texts that the loop searches as well.
    """
    from oodexp.evidence.mention import Finder
    from oodexp.evidence.overlap import Coverage, cover

    table = coco_names()
    finder = Finder(table.of, table.other)
    captions = generated(table, VARIETY, random.Random(0))
    images, categories = pairs(texts // PER_IMAGE, finder.categories)
    of_stream = of_call(lambda: _drained(stream(captions, texts))).cpu
    before, found = _peak_gb(), list[Coverage]()
    cost = of_call(
        lambda: found.append(cover(images, categories, stream(captions, texts), finder))
    ).cpu
    rows = {
        "overlap_texts_per_second": texts / (cost - of_stream),
        "overlap_pass_seconds": cost,
        "overlap_peak_gb": _peak_gb(),
        "overlap_growth_gb": _peak_gb() - before,
        "overlap_covered_share": float(found[0].covered.mean()),
    }
    return rows | _against_loop(finder, table, captions[:compared])


def coco_names() -> Names:
    """COCO's categories with the shipped synonyms."""
    from oodexp.evidence.synonym import names, read

    return names([category for category in read("coco") if category], "coco")


def generated(table: Names, number: int, draw: random.Random) -> list[str]:
    """Captions of COCO's length; every name of every category occurs.

    Args:
        table: Names of the categories.
        number: How many.
        draw: The only source of chance.
    """
    names = [name for all_names in table.of.values() for name in all_names] + list(table.other)
    return [
        f"A {draw.choice(_ADJECTIVES)} {draw.choice(names)} is {draw.choice(_DOING)} "
        f"{draw.choice(_PLACES)}, with a {draw.choice(names)}."
        for _ in range(number)
    ]


def stream(captions: Sequence[str], number: int) -> Iterator[tuple[str, str]]:
    """A corpus: (image, caption), the captions again and again.

    Args:
        captions: The different captions.
        number: How many texts.
    """
    for n in range(number):
        yield str(n // PER_IMAGE), captions[n % len(captions)]


def pairs(images: int, categories: Sequence[str]) -> tuple[list[str], list[str]]:
    """Pairs of images and categories.

    Args:
        images: Number of images.
        categories: Names of the categories.
    """
    rng = np.random.default_rng(0)
    chosen = rng.integers(0, len(categories), images * PAIRS_PER_IMAGE)
    keys = [str(n // PAIRS_PER_IMAGE) for n in range(len(chosen))]
    return keys, [categories[c] for c in chosen]


def loop(table: Names, texts: Sequence[str]) -> list[set[str]]:
    """Categories of each text by one expression of all names, the longest first.

    Args:
        table: Names of the categories.
        texts: The texts.
    """
    owners: dict[str, set[str]] = {name: set() for name in table.other}
    for category, names in table.of.items():
        for name in names:
            owners.setdefault(name, set()).add(category)
    listed = sorted(owners, key=len, reverse=True)
    # On lower-case text: four times as fast as an expression that ignores case.
    words = re.compile(rf"\b(?:{'|'.join(map(re.escape, listed))})\b")
    return [{c for name in words.findall(text.lower()) for c in owners[name]} for text in texts]


def _against_loop(finder: Finder, table: Names, texts: Sequence[str]) -> dict[str, float]:
    ours: list[list[set[str]]] = []
    theirs: list[list[set[str]]] = []
    plain = of_call(lambda: theirs.append(loop(table, texts))).cpu
    # Several times: one search of these few texts is too short to be measured.
    cost = min(of_call(lambda: ours.append(_by_text(finder, texts))).cpu for _ in range(5))
    if ours[0] != theirs[0]:
        bad = next(n for n in range(len(texts)) if ours[0][n] != theirs[0][n])
        sys.exit(f"no equal answers: {texts[bad]!r}: {ours[0][bad]} and {theirs[0][bad]}")
    return {"overlap_regex_ratio": plain / cost}


def _by_text(finder: Finder, texts: Sequence[str]) -> list[set[str]]:
    found = finder.find(texts)
    sets: list[set[str]] = [set() for _ in texts]
    for text, category in zip(found.text.tolist(), found.category.tolist(), strict=True):
        sets[text].add(finder.categories[category])
    return sets


def _drained(texts: Iterator[tuple[str, str]]) -> None:
    for _ in texts:
        pass


def _peak_gb() -> float:
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e9


if __name__ == "__main__":
    main()
