"""Hard samples against OOD samples: variance and alignment of the models' losses (OODBench, D.1).

The paper draws hard samples again and again and asks whether the OOD samples could be another
such draw: their losses would have to differ as much between models, and follow those on hard
samples as well as another draw does. Read this as description, not as a test of known size: a
resample of hard samples shares most of its images with the baseline and their noise with it,
which an OOD sample does not. `evidence.exchange` tests the same hypothesis with a known size.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from oodexp.evidence.focal import by_category, first_k, hardest_first
from oodexp.metric.bootstrap import MOST_UNDEFINED

FEWEST_MODELS = 3
"""Two points always lie on a line."""
TIES = 1e-12
"""Statistics that differ by less are equal: the same sums in another order differ by rounding."""


class Correlation(NamedTuple):
    """Correlation of two quantities over models."""

    value: float
    """In [-1, 1]; NaN when undefined."""
    p: float
    """Two-sided p of no correlation by Student's t; NaN when undefined."""
    n: int
    """Number of models."""
    reason: str | None
    """Why the value or its p is undefined."""


class Tail(NamedTuple):
    """A statistic of the OOD samples in the left tail of its law under the null hypothesis."""

    observed: float
    """The statistic; NaN when undefined."""
    draws: np.ndarray
    """The same under the null hypothesis, without undefined draws, (resample,)."""
    p: float
    """(1 + number of draws <= observed) / (B + 1), one-sided; NaN when undefined."""
    p_floor: float
    """1 / (B + 1), the least that p can be; NaN when undefined."""
    reason: str | None
    """Why there is no p."""


class LeftTails(NamedTuple):
    """The tests of the hypothesis that the OOD samples are but hard ones."""

    variance: Tail
    """Variance over models of the OOD loss."""
    pearson: Tail
    """Correlation over models of the OOD loss with the hard one."""
    spearman: Tail
    """The same of ranks."""


