"""Score S(x, c) and ranking margin Delta(x, c) of present pairs, for one scorer.

OODBench (arXiv 2602.18094), III-D, eq. 15 and 24. The softmax of a pair (x, c) runs over c and its
competitors. By default these are the categories absent from x ("purified"): in an image of several
categories, another one that is truly there must not take the probability mass. Sign: larger is more
in-distribution; a negative margin is a ranking anomaly.

A model that was trained to judge each pair by itself (SigLIP, matching heads) may keep its own
link: then S is the sigmoid of the logit, and competitors count in the margin only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from oodexp.division.standing import Standing, standing
from oodexp.record import ABSENT, UNKNOWN

LINKS = ("softmax", "sigmoid")


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
    logits: np.ndarray, rivals: np.ndarray, rows: np.ndarray, columns: np.ndarray,
    link: str = "softmax",
) -> Signals:  # fmt: skip
    """S and Delta of the pairs (rows[i], columns[i]).

    The pair itself is never its own competitor. Sums run in float64; the result is float32, the
    type that thresholds are compared in.

    Args:
        logits: Scaled logits, (image, category).
        rivals: Cells that may compete, bool, (image, category); see `competes`.
        rows: Image index of each pair.
        columns: Category index of each pair.
        link: `softmax` over the pair and its competitors, or the `sigmoid` of each by itself.
    """
    place = standing(logits, rivals, rows, columns)
    score, margin = measures(place, link)
    return Signals(score.astype(np.float32), margin.astype(np.float32), place.surrogate)


def measures(place: Standing, link: str) -> tuple[np.ndarray, np.ndarray]:
    """S and Delta in float64, (pair,), NaN for a lost pair; arguments as in `signals`."""
    return _sigmoid(place.own, place.top) if link == "sigmoid" else _softmax(place)


def _softmax(place: Standing) -> tuple[np.ndarray, np.ndarray]:
    highest = np.maximum(place.own, place.top)
    mine, top = np.exp(place.own - highest), np.exp(place.top - highest)
    whole = mine + place.total * top
    score = mine / whole
    return score, score - top / whole


def _sigmoid(own: np.ndarray, top: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    with np.errstate(over="ignore"):
        score = 1 / (1 + np.exp(-own))
        # Near 1 the difference is one of small counterparts: 1 - 1 would hide who is better.
        high = np.minimum(own, top) > 0
        low, other = np.where(high, -top, own), np.where(high, -own, top)
        return score, 1 / (1 + np.exp(-low)) - 1 / (1 + np.exp(-other))
