"""How an image moves a metric of the whole: first derivatives of the metrics of `metric.binary`.

A metric is a smooth function of four sums of counts over images; to first order, its sampling
error is the sum over images of gradient times counts (delta method). All metrics are unchanged
when the sums are doubled, so that these terms add to zero and need no centring.
"""

from __future__ import annotations

import numpy as np

from oodexp.metric.binary import METRICS, from_counts

RATIOS = {
    "accuracy": ((1, 0, 0, 1), (1, 1, 1, 1)),
    "precision": ((1, 0, 0, 0), (1, 1, 0, 0)),
    "recall": ((1, 0, 0, 0), (1, 0, 1, 0)),
    "f1": ((2, 0, 0, 0), (2, 1, 1, 0)),
}
"""Weights of tp, fp, fn, tn in the numerator and the denominator."""
MARGINS = np.array([(1, 1, 0, 0), (1, 0, 1, 0), (0, 1, 0, 1), (0, 0, 1, 1)], np.float64)
"""Answers yes, targets yes, targets no, answers no as sums of tp, fp, fn, tn."""


def gradient(sums: np.ndarray, metric: str) -> np.ndarray:
    """Derivatives of a metric by tp, fp, fn, tn.

    Args:
        sums: tp, fp, fn, tn, >= 0, (..., 4).
        metric: One of `binary.METRICS`.

    Returns:
        (..., 4); NaN or infinite where the metric is undefined.
    """
    sums = np.asarray(sums, dtype=np.float64)
    value = from_counts(sums)[..., METRICS.index(metric), None]
    with np.errstate(divide="ignore", invalid="ignore"):
        if metric != "mcc":
            above, below = (np.array(part, np.float64) for part in RATIOS[metric])
            return (above - value * below) / (sums @ below)[..., None]
        margins = sums @ MARGINS.T
        crossed = sums[..., ::-1] * np.array([1.0, -1.0, -1.0, 1.0])
        size = np.sqrt(margins.prod(axis=-1, keepdims=True))
        return crossed / size - value / 2 * ((1 / margins) @ MARGINS)


def difference_error(first: np.ndarray, second: np.ndarray, metric: str) -> float:
    """Standard error of the difference of a metric between two models on the same images.

    Clustered by image and paired: what both models find hard on an image cancels.

    Args:
        first: tp, fp, fn, tn of the first model by image, (image, 4).
        second: The same of the second model.
        metric: One of `binary.METRICS`.

    Returns:
        >= 0, with the factor I / (I - 1) for I images that have questions in its square; NaN
        where a metric is undefined or there are fewer than two such images.
    """
    used = first.any(axis=1) | second.any(axis=1)
    images = int(used.sum())
    if images < 2:
        return float("nan")
    parts = [side[used] @ gradient(side.sum(axis=0), metric) for side in (first, second)]
    change = parts[0] - parts[1]
    return float(np.sqrt((change @ change) * images / (images - 1)))
