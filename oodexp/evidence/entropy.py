"""Entropy and semantic loss, categories weighing alike (OODConceptBench, Table D8).

The text defines neither. *Semantic loss* is read as 1 - S_Txt, one minus the cosine of an image
with its own phrase: pooled that is 0.704 on L1 and 0.742 on L2 by Table D10, beside the printed
0.697 and 0.736, which are means of categories. *Entropy*, printed as 3.724 and 3.757, may be that
of a model's prediction over names or that of the concepts within a category, and its unit is not
stated. Both are here, in nats; neither is claimed to be the paper's.
"""

from __future__ import annotations

import math

import numpy as np

from oodexp.evidence.band import Band, band
from oodexp.evidence.resampling import resampled_sums
from oodexp.metric.mix import entropy


def semantic_loss(target_similarity: np.ndarray) -> np.ndarray:
    """1 - S_Txt in [0, 2], (n,): our reading of Table D8; `target_similarity` in [-1, 1], (n,)."""
    return 1 - target_similarity


def prediction_entropy(logits: np.ndarray) -> np.ndarray:
    """Entropy of the softmax over names in nats, in [0, ln k], (n,).

    Args:
        logits: Finite and scaled, (n, k): 100 x cosine for CLIP; raw cosines give nearly ln k for
            any image.
    """
    top = logits - logits.max(axis=1, keepdims=True)
    total = np.exp(top).sum(axis=1)
    expected = (np.exp(top) * top).sum(axis=1) / total
    return np.maximum(0, np.log(total) - expected)


def concept_entropy(concept: np.ndarray) -> float:
    """Entropy in nats of how images are shared out among concepts, plain estimate; NaN of none.

    Args:
        concept: Number of each image's concept, >= 0, (n,).
    """
    return entropy(concept) * math.log(2)


def category_mean(
    values: np.ndarray, category: np.ndarray, image: np.ndarray, resamples: int, seed: int
) -> tuple[Band, np.ndarray]:
    """Mean that gives each category equal weight (Table D8), and the mean of each.

    Args:
        values: Finite, (n,).
        category: Code of each, 0 ... categories - 1, all of them present, (n,).
        image: Code of each value's image, (n,).
        resamples: Draws of images; one that misses a category has no value.
        seed: Of the draws.

    Returns:
        The mean of categories with its interval, and the categories' own means (category,).
    """
    if not len(values):
        return Band(np.nan, np.nan, np.nan, 0, "no values"), np.zeros(0)
    width, place = int(category.max()) + 1, np.unique(image, return_inverse=True)[1]
    sums = np.zeros((int(place.max()) + 1, width, 2))
    np.add.at(sums, (place, category), np.stack([values, np.ones(len(values))], axis=1))
    means = _ratio(sums.sum(axis=0))
    draws = _ratio(resampled_sums(sums, resamples, seed)).mean(axis=1)
    return band(float(means.mean()), draws, len(values), "a category has no values"), means


def _ratio(sums: np.ndarray) -> np.ndarray:
    """Means from sums and numbers in the last axis; NaN of nothing."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return sums[..., 0] / sums[..., 1]
