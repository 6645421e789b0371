"""A trial of an ablation: other settings over the same stored scores and answers.

No model runs and no table is made: a trial divides by arrays, draws as the division does, and
counts. Its values are those that `metric.measure.Binary` gives for the same division, pooled over
sources.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from oodexp.ablation.lot import group
from oodexp.ablation.stock import UNASKED, UNREAD, YES, find
from oodexp.division.verdict import ID, UNASSIGNED
from oodexp.error import OodexpError
from oodexp.metric.binary import FN, FP, METRICS, TN, TP, from_counts
from oodexp.record import SPLITS

if TYPE_CHECKING:
    from oodexp.ablation.stock import Stock
    from oodexp.division.cross_validation import CrossValidation

CONVENTIONS = ("headline", "read", "paper")
ROWS = (*SPLITS, "drop/OOD-S", "drop/OOD-H", "gap")
"""What is measured of a VLM: the splits, ID minus OOD-S, ID minus OOD-H, OOD-S minus OOD-H."""
MEAN = "mean"
"""Stands for a VLM in names of means over all VLMs."""
PARTS: tuple[tuple[int, ...], ...] = ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2))
"""The splits of each row; a row of two is the first minus the second."""


@dataclass(frozen=True, slots=True)
class Setting:
    """All that a trial may choose.

    Raises:
        OodexpError: If the convention is not one of its values.
    """

    scorers: tuple[str, ...]
    """Names of the scorers that divide, in order."""
    division: CrossValidation
    """Thresholds, criterion, combination, rule, pool, size, cap and seed."""
    reader: str = "yes_no"
    """How answers are read."""
    convention: str = "headline"
    """`headline`: an unread answer is wrong; `read`: it is left out; `paper`: both answers about
    its pair are (for the reader with the authors' rule)."""

    def __post_init__(self) -> None:
        """Checks the convention."""
        if self.convention not in CONVENTIONS:
            raise OodexpError(
                f"convention={self.convention}: expected one of {', '.join(CONVENTIONS)}"
            )


class Tally(NamedTuple):
    """Answers counted by VLM and cell."""

    counts: np.ndarray
    """tp, fp, fn, tn, int64, (vlm, cell, 4)."""
    unread: np.ndarray
    """Unread answers, counted or not, int64, (vlm, cell)."""
    unasked: np.ndarray
    """Pairs that a VLM lacks an answer about, read or unread, int64, (vlm, cell)."""


@dataclass(frozen=True, slots=True)
class Regrouped:
    """What a trial gives."""

    setting: Setting
    """What was chosen."""
    split: np.ndarray
    """Codes of `division.verdict`, int64, (pair,) of the stock; an absent pair that was not drawn
    is in none."""
    drawn: np.ndarray
    """Whether a pair is in the benchmark, bool, (pair,)."""
    counts: np.ndarray
    """tp, fp, fn, tn of the drawn pairs, int64, (vlm, split, 4)."""
    values: np.ndarray
    """Fractions by `ROWS` and `binary.METRICS`, float64, (vlm, 6, 5); NaN where undefined."""
    pairs: np.ndarray
    """Present pairs by the division, int64, (split,)."""
    drawn_pairs: np.ndarray
    """Drawn pairs, absent ones too, int64, (split,)."""
    unread: np.ndarray
    """Unread answers about drawn pairs, int64, (vlm, split)."""
    unasked: np.ndarray
    """Drawn pairs that a VLM lacks an answer about, int64, (vlm, split): not 0 means that the
    trial chose pairs outside of what was asked (see `union`)."""


def regroup(stock: Stock, setting: Setting) -> Regrouped:
    """One trial.

    Raises:
        OodexpError: If the setting names a scorer or reader that is not in the stock.
    """
    readings = readings_of(stock, setting.reader)
    total = len(stock.present)
    split, drawn, never = np.full(total, UNASSIGNED), np.zeros(total, dtype=bool), 0
    for lot, start, asked in zip(stock.lots, stock.starts, stock.absent, strict=True):
        found = group(lot, setting.scorers, setting.division)
        end = start + len(lot.rows)
        split[start:end], drawn[start:end] = found.split, found.drawn
        place = find(asked, found.absent)
        never += int((place < 0).sum())
        at = end + place[place >= 0]
        split[at], drawn[at] = ID, True
    cell = np.where(drawn, split, UNASSIGNED)
    counted = tally(readings, stock.present, cell, len(SPLITS), setting.convention)
    counted.unasked[:, ID] += never
    sizes = np.bincount(cell[drawn], minlength=len(SPLITS))
    sizes[ID] += never
    present = split[stock.present & (split >= 0)]
    return Regrouped(
        setting, split, drawn, counted.counts, rows(from_counts(counted.counts)),
        np.bincount(present, minlength=len(SPLITS)), sizes, counted.unread, counted.unasked,
    )  # fmt: skip


def readings_of(stock: Stock, reader: str) -> np.ndarray:
    """The readings of one reader, int8, (vlm, pair, 2).

    Raises:
        OodexpError: If the reader gave no answers.
    """
    if reader not in stock.readings:
        raise OodexpError(f"reader={reader}: no such reader; have {', '.join(stock.readings)}")
    return stock.readings[reader]


def tally(
    readings: np.ndarray, present: np.ndarray, cell: np.ndarray, cells: int, convention: str
) -> Tally:
    """Counts answers by VLM and cell.

    Args:
        readings: Codes of `stock`, int8, (vlm, pair, 2).
        present: Whether a pair is present, bool, (pair,).
        cell: Cell of each pair in [0, cells), int64, (pair,); negative for a pair left aside.
        cells: Number of cells.
        convention: One of `CONVENTIONS`.
    """
    chosen = np.flatnonzero(cell >= 0)
    read, vlms = readings[:, chosen], len(readings)
    target = np.stack([present[chosen], ~present[chosen]], axis=1)
    unread, asked = read == UNREAD, read != UNASKED
    answer = np.where(unread, ~target, read == YES)
    used = asked
    if convention == "read":
        used = asked & ~unread
    elif convention == "paper":
        used = asked & ~unread.any(axis=2, keepdims=True)
    kind = np.where(target, np.where(answer, TP, FN), np.where(answer, FP, TN))
    where = np.arange(vlms)[:, None] * cells + cell[chosen]
    counts = np.bincount((where[:, :, None] * 4 + kind)[used], minlength=vlms * cells * 4)
    lost = np.bincount(np.repeat(where, 2, axis=-1)[unread.reshape(vlms, -1)], None, vlms * cells)
    missing = np.bincount(where[~asked.all(axis=2)], minlength=vlms * cells)
    return Tally(
        counts.reshape(vlms, cells, 4), lost.reshape(vlms, cells), missing.reshape(vlms, cells)
    )


def rows(values: np.ndarray) -> np.ndarray:
    """Values of the splits, (..., 3, metric), with their differences: (..., 6, metric)."""
    first = [part[0] for part in PARTS[len(SPLITS) :]]
    second = [part[1] for part in PARTS[len(SPLITS) :]]
    return np.concatenate([values, values[..., first, :] - values[..., second, :]], axis=-2)


def named(stock: Stock, found: Regrouped) -> dict[str, float]:
    """A trial's numbers by name, to be tracked or searched by.

    `division/<split>/pairs` and `drawn`, `<vlm>/<row>/<metric>` for each of `ROWS`, the mean of
    these over the VLMs as `mean/<row>/<metric>` (NaN where one is undefined),
    `<vlm>/<split>/n_unread`, and `<vlm>/<split>/unasked` where pairs were not asked about.
    """
    numbers: dict[str, float] = {}
    for s, split in enumerate(SPLITS):
        numbers[f"division/{split}/pairs"] = float(found.pairs[s])
        numbers[f"division/{split}/drawn"] = float(found.drawn_pairs[s])
    mean = found.values.mean(axis=0)
    for r, row in enumerate(ROWS):
        whole = zip(METRICS, mean[r], strict=True)
        numbers |= {f"{MEAN}/{row}/{metric}": float(value) for metric, value in whole}
    for v, vlm in enumerate(stock.vlms):
        for r, row in enumerate(ROWS):
            mine = zip(METRICS, found.values[v, r], strict=True)
            numbers |= {f"{vlm}/{row}/{metric}": float(value) for metric, value in mine}
        for s, split in enumerate(SPLITS):
            numbers[f"{vlm}/{split}/n_unread"] = float(found.unread[v, s])
            if found.unasked[v, s]:
                numbers[f"{vlm}/{split}/unasked"] = float(found.unasked[v, s])
    return numbers
