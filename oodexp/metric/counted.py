"""Confusion counts of many cells by image, sparse: most cells count on few of the images."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from scipy.sparse import csr_array


def counted(
    cell: np.ndarray, image: np.ndarray, answer: np.ndarray, target: np.ndarray,
    shape: tuple[int, int],
) -> csr_array:  # fmt: skip
    """Counts tp, fp, fn, tn of each cell and image, float64, (4 x cell, image).

    Args:
        cell: Number of the cell of each answer, int64, (answer,).
        image: Number of its image, int64, (answer,).
        answer: Whether the answer is yes, bool, (answer,).
        target: Whether yes is right, bool, (answer,).
        shape: Number of cells and of images.
    """
    import torch
    from scipy.sparse import csr_array

    from oodexp.metric.confusion import GroupedConfusion

    cells, images = shape
    place, group = np.unique(cell * images + image, return_inverse=True)
    # Where a run has several processes, each has all answers: their counts must not be added.
    confusion = GroupedConfusion(len(place), sync_on_compute=False)
    confusion.update(*map(torch.tensor, (group, answer, target)))
    values = confusion.compute().numpy().ravel()
    filled = np.flatnonzero(values)
    row, column = np.divmod(place[filled // 4], images)
    return csr_array(
        (values[filled], ((row * 4 + filled % 4).astype(np.int32), column.astype(np.int32))),
        shape=(4 * cells, images),
    )
