"""Score S(x, c) and ranking margin Delta(x, c) of present pairs, for one scorer.

OODBench (arXiv 2602.18094), III-D, eq. 15 and 24. The softmax of a pair (x, c) runs over c and its
competitors. By default these are the categories absent from x ("purified"): in an image of several
categories, another one that is truly there must not take the probability mass. Sign: larger is more
in-distribution; a negative margin is a ranking anomaly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from oodexp.record import ABSENT, UNKNOWN


class Signals(NamedTuple):
    """One value a pair, all of shape (pair,)."""

    score: np.ndarray
    """float32, S in [0, 1]; NaN where a logit that it rests on is not finite."""
    margin: np.ndarray
    """float32, Delta in [-1, 1]: S minus the best competitor's."""
    surrogate: np.ndarray
    """int64, column of the best competitor; -1 where the pair has none."""


def competes(presence: np.ndarray, competitors: str, unknown: str) -> np.ndarray:
    """Which cells may compete with a pair of their image: bool, (image, category).

    Args:
        presence: Codes of `oodexp.record`, (image, category).
        competitors: `absent` (purified) or `all` categories, other present ones included.
        unknown: `compete` (what is not annotated as present) or `exclude` (known negatives only).
    """
    if competitors == "all":
        rivals = np.ones(presence.shape, dtype=bool)
        return rivals if unknown == "compete" else presence != UNKNOWN
    return (presence == ABSENT) | ((presence == UNKNOWN) & (unknown == "compete"))


def signals(
    logits: np.ndarray, rivals: np.ndarray, rows: np.ndarray, columns: np.ndarray
) -> Signals:
    """S and Delta of the pairs (rows[i], columns[i]).

    The pair itself is never its own competitor. Sums run in float64; the result is float32, the
    type that thresholds are compared in.

    Args:
        logits: Scaled logits, (image, category).
        rivals: Cells that may compete, bool, (image, category); see `competes`.
        rows: Image index of each pair.
        columns: Category index of each pair.
    """
    own = logits[rows, columns].astype(np.float64)
    field = np.where(rivals[rows], logits[rows].astype(np.float64), -np.inf)  # (pair, category)
    field[np.arange(len(rows)), columns] = -np.inf
    best = field.argmax(axis=1) if field.size else np.zeros(0, dtype=np.int64)
    top = field[np.arange(len(rows)), best]
    with np.errstate(invalid="ignore", over="ignore"):
        highest = np.maximum(own, top)
        weights = np.exp(field - highest[:, None]).sum(axis=1)
        mine = np.exp(own - highest)
        score = mine / (mine + weights)
        margin = score - np.exp(top - highest) / (mine + weights)
    lost = ~np.isfinite(own) | np.isnan(field).any(axis=1) | np.isposinf(field).any(axis=1)
    score[lost], margin[lost] = np.nan, np.nan
    surrogate = np.where(lost | np.isneginf(top), -1, best)
    return Signals(score.astype(np.float32), margin.astype(np.float32), surrogate)
