"""Confusion counts of many cells by image, with their sums in each resample."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from oodexp.metric.binary import FN, FP
from oodexp.metric.bootstrap import resampled


class Tally(NamedTuple):
    """What one cell counted."""

    counts: np.ndarray
    """tp, fp, fn, tn of each image, (image, 4)."""
    draws: np.ndarray
    """Their sums in each resample, (resample, 4)."""
    unread: np.ndarray
    """Unread answers, (4,), where they stand when they count as wrong: `FN` for those about present
    categories, `FP` for those about absent ones."""

    def beside(self, other: Tally) -> Tally:
        """Both together."""
        return Tally(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))

    def nothing(self) -> Tally:
        """A tally without answers, of the same shape."""
        return Tally(*(np.zeros_like(mine) for mine in self))


def tallies(
    rows: pd.DataFrame, keys: list[str], weights: np.ndarray
) -> dict[tuple[str, ...], Tally]:
    """The tally of each cell.

    Args:
        rows: An answer a row: `asserted`, `truth`, `unread` and `used` (bool), `image` (a row of
            the weights), and the columns of `keys`.
        keys: Columns that name the cell.
        weights: Of `bootstrap.resample_weights`, (resample, image).

    Returns:
        Tallies by the values of `keys`.
    """
    import torch

    from oodexp.metric.confusion import GroupedConfusion

    cell = rows.groupby(keys, sort=True).ngroup()
    names = rows[keys].groupby(cell).first()
    images, used = weights.shape[1], rows["used"]
    # Where a run has several processes, each has all answers: their counts must not be added.
    confusion = GroupedConfusion(len(names) * images, sync_on_compute=False)
    confusion.update(
        torch.tensor((cell * images + rows["image"])[used].to_numpy(dtype=np.int64)),
        torch.tensor(rows["asserted"][used].to_numpy(dtype=bool)),
        torch.tensor(rows["truth"][used].to_numpy(dtype=bool)),
    )
    counts = confusion.compute().numpy().reshape(len(names), images, 4)
    # One product for all cells: the weights are large.
    flat = counts.transpose(1, 0, 2).reshape(images, -1)
    draws = resampled(weights, flat, lambda sums: sums).reshape(len(weights), len(names), 4)
    unread = np.zeros((len(names), 4), dtype=np.int64)
    lost = rows["unread"]
    np.add.at(unread, (cell[lost], np.where(rows["truth"][lost], FN, FP)), 1)
    return {
        tuple(name): Tally(counts[n], draws[:, n], unread[n])
        for n, name in enumerate(names.itertuples(index=False))
    }
