"""All pairs of models on one split: which differ, by how much, and what could have been seen.

One set of draws of images serves all models, so that what is hard for both cancels in their
difference. Accuracies are tested by the clustered form of McNemar's test, other metrics by a
studentised exchange of the models on whole images. Intervals are not adjusted for the number of
pairs: an interval that leaves out 0 beside an adjusted p above the level is no contradiction.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from oodexp.error import OodexpError
from oodexp.evidence.influence import difference_error
from oodexp.evidence.letters import Groups, groups
from oodexp.evidence.mcnemar import LEAST, sign_flip
from oodexp.evidence.multiple import benjamini_hochberg, holm
from oodexp.evidence.paired import exchange_p
from oodexp.metric.binary import FN, FP, METRICS, TN, TP, from_counts, undefined_reason
from oodexp.metric.bootstrap import interval

POWER = 0.8
LEVEL = 0.05
MCNEMAR, EXCHANGE = "clustered McNemar (mid-p)", "studentised exchange"


class Pair(NamedTuple):
    """Two models held against each other in one metric."""

    first: int
    """Number of the first model."""
    second: int
    """Number of the second model."""
    difference: float
    """First minus second, a fraction; NaN when undefined."""
    lower: float
    """2.5th percentile of the paired bootstrap over images; NaN when there is none."""
    upper: float
    """97.5th percentile; NaN when there is none."""
    error: float
    """Clustered standard error of the difference; NaN when undefined."""
    detectable: float
    """Least true difference found with power 80 % at two-sided 5 %; NaN when undefined."""
    test: str
    """Where p comes from: `MCNEMAR` or `EXCHANGE`."""
    p: float
    """Two-sided p of no difference, in (0, 1]; NaN when undefined."""
    p_floor: float
    """The least that p can be: 2^-images with a difference, or 1 / (B + 1)."""
    holm: float
    """p adjusted by Holm over all pairs."""
    bh: float
    """p adjusted by Benjamini and Hochberg over all pairs."""
    reason: str | None
    """Why something is undefined, or why the pair tells nothing."""


class Comparison(NamedTuple):
    """All pairs of models in one metric."""

    metric: str
    """One of `binary.METRICS`."""
    values: np.ndarray
    """The metric of each model, (model,); NaN where undefined."""
    reasons: list[str | None]
    """Why a value is undefined."""
    pairs: list[Pair]
    """Every pair once, in the order of the models."""
    questions: int
    """Questions of the model that has most."""
    images: int
    """Images with a question."""


def by_image(asserted: np.ndarray, truth: np.ndarray, image: np.ndarray, images: int) -> np.ndarray:
    """Confusion counts of answers by model and image.

    Where only right or wrong is known, pass it as `asserted` with a `truth` of True throughout:
    the accuracy is right, no other metric is.

    Args:
        asserted: Whether the model says yes, bool, (model, question).
        truth: Whether yes is right, bool, (question,).
        image: Image of each question, in [0, images), (question,).
        images: Number of images.

    Returns:
        tp, fp, fn, tn, int64, (model, image, 4).
    """
    cell = np.where(asserted, np.where(truth, TP, FP), np.where(truth, FN, TN))
    place = image * 4 + cell
    counted = [np.bincount(row, minlength=4 * images) for row in place]
    return np.array(counted, dtype=np.int64).reshape(len(asserted), images, 4)


def compare(
    counts: np.ndarray, metric: str, weights: np.ndarray, resamples: int, rng: np.random.Generator
) -> Comparison:
    """Differences of a metric between all pairs of models.

    Args:
        counts: tp, fp, fn, tn, >= 0, (model, image, 4).
        metric: One of `binary.METRICS`.
        weights: Of `bootstrap.resample_weights`, (resample, image): draws of the intervals.
        resamples: Number B of exchanges of metrics other than the accuracy.
        rng: Draws these.
    """
    if metric not in METRICS:
        raise OodexpError(f"there is no metric {metric!r} to compare: choose of {METRICS}")
    place, sums = METRICS.index(metric), counts.sum(axis=1)
    values = from_counts(sums)[:, place]
    reasons = [undefined_reason(row, metric) for row in sums]
    draws = [from_counts(weights @ mine)[:, place] for mine in counts]
    pairs = []
    for i, j in combinations(range(len(counts)), 2):
        told = [f"{of}: {reasons[m]}" for of, m in (("first", i), ("second", j)) if reasons[m]]
        if told:
            pairs.append(_undefined(i, j, "; ".join(told)))
            continue
        found = _pair(counts[[i, j]], metric, draws[i] - draws[j], resamples, rng)
        pairs.append(found._replace(first=i, second=j, difference=float(values[i] - values[j])))
    questions = int(sums.sum(axis=1).max()) if len(sums) else 0
    images = int(counts.any(axis=(0, 2)).sum())
    return Comparison(metric, values, reasons, adjusted(pairs), questions, images)


def _pair(
    counts: np.ndarray, metric: str, draws: np.ndarray, resamples: int, rng: np.random.Generator
) -> Pair:
    """A pair without its names and adjusted p-values; counts are (2, image, 4)."""
    first, second = counts
    band, error = interval(draws), difference_error(first, second, metric)
    total = counts.sum(axis=-1)
    if metric == "accuracy" and (total[0] == total[1]).all():
        right = counts[..., TP] + counts[..., TN]
        surplus = (right[0] - right[1]).astype(np.int64)
        test, p = MCNEMAR, sign_flip(surplus).mid
        floor = max(LEAST, 0.5 ** np.count_nonzero(surplus))
    else:
        test, floor = EXCHANGE, 1 / (resamples + 1)
        p = exchange_p(first, second, metric, resamples, rng)
    reason = band.reason
    if (first == second).all():
        reason = "the models have the same counts on every image"
    elif not error > 0:
        reason = reason or "no variation between the images"
    return Pair(
        0, 0, np.nan, band.lower, band.upper, error, detectable(error),
        test, p, floor, np.nan, np.nan, reason,
    )  # fmt: skip


def _undefined(first: int, second: int, reason: str) -> Pair:
    no = np.nan
    return Pair(first, second, no, no, no, no, no, "none", no, no, no, no, reason)


def adjusted(pairs: list[Pair]) -> list[Pair]:
    """The pairs with their p-values adjusted for the number of pairs that were tested."""
    p = np.array([pair.p for pair in pairs], dtype=np.float64)
    both = zip(pairs, holm(p), benjamini_hochberg(p), strict=True)
    return [pair._replace(holm=float(h), bh=float(b)) for pair, h, b in both]


def detectable(error: float) -> float:
    """Least true difference that is found with power `POWER` at two-sided `LEVEL`.

    (z_0.975 + z_0.8) times the standard error, 2.80 of them, as it is with the images at hand.

    Args:
        error: Clustered standard error of the paired difference.

    Returns:
        > 0; NaN where the error is 0 or unknown: data without variation tell nothing of power.
    """
    from scipy.stats import norm

    if not error > 0:
        return float("nan")
    return float((norm.ppf(1 - LEVEL / 2) + norm.ppf(POWER)) * error)


def alike(found: Comparison, level: float = LEVEL) -> Groups:
    """Groups of models that cannot be told apart, by the p-values adjusted after Holm.

    A pair that could not be tested was not told apart.

    Args:
        found: The comparison.
        level: Chance of any false separation.
    """
    near = np.eye(len(found.values), dtype=bool)
    for pair in found.pairs:
        near[pair.first, pair.second] = near[pair.second, pair.first] = not pair.holm <= level
    return groups(found.values, near)
