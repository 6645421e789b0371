"""p-values adjusted for the number of tests: Holm, and Benjamini and Hochberg.

Holm (1979) keeps the chance of any false rejection below the level, whatever the dependence;
Benjamini and Hochberg (1995) the expected share of false ones among the rejections, under
independence or positive dependence. A test without p-value was not made: it is left out of the
count and keeps NaN.
"""

from __future__ import annotations

import numpy as np

from oodexp.error import OodexpError


def holm(p: np.ndarray) -> np.ndarray:
    """Adjusted p-values by Holm's step-down rule.

    The r-th smallest of m becomes the largest of (m - s + 1) p_(s) over s <= r, at most 1.

    Args:
        p: p-values in (0, 1] or NaN, (test,).

    Returns:
        Adjusted ones in the same order, (test,); NaN where `p` is.
    """
    value, order, made = _sorted(p)
    factor = np.arange(len(value), 0, -1)
    return _back(np.maximum.accumulate(factor * value), order, made)


def benjamini_hochberg(p: np.ndarray) -> np.ndarray:
    """Adjusted p-values by Benjamini and Hochberg's step-up rule.

    The r-th smallest of m becomes the smallest of m p_(s) / s over s >= r, at most 1.

    Args:
        p: p-values in (0, 1] or NaN, (test,).

    Returns:
        Adjusted ones in the same order, (test,); NaN where `p` is.
    """
    value, order, made = _sorted(p)
    scaled = len(value) * value / np.arange(1, len(value) + 1)
    return _back(np.minimum.accumulate(scaled[::-1])[::-1], order, made)


def _sorted(p: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The p-values there are in rising order, that order, and which tests have one."""
    whole = np.asarray(p, dtype=np.float64)
    made = ~np.isnan(whole)
    value = whole[made]
    wrong = value[(value < 0) | (value > 1)]
    if len(wrong):
        raise OodexpError(
            f"{wrong[0]} is no p-value: expected numbers in [0, 1], or NaN for a test that was "
            "not made"
        )
    order = np.argsort(value, kind="stable")
    return value[order], order, made


def _back(adjusted: np.ndarray, order: np.ndarray, made: np.ndarray) -> np.ndarray:
    value = np.empty(len(order))
    value[order] = np.minimum(1.0, adjusted)
    whole = np.full(made.shape, np.nan)
    whole[made] = value
    return whole
