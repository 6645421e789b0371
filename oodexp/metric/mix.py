"""How the mix of pairs differs between splits, and accuracies re-weighted to a common mix.

A split may be harder only because it holds more small objects. Direct standardisation answers what
a VLM would score on a split if its pairs fell into the composition groups as those of a reference
do: the accuracy of each group stays, its weight becomes the reference's. A group without any pair
in a split has no accuracy there and cannot be re-weighted; the share of the reference that is
covered is always told, and splits are compared over the groups that all of them have.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from oodexp.metric.composition import groups


class Grouping(NamedTuple):
    """Pairs in groups, each in one at most."""

    name: str
    """`planted`, `size`, `count`, or several joined by ` x `."""
    labels: list[str]
    """Names of the groups, as in `composition.groups`."""
    codes: np.ndarray
    """Group of each pair, int64, (pair,); -1 where it is not known."""


class Standardised(NamedTuple):
    """Accuracies by a reference mix."""

    values: np.ndarray
    """Over the groups that a split has, re-weighted to the reference, (..., split)."""
    covered: np.ndarray
    """Share of the reference in those groups, in [0, 1], (..., split)."""
    common_values: np.ndarray
    """Over the groups that all splits have, (..., split): only these compare like with like."""
    common: np.ndarray
    """Share of the reference in the groups that all splits have, (...)."""


def groupings(pairs: pd.DataFrame) -> list[Grouping]:
    """The groupings that the annotations allow.

    Args:
        pairs: `record.Pair` rows.
    """
    found = []
    for labels in groups(pairs):
        codes, names = pd.factorize(labels, sort=True)
        texts = [str(name) for name in names]
        found.append(Grouping(texts[0].partition(":")[0], texts, np.asarray(codes, np.int64)))
    return found


def crossed(parts: Sequence[Grouping]) -> Grouping:
    """Groups of pairs that agree in all groupings; a pair without one of them is in none."""
    lost = np.any([part.codes < 0 for part in parts], axis=0)
    rows = np.stack([part.codes for part in parts], axis=1)
    kept, inverse = np.unique(rows[~lost], axis=0, return_inverse=True)
    codes = np.full(len(lost), -1)
    codes[~lost] = inverse.ravel()
    labels = [
        ", ".join(part.labels[code] for part, code in zip(parts, row, strict=True)) for row in kept
    ]
    return Grouping(" x ".join(part.name for part in parts), labels, codes)


def sizes(grouping: Grouping, chosen: np.ndarray) -> np.ndarray:
    """Number of chosen pairs in each group, float64, (group,); `chosen` is bool, (pair,)."""
    codes = grouping.codes[chosen]
    counted = np.bincount(codes[codes >= 0], minlength=len(grouping.labels))
    return counted.astype(np.float64)


def shares(counts: np.ndarray) -> np.ndarray:
    """Counts as shares that sum to 1, (group,); NaN where there is nothing."""
    total = counts.sum()
    return counts / total if total else np.full(len(counts), np.nan)


def distance(first: np.ndarray, second: np.ndarray) -> float:
    """Share of pairs that would have to change group for two mixes to be the same.

    The total variation distance of two rows of shares, in [0, 1]; NaN if one has no pair.
    """
    return float(np.abs(first - second).sum() / 2)


def entropy(categories: np.ndarray) -> float:
    """Entropy of the categories of some pairs in bits, >= 0; NaN without pairs.

    The plain estimate: it is low for a split of few pairs, whatever their law.

    Args:
        categories: Number of each pair's category, >= 0, (pair,).
    """
    if not len(categories):
        return float("nan")
    share = shares(np.bincount(categories).astype(np.float64))
    share = share[share > 0]
    return float(np.maximum(0, -(share * np.log2(share)).sum()))


def standardise(right: np.ndarray, total: np.ndarray, reference: np.ndarray) -> Standardised:
    """Accuracies re-weighted to a reference mix (direct standardisation).

    Args:
        right: Right answers by split and group, >= 0, (..., split, group).
        total: All answers that count, of the same shape.
        reference: Weight of each group in the reference, >= 0, (group,).
    """
    have = total > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        accuracy = np.where(have, right / total, 0.0)
        share = shares(np.asarray(reference, np.float64))
        covered = (have * share).sum(axis=-1)
        values = (accuracy * have * share).sum(axis=-1) / covered
        all_have = have.all(axis=-2, keepdims=True)
        common = (all_have * share).sum(axis=-1)
        common_values = (accuracy * all_have * share).sum(axis=-1) / common
    return Standardised(values, covered, common_values, common[..., 0])
