"""Where a pair stands against its competitors: what both links and both criteria rest on.

Softmax sums run over the competitors of an image. Under the purified protocol all present pairs of
an image have the same ones, so the sum is formed once an image and not once a pair.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

_CELLS = 1 << 16
"""Cells held in float64 at once, whatever the size of the source: half a MB stays near the core."""


class Standing(NamedTuple):
    """All of shape (pair,); float64 where it is a number."""

    own: np.ndarray
    """Logit of the pair; NaN where it or a competitor's logit is no number."""
    top: np.ndarray
    """Best competitor's logit; -inf where there is none."""
    total: np.ndarray
    """Sum over competitors of exp(logit - top): at least 1, or 0 where there is none."""
    surrogate: np.ndarray
    """int64, column of the best competitor; -1 where there is none or the pair is lost."""


def standing(
    logits: np.ndarray, rivals: np.ndarray, rows: np.ndarray, columns: np.ndarray
) -> Standing:
    """The standing of the pairs (rows[i], columns[i]); a pair is never its own competitor.

    Args:
        logits: Scaled logits, (image, category).
        rivals: Cells that may compete, bool, (image, category).
        rows: Image index of each pair.
        columns: Category index of each pair.
    """
    own = logits[rows, columns].astype(np.float64)
    of_image = _fields(logits, rivals)
    best, top, total, wrong = (part[rows] for part in of_image)
    mine = np.flatnonzero(rivals[rows, columns])  # sums that the pair itself must be taken out of
    if len(mine):
        parts = _fields(logits, rivals, rows[mine], columns[mine])
        best[mine], top[mine], total[mine], wrong[mine] = parts
    lost = wrong | ~np.isfinite(own)
    own[lost] = np.nan
    return Standing(own, top, total, np.where(lost | np.isneginf(top), -1, best))


def _fields(
    logits: np.ndarray,
    rivals: np.ndarray,
    rows: np.ndarray | None = None,
    without: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Best column, its logit, the sum, and whether a logit is wrong, of each row's competitors.

    All rows of the matrix, or `rows`, each without a column.
    """
    count = len(logits) if rows is None else len(rows)
    best, wrong = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=bool)
    top, total = np.full(count, -np.inf), np.zeros(count)
    step = max(1, _CELLS // max(1, logits.shape[1]))
    for start in range(0, count if logits.size else 0, step):
        here = slice(start, start + step)
        chosen = here if rows is None else rows[here]
        block = np.where(rivals[chosen], logits[chosen], np.float32(-np.inf))
        index = np.arange(len(block))
        if without is not None:
            block[index, without[here]] = -np.inf
        best[here] = block.argmax(axis=1)
        top[here] = block[index, best[here]]
        with np.errstate(invalid="ignore"):  # -inf minus itself, where nothing competes
            field = np.subtract(block, top[here, None], dtype=np.float64)
        total[here] = np.where(np.isfinite(top[here]), np.exp(field, out=field).sum(axis=1), 0)
        # A NaN is an argmax: what is wrong stands on top.
        wrong[here] = np.isnan(top[here]) | np.isposinf(top[here])
    return best, top, total, wrong
