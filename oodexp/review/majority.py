"""What the votes on each pair come to."""

from __future__ import annotations

import numpy as np

ACCEPTED, REJECTED, UNSURE, TIE, UNRATED = range(5)
"""Codes of outcomes, in the order of `record.OUTCOMES`."""


def majority(votes: np.ndarray) -> np.ndarray:
    """The value with most votes, where one has.

    "Unsure" is a vote like the others: one yes and two unsure are unsure, one yes and one unsure
    are a tie.

    Args:
        votes: Number of raters for yes, no and unsure, >= 0, (pair, 3).

    Returns:
        Codes of this module, int64, (pair,).
    """
    most = votes.max(axis=1)
    first = votes.argmax(axis=1)
    shared = (votes == most[:, None]).sum(axis=1) > 1
    return np.where(most == 0, UNRATED, np.where(shared, TIE, first))


def count(labels: np.ndarray, values: int) -> np.ndarray:
    """How many raters gave each value.

    Args:
        labels: Values 0 ... values - 1, negative where a rater said nothing, (pair, rater).
        values: Number of values.

    Returns:
        int64, (pair, values).
    """
    return np.stack([(labels == value).sum(axis=1) for value in range(values)], axis=1)
