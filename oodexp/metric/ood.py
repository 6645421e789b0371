"""How well a score tells ID from OOD samples (OODConceptBench, Table D1), orientation in each name.

A confidence is larger for ID; the OOD score is its negative. `_out` treats OOD as the positive
class, `_in` treats ID as it. The paper prints one "FPR95" and does not say which of the two it is:
both are given, as they differ. "AUPR-in" and "AUPR-out" are told by their chance levels, the
prevalences: ID positive and OOD positive.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from oodexp.error import OodexpError
from oodexp.metric.bootstrap import interval
from oodexp.metric.certainty import bin_sums, calibration_error

METRICS = ("auroc", "fpr95_out", "fpr95_in", "aupr_out", "ap_out", "aupr_in", "ap_in")
"""`auroc` is the same either way; `aupr_*` are trapezoids, `ap_*` average precisions."""

RECALL = 0.95


class Value(NamedTuple):
    """One number."""

    value: float
    """NaN where undefined."""
    reason: str | None
    """Why it is undefined."""


class Precision(NamedTuple):
    """Area under the precision-recall curve by both estimators."""

    trapezoid: float
    """Straight lines between the points, from recall 0 at precision 1, as OpenOOD draws them; in
    [0, 1], NaN where undefined. It interpolates optimistically."""
    average: float
    """Average precision, a sum of steps, in [0, 1]; NaN where undefined."""
    prevalence: float
    """Share of positives, in [0, 1]: what a score that knows nothing comes to; NaN without any."""
    reason: str | None
    """Why it is undefined."""


class Detection(NamedTuple):
    """Detection of OOD samples by a confidence, with 95 % percentile intervals."""

    values: np.ndarray
    """By `METRICS`, each in [0, 1]; NaN where undefined."""
    lower: np.ndarray
    """2.5th percentiles; NaN where there are none."""
    upper: np.ndarray
    """97.5th percentiles; NaN where there are none."""
    reasons: list[str | None]
    """By `METRICS`: why there is no value or interval, or why it has no width."""
    inside: int
    """Number of ID samples."""
    outside: int
    """Number of OOD samples. The chance level of `*_out` is outside / (inside + outside)."""


def auroc(score: np.ndarray, positive: np.ndarray) -> float:
    """Area under the ROC curve: the chance that a positive scores higher, ties counting half.

    Args:
        score: Larger is more positive, (n,); NaN is left out.
        positive: bool, (n,).

    Returns:
        A value in [0, 1]; NaN when one of the groups is empty.
    """
    known = ~np.isnan(score)
    above, below = np.sort(score[known & positive]), np.sort(score[known & ~positive])
    if not len(above) or not len(below):
        return float("nan")
    # Pairs won, twice: whole numbers, so that ties cost no digit. Ranks of a whole matrix of
    # logits would take ten times the memory.
    won = sum(int(np.searchsorted(below, above, side).sum()) for side in ("left", "right"))
    return won / 2 / (len(above) * len(below))


def fpr95_out(confidence: np.ndarray, inside: np.ndarray) -> Value:
    """Share of ID samples called OOD where at least 95 % of the OOD samples are (OpenOOD).

    With the smallest observed c that has P(confidence <= c | OOD) >= 0.95, without interpolation:
    FPR95_out = P(confidence <= c | ID).

    Args:
        confidence: Larger is more ID, finite, (n,).
        inside: Whether each sample is ID, bool, (n,).

    Raises:
        OodexpError: If a confidence is not finite, or the lengths differ.
    """
    ins, out = _counted(confidence, inside)
    return Value(_false_positives(out[::-1], ins[::-1]), _one_sided(ins, out))


def fpr95_in(confidence: np.ndarray, inside: np.ndarray) -> Value:
    """Share of OOD samples kept as ID where at least 95 % of the ID samples are (ODIN, MCM).

    With the largest observed c that has P(confidence >= c | ID) >= 0.95, without interpolation:
    FPR95_in = P(confidence >= c | OOD).

    Args:
        confidence: As in `fpr95_out`.
        inside: As in `fpr95_out`.

    Raises:
        OodexpError: As `fpr95_out`.
    """
    ins, out = _counted(confidence, inside)
    return Value(_false_positives(ins, out), _one_sided(ins, out))


def aupr_out(confidence: np.ndarray, inside: np.ndarray) -> Precision:
    """Precision over recall where OOD samples are the positives, scored by -confidence.

    Args:
        confidence: As in `fpr95_out`.
        inside: As in `fpr95_out`.

    Raises:
        OodexpError: As `fpr95_out`.
    """
    ins, out = _counted(confidence, inside)
    return _precision(out[::-1], ins[::-1])


def aupr_in(confidence: np.ndarray, inside: np.ndarray) -> Precision:
    """Precision over recall where ID samples are the positives, scored by the confidence.

    Args:
        confidence: As in `fpr95_out`.
        inside: As in `fpr95_out`.

    Raises:
        OodexpError: As `fpr95_out`.
    """
    return _precision(*_counted(confidence, inside))


def expected_calibration_error(confidence: np.ndarray, right: np.ndarray) -> Value:
    """Mean gap between confidence and share of right over 15 equal-width bins, weighted by number.

    Bins are closed on the right, the first on both sides; L1. What "right" means is the caller's to
    say. Table D1 does not: "ID samples are right" would ask for a mean ID confidence of 0.356 at
    least on STL-10, beside 0.261 of the benchmark.

    Args:
        confidence: A probability in [0, 1], (n,).
        right: Whether what it is the probability of came true, bool, (n,).

    Raises:
        OodexpError: If a confidence is not in [0, 1]: a cosine or logit is no probability.
    """
    _check(confidence, right)
    if np.any((confidence < 0) | (confidence > 1)):
        raise OodexpError(
            f"confidence from {confidence.min():g} to {confidence.max():g}: expected probabilities "
            "in [0, 1] for a calibration error; pass a softmax or sigmoid, no cosine or logit"
        )
    if not len(confidence):
        return Value(np.nan, "no samples")
    sums = bin_sums(confidence.astype(np.float64), right, np.zeros(len(right), np.int64), 1)
    return Value(float(calibration_error(sums)[0]), None)


def detection(
    confidence: np.ndarray, inside: np.ndarray, resamples: int, rng: np.random.Generator
) -> Detection:
    """All of `METRICS`, with intervals from drawing ID and OOD images again, each among its own.

    Args:
        confidence: Larger is more ID, finite, one an image, (n,).
        inside: Whether each is ID, bool, (n,).
        resamples: Number of resamples, >= 1.
        rng: Draws them.

    Raises:
        OodexpError: As `fpr95_out`.
    """
    ins, out = _counted(confidence, inside)
    n, m, told = int(ins.sum()), int(out.sum()), _one_sided(ins, out)
    if told:
        empty = np.full(len(METRICS), np.nan)
        return Detection(empty, empty, empty, [told] * len(METRICS), n, m)
    drawn = (rng.multinomial([n, m], [ins / n, out / m]) for _ in range(resamples))
    ends = [interval(column) for column in np.array([_all(*rows) for rows in drawn]).T]
    lower, upper, reasons = zip(*ends, strict=True)
    return Detection(_all(ins, out), np.array(lower), np.array(upper), list(reasons), n, m)


def _check(confidence: np.ndarray, label: np.ndarray) -> None:
    if confidence.shape != label.shape:
        raise OodexpError(
            f"{confidence.shape} confidences and {label.shape} labels: pass one of each a sample"
        )
    bad = int((~np.isfinite(confidence)).sum())
    if bad:
        raise OodexpError(f"{bad} confidences are NaN or infinite: leave these samples out first")


def _counted(confidence: np.ndarray, inside: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """ID and OOD samples at each distinct confidence, from the largest down, int64, (k,) each."""
    _check(confidence, inside)
    found, place = np.unique(confidence, return_inverse=True)
    cells = [np.bincount(place[mask], minlength=len(found))[::-1] for mask in (inside, ~inside)]
    return cells[0], cells[1]


def _one_sided(ins: np.ndarray, out: np.ndarray) -> str | None:
    if ins.any() and out.any():
        return None
    return "no OOD samples" if ins.any() else "no ID samples" if out.any() else "no samples"


def _false_positives(positives: np.ndarray, negatives: np.ndarray) -> float:
    """False positive rate at the first score, from the top, with a recall of 95 %."""
    if not (positives.any() and negatives.any()):
        return float("nan")
    found, false = np.cumsum(positives), np.cumsum(negatives)
    return float(false[np.argmax(found / found[-1] >= RECALL)] / false[-1])


def _precision(positives: np.ndarray, negatives: np.ndarray) -> Precision:
    """From the numbers at each distinct score, from the top; the caller names the orientation."""
    n, m = int(positives.sum()), int(negatives.sum())
    if not (n and m):
        told = "no samples" if not n + m else "no negatives" if n else "no positives"
        return Precision(np.nan, np.nan, n / (n + m) if n + m else np.nan, told)
    found, called = np.cumsum(positives), np.cumsum(positives + negatives)
    precision = np.r_[1.0, found / np.maximum(called, 1)]
    precision[1:][called == 0] = 1.0  # scores above all that a resample drew
    step = positives / n
    trapezoid = float(step @ (precision[1:] + precision[:-1])) / 2
    return Precision(trapezoid, float(step @ precision[1:]), n / (n + m), None)


def _all(ins: np.ndarray, out: np.ndarray) -> np.ndarray:
    """`METRICS` from the numbers at each distinct confidence, from the largest down."""
    below = np.cumsum(out[::-1])[::-1] - out
    area = float(ins @ (below + out / 2)) / (float(ins.sum()) * float(out.sum()))
    outward, inward = _precision(out[::-1], ins[::-1]), _precision(ins, out)
    rates = _false_positives(out[::-1], ins[::-1]), _false_positives(ins, out)
    return np.array([area, *rates, *outward[:2], *inward[:2]])
