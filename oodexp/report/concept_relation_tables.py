"""Tables of how the scores of a concept benchmark go together, after Tables D8 to D10.

Cosines, entropies and correlations (OODConceptBench, appendix D) are printed as they are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from oodexp.report.concept_value import Value, below, plain, signed
from oodexp.report.layout import grid

if TYPE_CHECKING:
    from rich.table import Table


class Spread(NamedTuple):
    """Entropy and semantic loss of a level; the categories weigh alike."""

    level: str
    """E.g. `L1`."""
    categories: int
    """Number of categories."""
    entropy: Value
    """Mean entropy."""
    least: Value
    """Smallest entropy of a category."""
    largest: Value
    """Largest entropy of a category."""
    loss: Value
    """Mean semantic loss."""


class Nearest(NamedTuple):
    """How near the phrases of a scope are to their nearest ID class text."""

    scope: str
    """E.g. `all phrases`, `active in L1`."""
    phrases: int
    """Number of phrases."""
    mean: Value
    """Mean cosine."""
    median: Value
    """Median cosine."""


class Related(NamedTuple):
    """How two scores of the images of a level go together."""

    level: str
    """E.g. `L1`."""
    images: int
    """Number of images."""
    nearest: Value
    """Mean cosine with the nearest ID class text."""
    target: Value
    """Mean cosine with the own phrase."""
    pearson: Value
    """Pearson's correlation, in [-1, 1]."""
    spearman: Value
    """Spearman's correlation, in [-1, 1]."""


def spread_table(rows: Sequence[Spread], unit: str = "bits") -> Table:
    """Entropy and semantic loss by level (Table D8).

    Args:
        rows: The levels.
        unit: Of the entropy.
    """
    values = [(row.level, value) for row in rows for value in (row.entropy, row.loss)]
    names = ("level", "categories", f"mean entropy, {unit}", "entropy range", "semantic loss")
    table = grid(
        "Entropy and semantic loss", names, 1, below(values, "every category weighs alike")
    )
    for row in rows:
        ends = "..".join(
            plain(value._replace(lower=math.nan)) for value in (row.least, row.largest)
        )
        table.add_row(row.level, str(row.categories), plain(row.entropy), ends, plain(row.loss))
    return table


def nearest_table(rows: Sequence[Nearest]) -> Table:
    """Nearest-ID similarity of the phrases by scope (Table D9)."""
    values = [(row.scope, value) for row in rows for value in (row.mean, row.median)]
    table = grid(
        "Similarity of phrases with the nearest ID class", ("scope", "phrases", "mean", "median"),
        1, below(values, "cosines of text features"),
    )  # fmt: skip
    for row in rows:
        table.add_row(row.scope, f"{row.phrases:,}", plain(row.mean, 4), plain(row.median, 4))
    return table


def relation_table(rows: Sequence[Related]) -> Table:
    """Nearest-ID and target similarity of the images, and their correlation (Table D10)."""
    values = [
        (row.level, value)
        for row in rows
        for value in (row.nearest, row.target, row.pearson, row.spearman)
    ]
    table = grid(
        "Nearest-ID and target similarity of images",
        ("level", "images", "mean nearest-ID", "mean target", "Pearson r", "Spearman rho"), 1,
        below(values, "cosines; descriptive"),
    )  # fmt: skip
    for row in rows:
        table.add_row(
            row.level, f"{row.images:,}", plain(row.nearest, 4), plain(row.target, 4),
            signed(row.pearson), signed(row.spearman),
        )  # fmt: skip
    return table
