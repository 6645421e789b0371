"""Confusion counts of many cells by image, with their sums in each resample."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from oodexp.metric.binary import FN, FP
from oodexp.metric.bootstrap import Draws, summed
from oodexp.metric.counted import counted


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


def tallies(rows: pd.DataFrame, keys: list[str], draws: Draws) -> dict[tuple[str, ...], Tally]:
    """The tally of each cell.

    Args:
        rows: An answer a row: `asserted`, `truth`, `unread` and `used` (bool), `image` (a number
            below `draws.images`), and the columns of `keys`.
        keys: Columns that name the cell.
        draws: The resamples.

    Returns:
        Tallies by the values of `keys`.
    """
    cell = rows.groupby(keys, sort=True).ngroup()
    names = rows[keys].groupby(cell).first()
    used = rows[rows["used"]]
    counts = counted(
        cell[rows["used"]].to_numpy(dtype=np.int64), used["image"].to_numpy(dtype=np.int64),
        used["asserted"].to_numpy(dtype=bool), used["truth"].to_numpy(dtype=bool),
        (len(names), draws.images),
    )  # fmt: skip
    sums = summed(draws, counts)
    unread = np.zeros((len(names), 4), dtype=np.int64)
    lost = rows["unread"]
    np.add.at(unread, (cell[lost], np.where(rows["truth"][lost], FN, FP)), 1)
    return {
        tuple(name): Tally(counts[at : at + 4].toarray().T, sums[:, at : at + 4], unread[n])
        for n, name in enumerate(names.itertuples(index=False))
        for at in (4 * n,)
    }
