"""The arithmetic behind the miniature's figures: division of pairs, AUROC, intervals by image."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]
Bools = NDArray[np.bool_]
THRESHOLD = 0.05
ID, OOD_S, OOD_H = range(3)


def signal(logits: Floats, present: Bools) -> tuple[NDArray[np.float64], Bools]:
    """Scores each present pair against the categories that are absent from its image.

    Args:
        logits: (n, k) scaled cosines.
        present: (n, k) whether the category is in the image.

    Returns:
        (n, k) softmax probability of the category among itself and the absent ones, NaN where
        absent; and (n, k) True where it is below 0.05 or below the best absent category's.
    """
    high = logits.max(1, keepdims=True)
    weight = np.exp(logits.astype(np.float64) - high)
    rivals = np.where(present, 0.0, weight)
    score = weight / (weight + rivals.sum(1, keepdims=True))
    flagged = (score < THRESHOLD) | (weight < rivals.max(1, keepdims=True))
    return np.where(present, score, np.nan), flagged & present


def divide(first: Bools, second: Bools) -> NDArray[np.int64]:
    """Divides pairs by how many of two scorers flag them.

    Args:
        first: Flags of one scorer.
        second: Flags of the other, of the same shape.

    Returns:
        ``ID``, ``OOD_S`` or ``OOD_H`` where none, one or both flag.
    """
    return first.astype(np.int64) + second


def auroc(scores: Floats, positive: Bools) -> float:
    """Chance that a positive scores above a negative, ties counting half.

    Args:
        scores: n scores.
        positive: n truths, of both kinds.

    Returns:
        A share in [0, 1].
    """
    from scipy.stats import rankdata

    hits = int(positive.sum())
    misses = len(positive) - hits
    rank_sum = float(rankdata(scores)[positive].sum())
    return (rank_sum - hits * (hits + 1) / 2) / (hits * misses)


def kappa(first: Bools, second: Bools) -> float:
    """Cohen's kappa of two scorers' flags: their agreement beyond what their rates explain.

    Args:
        first: n flags of one scorer; not all alike in both.
        second: n flags of the other.

    Returns:
        1 for the same flags, 0 for agreement by chance.
    """
    one, two = float(first.mean()), float(second.mean())
    by_chance = one * two + (1 - one) * (1 - two)
    return (float((first == second).mean()) - by_chance) / (1 - by_chance)


def bootstrap_difference(
    right: Bools,
    group: NDArray[np.int64],
    image: NDArray[np.int64],
    pair: tuple[int, int],
    rng: np.random.Generator,
    rounds: int = 2_000,
) -> tuple[float, float, float]:
    """Difference of accuracy between two divisions, with images drawn anew as wholes.

    Args:
        right: Whether each answer is right.
        group: Each answer's division.
        image: Each answer's image, numbered from 0.
        pair: The two divisions; the second is subtracted from the first.
        rng: The only source of chance.
        rounds: Bootstrap rounds.

    Returns:
        The difference and the ends of its 95 % percentile interval.
    """
    number = int(image.max()) + 1
    good, all_ = np.zeros((2, number)), np.zeros((2, number))
    for row, division in enumerate(pair):
        mine = group == division
        np.add.at(good[row], image[mine], right[mine])
        np.add.at(all_[row], image[mine], 1)
    draws = rng.multinomial(number, np.full(number, 1 / number), size=rounds)
    share = (draws @ good.T) / np.maximum(draws @ all_.T, 1)
    low, high = np.quantile(share[:, 0] - share[:, 1], [0.025, 0.975])
    centre = good.sum(1) / all_.sum(1)
    return float(centre[0] - centre[1]), float(low), float(high)