def loss_of(right: np.ndarray, reference: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Accuracy lost from the reference to weighted samples, by model.

    Args:
        right: Share of a sample's questions answered right, in [0, 1], (model, sample).
        reference: Accuracy on ID samples, in [0, 1], (model,).
        weight: How often each sample counts, >= 0 (or bool), (sample,).

    Returns:
        Delta = ID - selection, in [-1, 1], (model,); NaN without samples.
    """
    with np.errstate(invalid="ignore"):
        return reference - right @ weight / np.float64(weight.sum())


def hard_draws(
    right: np.ndarray,
    loss: np.ndarray,
    category: np.ndarray,
    image: np.ndarray,
    k: int | np.ndarray,
    reference: np.ndarray,
    weights: np.ndarray,
    rng: np.random.Generator,
) -> np.ndarray:
    """The loss on hard samples mined again in each resample of the images.

    The accuracy on ID stays that of all ID samples, as in the paper.

    Args:
        right: Share of right answers of each sample of the pool, in [0, 1], (model, sample).
        loss: Focal loss of each sample, (sample,); a sample with NaN is left aside.
        category: Category of each sample, int >= 0, (sample,).
        image: Image of each sample, a column of `weights`, (sample,).
        k: As in `focal.mine`.
        reference: Accuracy on ID samples, (model,).
        weights: Of `bootstrap.resample_weights`, (resample, image).
        rng: Decides between equal losses.

    Returns:
        Delta of each draw, (resample, model); NaN where a draw found no sample.
    """
    known, wanted = np.flatnonzero(~np.isnan(loss)), by_category(k, category)
    total, n = np.zeros((len(weights), len(right))), np.zeros((len(weights), 1))
    for own, places in hardest_first(loss[known], category[known], rng):
        sample = known[places]
        taken = first_k(weights[:, image[sample]], int(wanted[own]))
        total += taken @ right[:, sample].T
        n += taken.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        return reference - total / n


def as_written(delta_hard: np.ndarray, delta_ood: np.ndarray, draws: np.ndarray) -> LeftTails:
    """The paper's tests: OOD against the draws of hard samples, left tails.

    Args:
        delta_hard: Loss on the hard samples of the baseline, (model,).
        delta_ood: Loss on OOD samples, (model,).
        draws: Of `hard_draws`, (resample, model).
    """
    why = undefined_reason(delta_hard, delta_ood)
    variance = left_tail(
        spread(delta_ood[None]), spread(draws), undefined_reason(delta_ood, delta_ood)
    )
    aligned = [
        left_tail(
            alignment(delta_hard[None], delta_ood[None], ranks),
            alignment(np.broadcast_to(delta_hard, draws.shape), draws, ranks),
            why,
        )
        for ranks in (False, True)
    ]
    return LeftTails(variance, *aligned)


def left_tail(observed: np.ndarray, draws: np.ndarray, why: str | None) -> Tail:
    """Where the observed value lies among the draws.

    Args:
        observed: The one value, (1,); NaN when undefined.
        draws: Values under the null hypothesis, (resample,); NaN where undefined.
        why: The reason for an undefined observed value, of `undefined_reason`.
    """
    value, defined = float(observed[0]), draws[~np.isnan(draws)]
    lost = len(draws) - len(defined)
    reason = why if np.isnan(value) else None
    if reason is None and (len(defined) == 0 or lost > MOST_UNDEFINED * len(draws)):
        reason = f"undefined in {lost} of {len(draws)} draws"
    if reason:
        return Tail(value, defined, np.nan, np.nan, reason)
    total = len(defined) + 1
    return Tail(value, defined, (1 + int((defined <= value + TIES).sum())) / total, 1 / total, None)


def undefined_reason(x: np.ndarray, y: np.ndarray) -> str | None:
    """Why the losses of models, each (model,), have no alignment; None when they have."""
    if len(x) < FEWEST_MODELS:
        return f"{len(x)} models, {FEWEST_MODELS} are needed"
    if np.isnan(x).any() or np.isnan(y).any():
        return "the loss of some model is undefined: no samples"
    if min(np.ptp(x), np.ptp(y)) <= TIES:
        return "all models lose alike"
    return None


def spread(delta: np.ndarray) -> np.ndarray:
    """Variance over models (divisor M - 1) of each row, (row, model) -> (row,); NaN for M < 3."""
    if delta.shape[1] < FEWEST_MODELS:
        return np.full(len(delta), np.nan)
    return delta.var(axis=1, ddof=1)


def alignment(x: np.ndarray, y: np.ndarray, ranks: bool) -> np.ndarray:
    """Correlation over models of each row of x with that of y.

    Args:
        x: Losses, (row, model).
        y: Losses, (row, model).
        ranks: Spearman's correlation, that of mid-ranks; else Pearson's.

    Returns:
        In [-1, 1], (row,); NaN for fewer than 3 models and for constant rows.
    """
    if x.shape[1] < FEWEST_MODELS:
        return np.full(len(x), np.nan)
    flat = (np.ptp(x, axis=1) <= TIES) | (np.ptp(y, axis=1) <= TIES)
    if ranks:
        from scipy.stats import rankdata

        # Rounding must not break ties.
        x, y = (rankdata(np.round(side, 12), axis=1) for side in (x, y))
    x, y = (side - side.mean(axis=1, keepdims=True) for side in (x, y))
    size = np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1))
    with np.errstate(invalid="ignore", divide="ignore"):
        value = np.clip((x * y).sum(axis=1) / size, -1, 1)
    return np.where(flat | np.isnan(value), np.nan, value)


def correlation(x: np.ndarray, y: np.ndarray, ranks: bool = False) -> Correlation:
    """Pearson's or Spearman's correlation over models, with its p.

    Args:
        x: (model,).
        y: (model,).
        ranks: Spearman's.
    """
    n, reason = len(x), undefined_reason(x, y)
    if reason:
        return Correlation(np.nan, np.nan, n, reason)
    value = float(alignment(x[None], y[None], ranks)[0])
    p = p_of_correlation(value, n)
    perfect = "a perfect correlation has no p by Student's t" if np.isnan(p) else None
    return Correlation(value, p, n, perfect)


def p_of_correlation(value: float, n: int) -> float:
    """Two-sided p of no correlation: t = r sqrt((n - 2) / (1 - r^2)), n - 2 degrees of freedom.

    Exact for Pearson's r of normal quantities, an approximation for Spearman's.

    Args:
        value: The correlation, in [-1, 1].
        n: Number of models, >= 3.

    Returns:
        p in (0, 1]; NaN for a perfect correlation, whose t is infinite.
    """
    from scipy.stats import t

    if 1 - abs(value) <= TIES:
        return float("nan")
    return float(2 * t.sf(abs(value) * np.sqrt((n - 2) / (1 - value**2)), n - 2))
