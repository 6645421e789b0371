"""Accuracy, precision, recall, F1 and MCC from confusion counts (OODBench, V-A).

The positive answer is "yes". A value whose denominator is zero is undefined (NaN), not 0:
torchmetrics 1.9 gives an always-yes model an MCC of 0.58 on three positives and a negative,
scikit-learn an unmarked 0. F1 is undefined only when nothing was positive nor called so: with any
such answer its denominator 2 TP + FP + FN is not zero.
"""

from __future__ import annotations

import numpy as np

METRICS = ("accuracy", "precision", "recall", "f1", "mcc")

TP, FP, FN, TN = 0, 1, 2, 3
"""Columns of a confusion table."""


def from_counts(counts: np.ndarray) -> np.ndarray:
    """All metrics of each confusion table.

    Args:
        counts: tp, fp, fn, tn in the last axis, (..., 4); numbers or weights >= 0.

    Returns:
        Values in the order of `METRICS`, float64, (..., 5); MCC in [-1, 1], the others in [0, 1];
        NaN where undefined.
    """
    tp, fp, fn, tn = np.moveaxis(np.asarray(counts, dtype=np.float64), -1, 0)
    # A product of four margins overflows nothing in float64 before 10^77 questions.
    margins = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = (
            (tp + tn) / (tp + fp + fn + tn),
            tp / (tp + fp),
            tp / (tp + fn),
            2 * tp / (2 * tp + fp + fn),
            (tp * tn - fp * fn) / np.sqrt(margins),
        )
    return np.stack(values, axis=-1)


def undefined_reason(counts: np.ndarray, metric: str) -> str | None:
    """Why a metric of one confusion table is undefined; None when it is defined.

    Args:
        counts: tp, fp, fn, tn, (4,).
        metric: One of `METRICS`.
    """
    tp, fp, fn, tn = (int(c) for c in counts)
    empty = {
        "no data": tp + fp + fn + tn == 0,
        "no positive answers": tp + fp == 0,
        "no positive targets": tp + fn == 0,
        "no negative answers": tn + fn == 0,
        "no negative targets": tn + fp == 0,
    }
    concerns = {
        "accuracy": ["no data"],
        "precision": ["no data", "no positive answers"],
        "recall": ["no data", "no positive targets"],
        "f1": ["no data"],
        "mcc": list(empty),
    }[metric]
    if metric == "f1" and tp + fp + fn == 0 and tn:
        return "no positive answers and no positive targets"
    return next((reason for reason in concerns if empty[reason]), None)
