"""Ask once: the pairs that any trial can select, before the first trial.

A trial that searches freely, over a threshold between two ends, can select any scored pair: then
all of them are asked about. Trials that are listed beforehand select fewer, and their union is
enough. The absent pairs of a `random` or `balanced` ID pool are drawn for each setting anew, so
only listed trials can be asked about beforehand with such a pool.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from oodexp import table
from oodexp.ablation.lot import group
from oodexp.division.rows import names
from oodexp.division.verdict import ID, UNASSIGNED
from oodexp.record import SPLITS, Membership

if TYPE_CHECKING:
    from oodexp.ablation.lot import Lot
    from oodexp.ablation.regroup import Setting


def union(lots: Sequence[Lot], settings: Sequence[Setting]) -> pd.DataFrame:
    """The pairs that any of the settings selects.

    Questions about `drawn` rows are what these settings need; questions about `all` rows with a
    split are what any setting with the same scorers and a `present` ID pool needs.

    Args:
        lots: One of each source.
        settings: The trials.

    Returns:
        `record.Membership`: the present pairs of all sources, and the absent ones of any ID pool.
        `drawn` is whether any setting draws the pair. `split` is that of the first setting that
        draws the pair, else of the first that puts it into one, and null if none does. `flags` is
        null, as settings differ, and `scorers` the number of scorers of all settings together.
    """
    return table.concat(Membership, [_union(lot, settings) for lot in lots])


def _union(lot: Lot, settings: Sequence[Setting]) -> pd.DataFrame:
    width, pairs = max(1, len(lot.matrix.categories)), len(lot.rows)
    split, drawn = np.full(pairs, UNASSIGNED), np.zeros(pairs, dtype=bool)
    absent = np.zeros(0, np.int64)
    for setting in settings:
        found = group(lot, setting.scorers, setting.division)
        new = (found.drawn & ~drawn) | ((split == UNASSIGNED) & ~drawn)
        split[new] = found.split[new]
        drawn |= found.drawn
        absent = np.union1d(absent, found.absent)
    rows, columns = np.divmod(absent, width)
    whole = pairs + len(absent)
    split = np.concatenate([split, np.full(len(absent), ID)])
    scorers = {name for setting in settings for name in setting.scorers}
    return table.frame(
        Membership,
        {
            "source": names([lot.matrix.source], np.zeros(whole, np.int8)),
            "image_id": names(lot.matrix.image_ids, np.concatenate([lot.rows, rows])),
            "category": names(lot.matrix.categories, np.concatenate([lot.columns, columns])),
            "present": np.arange(whole) < pairs,
            "split": names(SPLITS, split),
            "flags": pd.array([None] * whole, dtype="Int64"),
            "scorers": np.full(whole, len(scorers)),
            "drawn": np.concatenate([drawn, np.ones(len(absent), dtype=bool)]),
            "reason": names(["in no split by any setting"], np.where(split < 0, 0, -1)),
        },
    )
