"""Acceptance rates: of the judged pairs, and weighted back to the pairs they were sampled from."""

from __future__ import annotations

import numpy as np

from oodexp.review.majority import ACCEPTED, REJECTED


def by_image(
    outcome: np.ndarray, image: np.ndarray, stratum: np.ndarray, images: int, strata: int
) -> np.ndarray:
    """Accepted and rejected pairs of each image and stratum; other outcomes are in neither.

    Args:
        outcome: Codes of `majority`, (pair,).
        image: Number of each pair's image, (pair,).
        stratum: Number of each pair's stratum, (pair,).
        images: Number of images.
        strata: Number of strata.

    Returns:
        int64, (image, stratum, 2).
    """
    judged = (outcome == ACCEPTED) | (outcome == REJECTED)
    found = np.zeros((images, strata, 2), dtype=np.int64)
    place = (image[judged], stratum[judged], (outcome == REJECTED)[judged].astype(np.int64))
    np.add.at(found, place, 1)
    return found


def weighted_rate(counts: np.ndarray, population: np.ndarray) -> np.ndarray:
    """Mean of the strata's rates, each weighing as many pairs as it stands for.

    The usual estimate of a stratified sample, the sum of N_h p_h over the sum of N_h, over the
    strata with a judged pair (Cochran, Sampling Techniques, 1977, section 5.2).

    Args:
        counts: Accepted and rejected pairs, >= 0, (..., stratum, 2).
        population: Number N_h of pairs of each stratum, (stratum,).

    Returns:
        Float64, (...), in [0, 1]; NaN without a judged pair.
    """
    judged = counts.sum(axis=-1)
    seen = judged > 0
    rate = np.divide(counts[..., 0], judged, out=np.zeros(judged.shape), where=seen)
    stands_for = np.where(seen, population, 0)
    total = stands_for.sum(axis=-1)
    summed = (rate * stands_for).sum(axis=-1)
    return np.divide(summed, total, out=np.full(total.shape, np.nan), where=total > 0)
