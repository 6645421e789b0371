"""Exact bounds of a proportion: k successes of n trials (OODBench, appendix C.1.3).

The paper bounds the share of models that treat a split as out of distribution. Its numbers are the
lower ends of *two-sided* 95 % intervals; "at least, with 95 % confidence" allows the one-sided
bound, which is tighter. Both are computed here, and every result says which it is.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from oodexp.error import OodexpError

Side = Literal["one", "two"]


class Bounds(NamedTuple):
    """Bounds of a proportion."""

    lower: float
    """In [0, 1]; NaN where there is none."""
    upper: float
    """In [0, 1]; NaN where there is none."""
    confidence: float
    """Two-sided: of the interval. One-sided: of each bound alone; both together hold with
    `2 confidence - 1` only."""
    side: Side
    """`two`: an interval; `one`: each end is a bound of its own."""
    method: str
    """`Clopper-Pearson`, `Beta(1,1) posterior` or `Korn-Graubard`."""
    reason: str | None
    """Why there are no bounds, or what they do not rest on."""

    @property
    def label(self) -> str:
        """For example `Clopper-Pearson, two-sided 95 %`."""
        return f"{self.method}, {self.side}-sided {100 * self.confidence:g} %"


def clopper_pearson(k: int, n: int, confidence: float = 0.95, side: Side = "two") -> Bounds:
    """Bounds that hold with at least the stated confidence for any true proportion.

    With a = 1 - confidence, halved when two-sided: lower = BetaInv(a; k, n - k + 1), 0 for k = 0;
    upper = BetaInv(1 - a; k + 1, n - k), 1 for k = n (Clopper and Pearson, 1934). Trials must be
    independent.

    Args:
        k: Successes, 0 ... n.
        n: Trials, >= 0; none leave no bounds.
        confidence: Between 0 and 1.
        side: `two` for an interval, `one` for two bounds of their own.

    Raises:
        OodexpError: If k is not in 0 ... n, or the confidence not between 0 and 1.
    """
    tail = _tail(k, n, confidence, side)
    if n == 0:
        return _none(confidence, side, "Clopper-Pearson", "no observation")
    lower, upper = _beta_ends(k, n, tail)
    return Bounds(lower, upper, confidence, side, "Clopper-Pearson", None)


def beta_posterior(k: int, n: int, confidence: float = 0.95, side: Side = "two") -> Bounds:
    """Quantiles of the posterior under a uniform prior, Beta(k + 1, n - k + 1).

    A statement about belief, given the prior; not about coverage.

    Args:
        k: Successes, 0 ... n.
        n: Trials, >= 0; none leave the prior, and no bounds are given.
        confidence: Posterior probability, between 0 and 1.
        side: `two` cuts half of the rest at each end, `one` all of it at each end.

    Raises:
        OodexpError: As `clopper_pearson`.
    """
    from scipy.stats import beta

    tail = _tail(k, n, confidence, side)
    if n == 0:
        return _none(confidence, side, "Beta(1,1) posterior", "no observation: the prior alone")
    lower, upper = beta.ppf([tail, 1 - tail], k + 1, n - k + 1)
    return Bounds(float(lower), float(upper), confidence, side, "Beta(1,1) posterior", None)


def korn_graubard(
    successes: np.ndarray, trials: np.ndarray, confidence: float = 0.95, side: Side = "two"
) -> Bounds:
    """Clopper-Pearson bounds for trials that come in clusters, such as pairs on one image.

    The variance of the ratio k / n over clusters gives the number of independent trials that would
    be as informative, n* = p (1 - p) / variance, never more than n, shrunk by the squared ratio of
    Student quantiles with n - 1 and clusters - 1 degrees; the bounds are those of n* p of n* (Korn
    and Graubard, 1998). Where all trials agree there is no variance to learn from: each cluster
    then counts as one trial.

    Args:
        successes: Successes of each cluster, >= 0, (cluster,).
        trials: Trials of each cluster, at least its successes, (cluster,); clusters without any
            are left aside.
        confidence: Between 0 and 1.
        side: As in `clopper_pearson`.

    Raises:
        OodexpError: As `clopper_pearson`, for any cluster.
    """
    used = trials > 0
    k, n = np.asarray(successes, np.float64)[used], np.asarray(trials, np.float64)[used]
    if np.any(successes > trials) or np.any(successes < 0):
        raise OodexpError("successes of a cluster outside 0 ... trials; pass counts of one split")
    tail = _tail(int(k.sum()), int(n.sum()), confidence, side)
    method = "Korn-Graubard"
    if len(n) < 2:
        why = "one cluster" if len(n) else "no observation"
        return _none(confidence, side, method, why)
    share = k.sum() / n.sum()
    if share in (0.0, 1.0):
        lower, upper = _beta_ends(share * len(n), len(n), tail)
        why = "no variation between the clusters: each counts as one trial"
        return Bounds(lower, upper, confidence, side, method, why)
    worth = effective_trials(k, n, tail)
    lower, upper = _beta_ends(share * worth, worth, tail)
    return Bounds(lower, upper, confidence, side, method, None)


def effective_trials(successes: np.ndarray, trials: np.ndarray, tail: float) -> float:
    """How many independent trials clustered ones are worth, > 0 (Korn and Graubard, 1998).

    Args:
        successes: Of each cluster, float64, (cluster,); neither none nor all of the trials.
        trials: Of each cluster, >= 1, (cluster,); two clusters at the least.
        tail: Probability beyond one end of the interval, between 0 and 1/2.
    """
    from scipy.stats import t

    clusters, total = len(trials), trials.sum()
    share = successes.sum() / total
    spread = ((successes - share * trials) ** 2).sum() * clusters / (clusters - 1)
    variance = spread / total**2
    plain = share * (1 - share) / variance if variance > 0 else np.inf
    shrunk = plain * (t.ppf(1 - tail, total - 1) / t.ppf(1 - tail, clusters - 1)) ** 2
    return float(min(shrunk, total))


def _beta_ends(k: float, n: float, tail: float) -> tuple[float, float]:
    from scipy.stats import beta

    lower = beta.ppf(tail, k, n - k + 1) if k > 0 else 0.0
    upper = beta.ppf(1 - tail, k + 1, n - k) if k < n else 1.0
    return float(lower), float(upper)


def _tail(k: int, n: int, confidence: float, side: Side) -> float:
    if not 0 <= k <= n:
        raise OodexpError(f"{k} successes of {n} trials: expected 0 <= k <= n; check the counts")
    if not 0 < confidence < 1:
        raise OodexpError(f"confidence={confidence}: expected between 0 and 1, as 0.95")
    if side not in ("one", "two"):
        raise OodexpError(f"side={side!r}: expected 'one' or 'two'")
    return (1 - confidence) / (1 if side == "one" else 2)


def _none(confidence: float, side: Side, method: str, reason: str) -> Bounds:
    return Bounds(float("nan"), float("nan"), confidence, side, method, reason)
