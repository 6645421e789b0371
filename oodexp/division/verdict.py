"""From S and Delta of K scorers to ID, OOD-S and OOD-H.

OODBench, III-D, eq. 25 and 26 in the reading of our protocol: a scorer flags a pair when S < T
("score deviation") or Delta < 0 ("ranking anomaly"); OOD-H is flagged by all K scorers, OOD-S by
some but not all (for K = 2 the intersection and the symmetric difference), ID by none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

CRITERIA = ("either", "score", "rank", "both")
COMBINATIONS = ("per_model", "per_criterion")
RULES = ("all", "majority", "mean", "parity")

UNASSIGNED, ID, OOD_S, OOD_H = -1, 0, 1, 2
"""Codes of a split; UNASSIGNED is a pair without a score, or left out by the rule `parity`."""


class Verdicts(NamedTuple):
    """The division of n pairs by K scorers."""

    flagged: np.ndarray
    """bool, (pair, scorer): the verdict O_k of each scorer; False where unscored."""
    scored: np.ndarray
    """bool, (pair, scorer): whether the scorer has a score for the pair."""
    split: np.ndarray
    """int64, (pair,): UNASSIGNED, ID, OOD_S or OOD_H."""


def verdicts(
    scores: np.ndarray, margins: np.ndarray, thresholds: Sequence[float], *,
    criterion: str = "either", combine: str = "per_model", rule: str = "all",
) -> Verdicts:  # fmt: skip
    """Divides pairs; a pair that some scorer could not score is in no split.

    Args:
        scores: S, float32, (pair, scorer).
        margins: Delta, float32, (pair, scorer).
        thresholds: T of each scorer, compared in float32; S < T deviates, S = T does not.
        criterion: `either` (S < T or Delta < 0), `score`, `rank` or `both`.
        combine: `per_model` joins the criteria of a scorer first, then the scorers;
            `per_criterion` asks all scorers for the same criterion (III-D3's other reading).
        rule: `all`; `majority` (more than half the scorers make OOD-H); `mean` (the criterion on
            the scorers' mean S and mean Delta makes OOD-H); `parity` (the literal n-ary symmetric
            difference: an even number of flags short of all is in no split).
    """
    scored = ~(np.isnan(scores) | np.isnan(margins))
    limit = np.asarray(thresholds, dtype=np.float32)
    low, below = (scores < limit) & scored, (margins < 0) & scored
    flagged = _join(low, below, criterion)
    count, total = flagged.sum(axis=1), flagged.shape[1]
    hard = _hard(flagged, low, below, criterion, combine, rule)
    if rule == "mean":
        mean_low = scores.mean(axis=1) < limit.mean()
        hard = _join(mean_low, margins.mean(axis=1) < 0, criterion)
    split = np.where(hard, OOD_H, np.where(count > 0, OOD_S, ID))
    if rule == "parity":
        split[(split == OOD_S) & (count % 2 == 0) & (count < total)] = UNASSIGNED
    split[~scored.all(axis=1)] = UNASSIGNED
    return Verdicts(flagged, scored, split.astype(np.int64))


def _hard(
    flagged: np.ndarray, low: np.ndarray, below: np.ndarray, criterion: str, combine: str, rule: str
) -> np.ndarray:
    total = flagged.shape[1]
    need = total // 2 + 1 if rule == "majority" else total

    def enough(flags: np.ndarray) -> np.ndarray:
        return np.asarray(flags.sum(axis=1) >= need)

    if combine == "per_criterion":
        return _join(enough(low), enough(below), criterion)
    return enough(flagged)


def _join(low: np.ndarray, below: np.ndarray, criterion: str) -> np.ndarray:
    if criterion == "either":
        return low | below
    if criterion == "both":
        return low & below
    return low if criterion == "score" else below
