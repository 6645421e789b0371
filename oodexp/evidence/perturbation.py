"""How much a benchmark hangs on its thresholds and its ID names (OODConceptBench, D6 and D7).

Stored scores are filtered again; no model runs. Table D6 moves T1, T2, T3 by up to 5 %, each alone
and all together, six settings each, and gives the sizes of L2 and their Jaccard index with the L2
of the fixed thresholds. Which six is not stated: -5, -3, -1, 1, 3, 5 % fit the printed means, which
-5, -2.5, -1, ... do not. "Joint" is read as the same factor for all three.

Table D7 makes the ID vocabulary larger and counts what still survives. More names can only bring
the nearest one nearer, so survivors nest. The thresholds stay. Which rule is meant is not stated:
rule 1 is read, as it alone looks at the vocabulary; any level may be asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from oodexp.division.filter_cascade import LEVELS, Scores, Thresholds, cascade, farness
from oodexp.error import OodexpError
from oodexp.evidence.wordnet import lemmas
from oodexp.metric.agreement import jaccard

FACTORS = (-0.05, -0.03, -0.01, 0.01, 0.03, 0.05)
"""Relative changes of a threshold."""

JOINT = "joint"


class Setting(NamedTuple):
    """The selection at moved thresholds."""

    moved: str
    """One of `Thresholds._fields`, or `joint`."""
    factor: float
    """Relative change: the thresholds are times 1 + factor."""
    size: int
    """Images selected."""
    jaccard: float
    """With the selection at the fixed thresholds, in [0, 1]; NaN where undefined."""
    reason: str | None
    """Why it is undefined."""


class Local(NamedTuple):
    """Settings that move the same thresholds: a row of Table D6."""

    moved: str
    """As in `Setting`."""
    settings: int
    """How many."""
    fewest: int
    """Images of the smallest selection."""
    most: int
    """Images of the largest selection."""
    lowest: float
    """Smallest Jaccard index; NaN where undefined."""
    highest: float
    """Largest Jaccard index."""
    mean: float
    """Mean Jaccard index."""
    reason: str | None
    """Why they are undefined."""


class Pruning(NamedTuple):
    """What a larger vocabulary removes from a category: a row of Table D7."""

    category: str
    """Its name."""
    images: int
    """Images with all scores."""
    before: int
    """Survivors under the names of the benchmark."""
    after: int
    """Survivors under more names, a part of these."""
    before_rate: float
    """before / images, in [0, 1]; NaN without images."""
    after_rate: float
    """after / images."""
    pruned_rate: float
    """(before - after) / images."""
    reason: str | None
    """Why the rates are undefined."""


def perturbed(
    scores: Scores, thresholds: Thresholds, factors: Iterable[float] = FACTORS, level: str = "L2"
) -> list[Setting]:
    """Selections with T1, T2, T3 moved, each alone and then all by the same factor.

    Args:
        scores: Stored scores of all candidate images.
        thresholds: The fixed ones.
        factors: Relative changes, > -1.
        level: One of `filter_cascade.LEVELS`.

    Raises:
        OodexpError: If there is no such level.
    """
    fixed, steps = _selected(scores, thresholds, level), list(factors)
    found = []
    for moved in (*Thresholds._fields, JOINT):
        for factor in steps:
            near = Thresholds(
                *(
                    value * (1 + factor) if moved in (name, JOINT) else value
                    for name, value in zip(Thresholds._fields, thresholds, strict=True)
                )
            )
            mine = _selected(scores, near, level)
            index = jaccard(mine, fixed)
            reason = "both selections are empty" if np.isnan(index) else None
            found.append(Setting(moved, factor, int(mine.sum()), index, reason))
    return found


def local(settings: Sequence[Setting]) -> list[Local]:
    """Settings summed up by what they move, in their order."""
    found = []
    for moved in dict.fromkeys(one.moved for one in settings):
        mine = [one for one in settings if one.moved == moved]
        counts, index = [one.size for one in mine], np.array([one.jaccard for one in mine])
        reason = next((one.reason for one in mine if one.reason), None)
        ends = float(index.min()), float(index.max()), float(index.mean())
        found.append(Local(moved, len(mine), min(counts), max(counts), *ends, reason))
    return found


def more_names(
    names: Sequence[str], given: Iterable[str] = (), wordnet: str | None = None, senses: int = 1,
    depth: int = 0,
) -> list[str]:  # fmt: skip
    """Names to add to an ID vocabulary: given ones, and what WordNet lists with its names.

    Args:
        names: The vocabulary.
        given: Further names; those of the vocabulary are left out, whatever their case.
        wordnet: WordNet's folder, or None.
        senses: As in `wordnet.lemmas`.
        depth: As in `wordnet.lemmas`.

    Raises:
        OodexpError: If WordNet cannot be read.
    """
    listed = lemmas(wordnet, names, senses, depth) if wordnet is not None else {}
    seen, added = {_plain(name) for name in names}, []
    for name in (*given, *(word for words in listed.values() for word in words)):
        if _plain(name) not in seen:
            seen.add(_plain(name))
            added.append(name)
    return added


def expanded(scores: Scores, images: np.ndarray, names: np.ndarray) -> Scores:
    """The scores with S_1K to the nearest of old and new names.

    Args:
        scores: Under the names of the benchmark.
        images: Their features, of unit length, (image, d); not finite where it has no score.
        names: Features of the added names, of unit length, (name, d); none leave all as it is.
    """
    if not len(names):
        return scores
    return scores._replace(common=np.minimum(scores.common, farness(images, names)))


def pruning(
    before: Scores, after: Scores, thresholds: Thresholds, category: np.ndarray,
    categories: Sequence[str], level: str = "rule 1",
) -> list[Pruning]:  # fmt: skip
    """What a larger vocabulary removes, by category.

    Args:
        before: Scores under the names of the benchmark.
        after: Under more names, of `expanded`.
        thresholds: Fixed.
        category: Number of each image's category, (image,).
        categories: Their names.
        level: Who counts as a survivor, one of `filter_cascade.LEVELS`.

    Raises:
        OodexpError: If there is no such level.
    """
    masks = [_selected(before, thresholds, name) for name in (LEVELS[0], level)]
    masks.append(_selected(after, thresholds, level))
    counts = np.array([np.bincount(category[one], minlength=len(categories)) for one in masks])
    return [_pruned(name, *row) for name, row in zip(categories, counts.T.tolist(), strict=True)]


def _pruned(category: str, images: int, before: int, after: int) -> Pruning:
    if not images:
        return Pruning(category, 0, 0, 0, np.nan, np.nan, np.nan, "no image with scores")
    rates = before / images, after / images, (before - after) / images
    return Pruning(category, images, before, after, *rates, None)


def _selected(scores: Scores, thresholds: Thresholds, level: str) -> np.ndarray:
    if level not in LEVELS:
        raise OodexpError(f"level {level!r}: expected one of {', '.join(LEVELS)}")
    return cascade(scores, thresholds).kept[:, LEVELS.index(level)]


def _plain(name: str) -> str:
    return name.strip().replace("_", " ").casefold()
