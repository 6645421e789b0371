"""Krippendorff's alpha for nominal values, any number of raters, gaps allowed.

Alpha is 1 - observed / expected disagreement. A unit with m values, m >= 2, adds m minus the sum
over values of n (n - 1) / (m - 1) to the observed disagreement; units with fewer values cannot be
paired and are left out (Krippendorff, Content Analysis, 2004, chapter 11). Both parts depend on the
units only through sums, so that a resample of images is a weighted sum of their terms.
"""

from __future__ import annotations

import numpy as np


def terms(votes: np.ndarray) -> np.ndarray:
    """What each unit adds to alpha.

    Args:
        votes: How many raters gave each value, >= 0, (unit, value).

    Returns:
        Float64, (unit, value + 1): the votes, zero for units with fewer than two, then the unit's
        observed disagreement.
    """
    total = votes.sum(axis=1)
    used = np.where((total >= 2)[:, None], votes, 0).astype(np.float64)
    agreed = (used * (used - 1)).sum(axis=1) / np.maximum(total - 1, 1)
    return np.column_stack([used, used.sum(axis=1) - agreed])


def alpha(sums: np.ndarray) -> np.ndarray:
    """Alpha of summed terms.

    Args:
        sums: Sums of `terms` over units, (..., value + 1).

    Returns:
        Float64, (...), at most 1; 0 is what chance gives. NaN where nothing can be paired, or all
        values are the same: nothing then tells agreement from habit.
    """
    votes, observed = sums[..., :-1], sums[..., -1]
    n = votes.sum(axis=-1)
    expected = n**2 - (votes**2).sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = 1 - (n - 1) * observed / expected
    return np.where(expected > 0, value, np.nan)
