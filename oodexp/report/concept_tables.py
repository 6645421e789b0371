"""Tables of building a concept benchmark: what is kept, what it is made of, how firm it is.

After Tables A4, D6 and D7 and Figure 3 of OODConceptBench. All numbers come in as fractions and
counts and are printed in percent.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from oodexp.report.concept_value import Value, below, percent, plain, points
from oodexp.report.layout import grid

if TYPE_CHECKING:
    from rich.table import Table

ALL = "all"
"""The category that stands for all of them together."""
NAN = math.nan


class Retained(NamedTuple):
    """How many images of a category one or more rules keep."""

    category: str
    """Family of the concepts, or `all`."""
    start: str
    """Stage before, e.g. `L0`."""
    end: str
    """Stage after, e.g. `L1`."""
    before: int
    """Images of the stage before."""
    after: int
    """Images of the stage after, of those before."""
    lower: float = NAN
    """Lower end of the 95 % interval of the share that is kept, a fraction; NaN without one."""
    upper: float = NAN
    """Upper end of the interval."""

    @property
    def share(self) -> Value:
        """Share that is kept."""
        if not self.before:
            return Value(NAN, reason=f"no image in {self.start}")
        return Value(self.after / self.before, self.lower, self.upper)


class Composed(NamedTuple):
    """What one level holds of one category."""

    level: str
    """E.g. `L1`."""
    category: str
    """Family of the concepts; no row is the sum of others."""
    images: Mapping[str, int]
    """Number of images by acquisition, e.g. `{"crawled": 3, "generated": 0}`."""
    concepts: int
    """Number of phrases with at least one image in the level."""


class Perturbed(NamedTuple):
    """What changed thresholds do to the last level, over the settings of one kind of change."""

    change: str
    """What is changed, e.g. `T1`, `joint`."""
    low: float
    """Smallest relative change, e.g. -0.05."""
    high: float
    """Largest relative change."""
    settings: int
    """Number of settings."""
    fewest: int
    """Smallest number of images of the level."""
    most: int
    """Largest number of images of the level."""
    least: Value
    """Smallest Jaccard index with the level as it is, in [0, 1]."""
    largest: Value
    """Largest Jaccard index."""
    mean: Value
    """Mean Jaccard index over the settings."""


class Expanded(NamedTuple):
    """What more reference names prune from a category."""

    category: str
    """Family of the concepts, or `all`."""
    images: int
    """Images that both vocabularies are tried on."""
    before: int
    """Images that the vocabulary as it is keeps."""
    after: int
    """Images that the larger vocabulary keeps, of those before."""


def retention_table(rows: Sequence[Retained]) -> Table:
    """Category by step, in percent with the counts (Table A4)."""
    steps = list(dict.fromkeys((row.start, row.end) for row in rows))
    at = {(row.category, row.start, row.end): row for row in rows}
    told = [(f"{row.category}, {row.start} → {row.end}", row.share) for row in rows]
    table = grid(
        "Retention by category and stage", ("category", *(f"{a} → {b}" for a, b in steps)), 1,
        below(told, "in %; in brackets: images after / before"),
    )  # fmt: skip
    for category in dict.fromkeys(row.category for row in rows):
        kept = [at.get((category, *step)) for step in steps]
        table.add_row(category, *("-" if row is None else _kept(row) for row in kept))
    return table


def composition_table(rows: Sequence[Composed]) -> Table:
    """Images by category, level and acquisition, and concepts with an image (Figure 3)."""
    levels = list(dict.fromkeys(row.level for row in rows))
    ways = list(dict.fromkeys(way for row in rows for way in row.images))
    table = grid(
        "Composition by category", ("category", "level", "images", *ways, "concepts"), 2,
        "Images by how they were acquired, in brackets their share of the row in %. "
        "all: the sum; a phrase of two categories counts in each.",
    )  # fmt: skip
    totals = [_total(level, ways, [r for r in rows if r.level == level]) for level in levels]
    for category in dict.fromkeys(row.category for row in [*rows, *totals]):
        table.add_section()
        name = category
        for row in [*rows, *totals]:
            if row.category == category:
                table.add_row(name, row.level, *_held(row, ways))
                name = ""
    return table


def perturbation_table(level: str, rows: Sequence[Perturbed]) -> Table:
    """Sizes of a level and Jaccard index with it, by the threshold that is changed (Table D6)."""
    values = [(row.change, value) for row in rows for value in (row.least, row.largest, row.mean)]
    table = grid(
        f"Small changes of the thresholds: {level}",
        ("change", "range", "settings", f"images of {level}", "Jaccard min", "max", "mean"), 2,
        below(values, f"Jaccard index of the images with those of {level} as it is, in [0, 1]"),
    )  # fmt: skip
    for row in rows:
        table.add_row(
            row.change, f"{_relative(row.low)} to {_relative(row.high)}", f"{row.settings}",
            f"{row.fewest:,}..{row.most:,}", plain(row.least), plain(row.largest), plain(row.mean),
        )  # fmt: skip
    return table


def expansion_table(rows: Sequence[Expanded], vocabulary: str) -> Table:
    """What a larger reference vocabulary prunes more, by category (Table D7).

    Args:
        rows: The categories.
        vocabulary: What was added, e.g. `WordNet nouns, 2,000 names`.
    """
    shares = [(row.category, _share(row.before, row.images)) for row in rows]
    names = ("category", "images", "kept", "kept with more names", "removed", "kept %",
             "with more %", "pruned, points")  # fmt: skip
    table = grid(
        f"A larger reference vocabulary: {vocabulary}", names, 1,
        below(shares, "shares of the images that both vocabularies are tried on"),
    )  # fmt: skip
    for row in rows:
        counts = (row.images, row.before, row.after, row.before - row.after)
        pruned = _share(row.before - row.after, row.images)
        table.add_row(
            row.category, *(f"{n:,}" for n in counts), percent(_share(row.before, row.images), 2),
            percent(_share(row.after, row.images), 2), points(pruned, 2).lstrip("+"),
        )  # fmt: skip
    return table


def _kept(row: Retained) -> str:
    head, *interval = percent(row.share, 2).split("\n")
    return "\n".join([f"{head} ({row.after:,} / {row.before:,})", *interval])


def _held(row: Composed, ways: Sequence[str]) -> list[str]:
    """Cells of a row: images, images by acquisition, concepts."""
    total = sum(row.images.values())
    return [f"{total:,}", *(_part(row.images.get(w, 0), total) for w in ways), f"{row.concepts:,}"]


def _part(part: int, total: int) -> str:
    return f"{part:,} ({100 * part / total:.0f})" if total else "0"


def _total(level: str, ways: Sequence[str], rows: Sequence[Composed]) -> Composed:
    images = {way: sum(row.images.get(way, 0) for row in rows) for way in ways}
    return Composed(level, ALL, images, sum(row.concepts for row in rows))


def _share(part: int, of: int) -> Value:
    return Value(part / of) if of else Value(NAN, reason="no image")


def _relative(change: float) -> str:
    return points(Value(change), 0) + " %" if change else "0 %"
