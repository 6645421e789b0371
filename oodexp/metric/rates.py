"""Missing and inventing, from confusion counts, and how they share a loss.

A VLM *misses* when it asserts the absence of a present object and *invents* when it asserts the
presence of an absent one. Present and absent objects weigh the same, however many of each were
asked about, so that accuracy = 1 - (miss rate + invention rate) / 2 always holds and a drop in
accuracy is the sum of a part by missing and a part by inventing. With as many absent as present
categories, which is what POPE asks, accuracy, precision, recall, F1 and the share of "yes" are the
plain ones.
"""

from __future__ import annotations

import numpy as np

RATES = ("miss_rate", "invention_rate", "accuracy", "precision", "recall", "f1", "yes_ratio")
PARTS = ("drop_by_missing", "drop_by_inventing", "missing_share")
_NEEDS_ONE = {"miss_rate": "present", "recall": "present", "invention_rate": "absent"}


def rates(counts: np.ndarray) -> np.ndarray:
    """The rates of each confusion table.

    Args:
        counts: tp, fp, fn, tn in the last axis, (..., 4); the positive is to assert presence.

    Returns:
        Values in [0, 1] in the order of `RATES`, float64, (..., 7); NaN where undefined.
        `yes_ratio` is the share of answers that assert presence.
    """
    tp, fp, fn, tn = np.moveaxis(np.asarray(counts, dtype=np.float64), -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        miss, invention, hit = fn / (tp + fn), fp / (fp + tn), tp / (tp + fn)
        values = (
            miss, invention, 1 - (miss + invention) / 2, hit / (hit + invention), hit,
            2 * hit / (1 + hit + invention), (hit + invention) / 2,
        )  # fmt: skip
    return np.stack(values, axis=-1)


def parts(drop: np.ndarray) -> np.ndarray:
    """How missing and inventing share a drop.

    Args:
        drop: Differences of `rates`, ID minus the split, (..., 7).

    Returns:
        In the order of `PARTS`, (..., 3): the drop in accuracy by more missing, the one by more
        inventing (their sum is the drop), and the first as a share of the drop, which is outside
        [0, 1] where one kind of error falls while the other rises; NaN where undefined.
    """
    # Not the negative: 0 would become -0.
    missing, inventing = (0 - drop[..., 0]) / 2, (0 - drop[..., 1]) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        whole = drop[..., RATES.index("accuracy")]
        share = np.where(whole == 0, np.nan, missing / whole)
    return np.stack((missing, inventing, share), axis=-1)


def undefined_reason(counts: np.ndarray, metric: str) -> str | None:
    """Why a rate of one confusion table, (4,), is undefined; None when it is defined."""
    tp, fp, fn, tn = (int(c) for c in counts)
    answers = {"present": tp + fn, "absent": fp + tn}
    needed = _NEEDS_ONE.get(metric)
    for kind in answers if needed is None else (needed,):
        if not answers[kind]:
            return f"no answers about {kind} categories"
    return "presence is never asserted" if metric == "precision" and not tp + fp else None
