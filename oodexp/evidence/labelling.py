"""Labellings: ways to hand the labels ID and OOD of pairs round, under the null of no difference.

What may be exchanged is what a null says is exchangeable: any two pairs, or images with equally
many pairs and the pairs of one image (`permutation` tells when which holds).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

CELLS = 2**20
"""Labels held at a time, unless one labelling has more."""


def relabelled_images(
    ood: np.ndarray, sizes: np.ndarray, rows: int, rng: np.random.Generator
) -> np.ndarray:
    """Labellings that exchange labels between images of a size and within images.

    Args:
        ood: Label of each pair, images one after the other, bool, (pair,).
        sizes: Number of pairs of each image, >= 1, (image,).
        rows: Number of labellings.
        rng: Draws them.

    Returns:
        bool, (labelling, pair).
    """
    starts, labels = np.cumsum(sizes) - sizes, np.tile(ood, (rows, 1))
    for size in np.unique(sizes):
        at = starts[sizes == size][:, None] + np.arange(size)
        donors = rng.permuted(np.tile(np.arange(len(at)), (rows, 1)), axis=1)
        given = ood[at][donors]
        if size > 1:
            given = rng.permuted(given, axis=2)
        labels[:, at.ravel()] = given.reshape(rows, -1)
    return labels


def movable(ood: np.ndarray, sizes: np.ndarray) -> float:
    """Share of the pairs whose label some labelling of `relabelled_images` changes."""
    many = np.add.reduceat(ood.astype(np.int64), np.cumsum(sizes) - sizes)
    moves = (many > 0) & (many < sizes)
    for size in np.unique(sizes):
        alike = sizes == size
        moves[alike] |= len(np.unique(many[alike])) > 1
    return float(sizes[moves].sum() / max(1, sizes.sum()))


def freely(ood: np.ndarray, count: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Labellings that exchange labels between any pairs, bool, (some, pair), `count` in all."""
    for rows in _slabs(len(ood), count):
        yield rng.permuted(np.tile(ood, (rows, 1)), axis=1)


def by_image(
    ood: np.ndarray, sizes: np.ndarray, count: int, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """Labellings of `relabelled_images`, bool, (some, pair), `count` in all."""
    for rows in _slabs(len(ood), count):
        yield relabelled_images(ood, sizes, rows, rng)


def _slabs(pairs: int, count: int) -> list[int]:
    rows = max(1, CELLS // max(1, pairs))
    return [min(rows, count - start) for start in range(0, count, rows)]
