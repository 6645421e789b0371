"""Tables of two raters' labels, image by image; `metric.agreement` makes kappa of their sums."""

from __future__ import annotations

import numpy as np


def tables(
    first: np.ndarray, second: np.ndarray, image: np.ndarray, images: int, values: int
) -> np.ndarray:
    """How often two raters gave each two values, by image.

    Args:
        first: Values 0 ... values - 1 of a rater, negative where nothing was said, (pair,).
        second: Those of the other.
        image: Number of each pair's image, (pair,).
        images: Number of images.
        values: Number of values; others are left out.

    Returns:
        int64, (image, values, values): the first rater's value, then the second's. Pairs that one
        of the two did not judge are in none.
    """
    both = (first >= 0) & (second >= 0) & (first < values) & (second < values)
    found = np.zeros((images, values, values), dtype=np.int64)
    np.add.at(found, (image[both], first[both], second[both]), 1)
    return found
