"""A cut-off on a score, learnt from calibration scores or given as a number.

OODConceptBench, Tables 1, A1 and C1, has two ways to learn one: the 95th percentile of the scores
of calibration images (rules 1 and 2 of its filter, and Q_95 of every model), and a ceiling over
images that show none of the concepts (rule 3): what the best of many wrong phrases reaches. How
that ceiling is taken to be stable is not in the text; `ceiling` says what is done here.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from oodexp.error import OodexpError

PERCENT = 95.0
_FEWEST = 20
"""From fewer scores, the 95th percentile is a point between the two highest."""


class Cutoff(NamedTuple):
    """A cut-off and where it is from."""

    value: float
    """In units of the score; NaN where none could be learnt."""
    n: int
    """Scores it was learnt from, or images for a ceiling; 0 for a given number."""
    rule: str
    """How it was got."""
    candidates: np.ndarray
    """Percentile: the scores, float32, (n,). Ceiling: the value of each round, float64, (round,).
    Empty for a given number."""
    reason: str | None
    """Why there is no value, or what it does not rest on."""


def percentile(scores: np.ndarray, rule: str, percent: float = PERCENT) -> Cutoff:
    """A percentile of calibration scores, interpolated between neighbours (the usual, type 7).

    Args:
        scores: One each, any shape; what is not finite is left aside and counted in the reason.
        rule: Name for the result.
        percent: Between 0 and 100.

    Raises:
        OodexpError: If `percent` is outside 0 ... 100.
    """
    if not 0 <= percent <= 100:
        raise OodexpError(f"percent={percent}: expected 0 ... 100, as 95 for the paper's rules")
    known = np.isfinite(scores)
    used = np.asarray(scores[known], dtype=np.float32)
    lost = f"{np.count_nonzero(~known)} of {known.size} without a score"
    notes = [] if known.all() else [lost]
    if not len(used):
        return Cutoff(float("nan"), 0, rule, used, "; ".join(["no calibration score", *notes]))
    if len(used) < _FEWEST:
        notes.append(f"{len(used)} scores; a 95th percentile asks for {_FEWEST} or more")
    elif used.min() == used.max():
        notes.append("all calibration scores are the same")
    value = float(np.percentile(used.astype(np.float64), percent))
    return Cutoff(value, len(used), rule, used, "; ".join(notes) or None)


def ceiling(
    cosines: np.ndarray, rng: np.random.Generator, rule: str = "negatives", *,
    rounds: int = 20, share: float = 0.5, tolerance: float = 0.01, patience: int = 1,
) -> Cutoff:  # fmt: skip
    """What images that show none of the concepts may reach, by repeated draws of the vocabulary.

    A round draws phrases without replacement and takes each image's highest cosine to them; its
    candidate is the highest of these plus their standard deviation over images (n - 1 in the
    denominator). Rounds end when the mean of the candidates so far changed by less than the
    tolerance, relative to the mean before, in `patience` rounds on end, and at the latest after
    `rounds`; the cut-off is that mean. The text states the maximum plus its standard deviation and
    a stability check over rounds (Table A1); the rest is our reading.

    Args:
        cosines: Of negative images to the phrases of the vocabulary, (image, phrase); images with
            a cosine that is not finite are left aside.
        rng: Draws the phrases.
        rule: Name for the result.
        rounds: The most rounds, >= 2.
        share: Share of the vocabulary in a draw, in (0, 1].
        tolerance: Relative change of the mean that counts as none, > 0.
        patience: Rounds without change before the end, >= 1.

    Raises:
        OodexpError: If an argument is out of its range.
    """
    _in_range(rounds, share, tolerance, patience)
    whole = np.isfinite(cosines).all(axis=1)
    used, phrases = cosines[whole].astype(np.float64), cosines.shape[1]
    notes = [] if whole.all() else [f"{np.count_nonzero(~whole)} of {len(whole)} without a score"]
    if len(used) < 2 or not phrases:
        why = f"{len(used)} negative images and {phrases} phrases; a spread needs 2 images and 1"
        return Cutoff(float("nan"), len(used), rule, np.empty(0), "; ".join([why, *notes]))
    size = max(1, round(share * phrases))
    if size == phrases:
        notes.append("every draw is the whole vocabulary")
    candidates, steady = _rounds(used, size, rng, rounds, tolerance, patience)
    if not steady:
        notes.append(f"after {rounds} rounds the mean still changes by {_change(candidates):.1%}")
    mean = float(np.mean(candidates))
    return Cutoff(mean, len(used), rule, np.array(candidates), "; ".join(notes) or None)


def fixed(value: float, rule: str = "fixed") -> Cutoff:
    """A given number as a cut-off.

    Args:
        value: Finite, in units of the score.
        rule: Name for the result, for example `paper`.

    Raises:
        OodexpError: If the number is not finite.
    """
    if not np.isfinite(value):
        raise OodexpError(f"threshold={value}: expected a finite number, or the name of a rule")
    return Cutoff(float(value), 0, rule, np.empty(0), None)


def drawn(count: int, most: int, rng: np.random.Generator) -> np.ndarray:
    """Which of `count` images calibrate when at most `most` may: int64, rising; all if they fit."""
    if count <= most:
        return np.arange(count)
    return np.sort(rng.choice(count, most, replace=False))


def _rounds(
    cosines: np.ndarray, size: int, rng: np.random.Generator, rounds: int, tolerance: float,
    patience: int,
) -> tuple[list[float], bool]:  # fmt: skip
    """The candidates of rounds until their mean is stable, and whether it is."""
    candidates: list[float] = []
    still = 0
    while len(candidates) < rounds and still < patience:
        peaks = cosines[:, rng.choice(cosines.shape[1], size, replace=False)].max(axis=1)
        candidates.append(float(peaks.max() + peaks.std(ddof=1)))
        still = still + 1 if _change(candidates) < tolerance else 0
    return candidates, still >= patience


def _change(candidates: list[float]) -> float:
    """Change of the running mean by the last candidate, relative; infinite for the first one."""
    if len(candidates) < 2:
        return float("inf")
    before, after = np.mean(candidates[:-1]), np.mean(candidates)
    if before == after:
        return 0.0
    return float(abs(after - before) / abs(before)) if before else float("inf")


def _in_range(rounds: int, share: float, tolerance: float, patience: int) -> None:
    wrong = {
        f"rounds={rounds}: expected 2 or more": rounds < 2,
        f"share={share}: expected above 0 and at most 1": not 0 < share <= 1,
        f"tolerance={tolerance}: expected above 0": not tolerance > 0,
        f"patience={patience}: expected 1 ... rounds - 1": not 1 <= patience < rounds,
    }
    for message, failed in wrong.items():
        if failed:
            raise OodexpError(f"{message}; the protocol's are 20, 0.5, 0.01 and 1")
