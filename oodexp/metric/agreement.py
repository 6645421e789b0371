"""How far two divisions of the same pairs agree."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from oodexp.record import SPLITS


class Agreement(NamedTuple):
    """Two divisions beside one another."""

    kappa: float
    """Cohen's kappa over the three splits, in [-1, 1]; NaN where chance alone agrees on all."""
    same: float
    """Share of pairs in the same split; NaN without common pairs."""
    jaccard: dict[str, float]
    """By split: pairs that both put there over pairs that either does, in [0, 1]; NaN for none."""
    pairs: int
    """Number of pairs that both divisions put into a split: all of this rests on them."""
    left_out: int
    """Number of pairs that one division or both leave in no split."""


def agreement(first: np.ndarray, second: np.ndarray) -> Agreement:
    """Agreement of two divisions; same order of pairs.

    Args:
        first: 0, 1, 2 for ID, OOD-S, OOD-H, negative for none, (pair,).
        second: The other division.
    """
    both = (first >= 0) & (second >= 0)
    mine, theirs = first[both], second[both]
    same = float((mine == theirs).mean()) if len(mine) else float("nan")
    of_split = {name: jaccard(mine == code, theirs == code) for code, name in enumerate(SPLITS)}
    return Agreement(kappa(mine, theirs), same, of_split, len(mine), len(first) - len(mine))


def kappa(first: np.ndarray, second: np.ndarray) -> float:
    """Cohen's kappa, unweighted: agreement beyond what the two marginals give by chance.

    1 for equal labels, 0 for independent ones; NaN without labels, or where all are one label.

    Args:
        first: A label each, whole numbers >= 0, (n,).
        second: The other labels.
    """
    if not len(first):
        return float("nan")
    width = int(max(first.max(), second.max())) + 1
    table = np.bincount(first * width + second, minlength=width**2).reshape(width, width)
    return float(kappa_of(table))


def kappa_of(tables: np.ndarray) -> np.ndarray:
    """Cohen's kappa of each table of two raters' labels.

    Args:
        tables: How often the first said the row and the second the column, numbers or weights
            >= 0, (..., label, label).

    Returns:
        Float64, (...), in [-1, 1]; NaN for an empty table, and where all labels are one.
    """
    total = tables.sum(axis=(-2, -1), dtype=np.float64)
    rows, columns = tables.sum(axis=-1, dtype=np.float64), tables.sum(axis=-2, dtype=np.float64)
    same = np.trace(tables, axis1=-2, axis2=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        chance = (rows * columns).sum(axis=-1) / total**2
        value = (same / total - chance) / (1 - chance)
    return np.where(chance < 1, value, np.nan)


def jaccard(first: np.ndarray, second: np.ndarray) -> float:
    """Size of the intersection over that of the union, in [0, 1]; NaN where both are empty.

    Args:
        first: Whether each is in the first set, bool, (n,).
        second: The other set.
    """
    union = int((first | second).sum())
    return int((first & second).sum()) / union if union else float("nan")
