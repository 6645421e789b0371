"""What leaving the rejected pairs out does to an accuracy."""

from __future__ import annotations

import numpy as np

ALL_RIGHT, ALL_N, KEPT_RIGHT, KEPT_N = range(4)
"""Columns of the counts: right answers and questions, with all pairs and with the kept ones."""


def counts(right: np.ndarray, kept: np.ndarray, image: np.ndarray, images: int) -> np.ndarray:
    """Counts of each image.

    Args:
        right: Whether each answer is right, bool, (answer,).
        kept: Whether its pair is kept, bool, (answer,).
        image: Number of its image, (answer,).
        images: Number of images.

    Returns:
        int64, (image, 4), columns as above.
    """
    columns = np.stack([right, np.ones_like(right), right & kept, kept], axis=1).astype(np.int64)
    found = np.zeros((images, 4), dtype=np.int64)
    np.add.at(found, image, columns)
    return found


def accuracies(sums: np.ndarray) -> np.ndarray:
    """Accuracy with all pairs, with the kept ones, and the second minus the first.

    Args:
        sums: Summed counts, (..., 4).

    Returns:
        Float64, (..., 3); NaN without a question.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        before = sums[..., ALL_RIGHT] / sums[..., ALL_N]
        after = sums[..., KEPT_RIGHT] / sums[..., KEPT_N]
    return np.stack([before, after, after - before], axis=-1)
