"""Hard samples by focal loss: the hardest of each category (OODBench, D.1; Lin et al., 2017).

The focal loss of one probability falls as the probability rises, whatever gamma is: mined with
one model, the selection is the same for every gamma. Gamma matters only for the mean loss of
several models.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from oodexp.error import OodexpError


class Mined(NamedTuple):
    """A selection of hard samples."""

    chosen: np.ndarray
    """Whether a sample is chosen, bool, (sample,)."""
    loss: np.ndarray
    """Focal loss of each sample, >= 0, larger is harder, (sample,); NaN where not known."""
    reason: str | None
    """Why the selection is not what its name says; None when it is."""


class Overlap(NamedTuple):
    """How much two selections of the same samples have in common."""

    both: int
    """Samples in both."""
    jaccard: float
    """Both by either, in [0, 1]; NaN when neither holds anything."""
    of_first: float
    """Share of the first selection in the second; NaN when the first is empty."""
    of_second: float
    """Share of the second selection in the first; NaN when the second is empty."""
    by_chance: float
    """Samples that two independent selections of these sizes would share on average."""
    reason: str | None
    """Why a share is undefined."""


def focal_loss(probability: np.ndarray, gamma: float = 2.0) -> np.ndarray:
    """-(1 - p)^gamma log p of the probability p of the right answer (Lin et al., equation 5).

    Args:
        probability: In [0, 1], any shape; NaN stays NaN.
        gamma: How much well answered samples are played down, >= 0; 0 is the cross-entropy.

    Returns:
        Losses >= 0 in nats; infinite where p = 0.
    """
    p = np.asarray(probability, dtype=np.float64)
    wrong = p[(p < 0) | (p > 1)]
    if wrong.size:
        raise OodexpError(
            f"{wrong[0]} is no probability of the right answer: expected values in [0, 1]; a "
            "logit has to go through the sigmoid or softmax first"
        )
    if gamma < 0:
        raise OodexpError(f"gamma of the focal loss is {gamma}: expected a number >= 0")
    with np.errstate(divide="ignore"):
        # The sum turns -0.0, the loss of p = 1, into 0.0.
        return -((1 - p) ** gamma) * np.log(p) + 0.0


def mine(
    probability: np.ndarray,
    category: np.ndarray,
    k: int | np.ndarray,
    rng: np.random.Generator,
    gamma: float = 2.0,
) -> Mined:
    """The k samples of each category with the largest focal loss.

    The paper does not say whose probabilities it mines with. Several models give their mean loss;
    a contrastive score S may stand for the probability that the object is seen.

    Args:
        probability: P(right answer) of each sample, (sample,), or of several models, (model,
            sample); in [0, 1], NaN where not known.
        category: Category of each sample, int >= 0, (sample,).
        k: Samples of each category, or their number by category, (category,). A category with
            fewer gives all it has.
        rng: Decides between equal losses.
        gamma: Of `focal_loss`.

    Returns:
        The selection; with a reason, and as far as it goes, where only right or wrong is known.
    """
    whole = np.atleast_2d(np.asarray(probability, dtype=np.float64))
    loss = focal_loss(whole, gamma).mean(axis=0)
    known = np.flatnonzero(~np.isnan(loss))
    wanted = by_category(k, category)
    chosen = np.zeros(len(loss), dtype=bool)
    for own, places in hardest_first(loss[known], category[known], rng):
        chosen[known[places[: wanted[own]]]] = True
    return Mined(chosen, loss, _reason(whole[:, known]))


def _reason(probability: np.ndarray) -> str | None:
    if not probability.size:
        return "no sample has a probability of the right answer"
    if np.isin(probability, (0.0, 1.0)).all():
        return (
            "only right or wrong is known, not how likely the right answer was: equal losses were "
            "drawn by lot"
        )
    return None


def by_category(k: int | np.ndarray, category: np.ndarray) -> np.ndarray:
    """The number of samples wanted of each category, int64, (category,)."""
    categories = int(category.max()) + 1 if len(category) else 0
    wanted = np.asarray(k, dtype=np.int64)
    wanted = np.full(categories, wanted) if wanted.ndim == 0 else wanted
    if len(wanted) < categories or (wanted < 0).any():
        raise OodexpError(
            f"k of hard mining is {k}: expected one number >= 0, or one for each of the "
            f"{categories} categories"
        )
    return wanted


def hardest_first(
    loss: np.ndarray, category: np.ndarray, rng: np.random.Generator
) -> list[tuple[int, np.ndarray]]:
    """Each category that occurs with the places of its samples, the largest loss first.

    Args:
        loss: Losses without NaN, (sample,).
        category: Category of each sample, int >= 0, (sample,).
        rng: Decides between equal losses.
    """
    order = np.lexsort((rng.random(len(loss)), -loss, category))
    starts = np.flatnonzero(np.diff(category[order], prepend=-1))
    parts = np.split(order, starts[1:]) if len(order) else []
    return [(int(category[part[0]]), part) for part in parts]


def first_k(times: np.ndarray, k: int) -> np.ndarray:
    """How often each sample of a category is among its k hardest in each resample.

    Args:
        times: How often a sample occurs, the hardest sample first, (resample, sample).
        k: Samples wanted; one that occurs twice fills two of the places.

    Returns:
        Numbers of the same shape; rows sum to k, or to all there is.
    """
    before = np.cumsum(times, axis=1) - times
    return np.clip(k - before, 0, times)


def overlap(first: np.ndarray, second: np.ndarray) -> Overlap:
    """What two selections have in common (OODBench, D.1, iii).

    Args:
        first: Whether a sample is in the first selection, bool, (sample,).
        second: The same of the second, over the same samples.
    """
    both, a, b = int((first & second).sum()), int(first.sum()), int(second.sum())
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.float64(both) / np.array([a + b - both, a, b, len(first)])
    empty = [name for name, n in (("first", a), ("second", b)) if n == 0]
    reason = f"the {' and the '.join(empty)} selection is empty" if empty else None
    chance = a * b / len(first) if len(first) else 0.0
    return Overlap(both, float(share[0]), float(share[1]), float(share[2]), chance, reason)
