"""Accuracy, precision, recall, F1 and MCC per VLM and split, with intervals and drops."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from oodexp import table
from oodexp.columns import Codes
from oodexp.error import OodexpError
from oodexp.metric.base import Evidence, check_readers
from oodexp.metric.binary import METRICS, from_counts, undefined_reason
from oodexp.metric.bootstrap import Draws, interval, split_up
from oodexp.metric.certainty import certainties
from oodexp.metric.counted import counted
from oodexp.metric.judged import UNASKED, Asked, Judged, Readings, readings
from oodexp.metric.mix import Grouping
from oodexp.process import give_back
from oodexp.record import SPLITS, Measurement

if TYPE_CHECKING:
    from scipy.sparse import csr_array

POOLED = "pooled"
PLAIN = "existence"
"""The kind that others of the same run are compared with, as chain of thought."""


class Cell(NamedTuple):
    """What counts together."""

    kind: str
    """The question set."""
    source: str
    """A data set, or `POOLED`."""
    split: str
    """Split of the pairs."""
    group: str
    """`all`, or a composition group."""
    convention: str
    """`headline`, `read` or `paper`."""


class Binary:
    """The metrics of yes/no questions; clusters are images.

    Args:
        headline: Name of the reader of the headline; its unread answers count as wrong.
        paper: Name of the reader with the authors' rule.
        resamples: Bootstrap resamples.
        seed: Seed of the bootstrap.
    """

    def __init__(self, headline: str, paper: str, resamples: int = 2000, seed: int = 0) -> None:
        if resamples < 100:
            raise OodexpError(f"metric.resamples={resamples}: expected at least 100")
        if seed < 0:
            raise OodexpError(f"metric.seed={seed}: expected a number >= 0")
        self._readers = {"headline": headline, "paper": paper}
        self._resamples = resamples
        self._seed = seed

    def measure(self, evidence: Evidence) -> pd.DataFrame:
        """See `base.Metric`; rows by VLM, source, split, group, convention, metric.

        Raises:
            OodexpError: If a reader that was named gave no answers while others did.
        """
        check_readers(evidence, self._readers)
        known = readings(evidence, **self._readers)
        give_back()
        images = len(known.asked.images)
        if not images:
            return table.frame(Measurement)
        draws = Draws(images, self._resamples, self._seed)
        tables = {vlm: _tabled(known, vlm) for vlm in known.said}
        resampled = split_up(draws, [mine.counts for mine in tables.values()])
        found: list[Measurement] = []
        for (vlm, mine), sums in zip(tables.items(), resampled, strict=True):
            found += _measurements(vlm, mine, sums)
        found += certainties(evidence, known.asked.images, draws)
        return table.frame(Measurement, found)


class _Tabled(NamedTuple):
    """The cells of one VLM."""

    cells: list[Cell]
    """What they are."""
    counts: csr_array
    """tp, fp, fn, tn of each, (4 x cell, image)."""
    unread: np.ndarray
    """Unread answers of each, (cell,)."""


def _tabled(known: Readings, vlm: str) -> _Tabled:
    """Each answer once per (source or pooled) x (all or composition group) that it counts in."""
    from scipy.sparse import vstack

    asked, cells, counts, unread = known.asked, list[Cell](), [], []
    everything = Grouping("all", ["all"], np.zeros(len(asked.target), np.int64))
    several = len({*asked.source.codes[_answered(known, vlm)].tolist()}) > 1
    for one in known.judged(vlm):
        for grouping in (everything, *asked.groupings):
            for source in (asked.source, None) if several else (asked.source,):
                names, cell, inside = _cells(asked, one, grouping, source)
                counts.append(_counts(asked, one, cell, inside, len(names)))
                unread.append(np.bincount(cell, one.unread[inside], len(names)).astype(np.int64))
                cells += names
    if not several:
        cells = [cell._replace(source=POOLED) for cell in cells]
    return _Tabled(cells, vstack(counts, format="csr"), np.concatenate(unread))


def _answered(known: Readings, vlm: str) -> np.ndarray:
    return np.any([codes != UNASKED for codes in known.said[vlm].values()], axis=0)


def _cells(
    asked: Asked, one: Judged, grouping: Grouping, source: Codes | None
) -> tuple[list[Cell], np.ndarray, np.ndarray]:
    """Names of the cells, the cell of each answer that is in one, and which these are."""
    question = one.question
    group = grouping.codes[question]
    inside = group >= 0
    question, group = question[inside], group[inside]
    of = np.zeros(len(question), np.int64) if source is None else source.codes[question]
    sources = [POOLED] if source is None else source.texts
    texts = asked.kind.texts, sources, asked.split.texts, grouping.labels
    codes = asked.kind.codes[question], of, asked.split.codes[question], group
    key = np.ravel_multi_index(codes, [len(t) for t in texts])
    different, cell = np.unique(key, return_inverse=True)
    named = np.unravel_index(different, [len(t) for t in texts])
    names = [
        Cell(*(t[n] for t, n in zip(texts, row, strict=True)), one.convention)  # type: ignore[call-arg]
        for row in zip(*named, strict=True)
    ]
    return names, cell, inside


def _counts(
    asked: Asked, one: Judged, cell: np.ndarray, inside: np.ndarray, cells: int
) -> csr_array:
    used = one.used[inside]
    question = one.question[inside][used]
    return counted(
        cell[used], asked.image[question], one.answer[inside][used], asked.target[question],
        (cells, len(asked.images)),
    )  # fmt: skip


def _measurements(vlm: str, mine: _Tabled, sums: np.ndarray) -> Iterator[Measurement]:
    """Rows of one VLM.

    Args:
        vlm: Its name.
        mine: Its cells.
        sums: Their counts in each resample, (resample, 4 x cell).
    """
    totals = mine.counts.sum(axis=1).reshape(-1, 4)
    images = _images(mine.counts)
    names = {cell: n for n, cell in enumerate(mine.cells)}
    draws = {n: from_counts(sums[:, 4 * n : 4 * n + 4]) for n in names.values()}
    for cell, n in sorted(names.items(), key=_reading_order):
        about = _About(vlm, cell, totals[n], int(mine.unread[n]), int(images[n]))
        here = from_counts(totals[n])
        yield from _values(about, here, draws[n], "none", None)
        drop = names.get(cell._replace(split=SPLITS[0]))
        if cell.split != SPLITS[0] and drop is not None:
            base = totals[drop]
            lost = from_counts(base) - here
            yield from _values(about, lost, draws[drop] - draws[n], SPLITS[0], base)
        plain = names.get(cell._replace(kind=PLAIN))
        if cell.kind != PLAIN and plain is not None:
            base = totals[plain]
            gain = here - from_counts(base)
            yield from _values(about, gain, draws[n] - draws[plain], PLAIN, base)


def _images(counts: csr_array) -> np.ndarray:
    """Number of images that each cell counts on, (cell,)."""
    parts = pairwise(counts.indptr[::4].tolist())
    return np.array([len(np.unique(counts.indices[a:b])) for a, b in parts], dtype=np.int64)


class _About(NamedTuple):
    """What a measurement rests on."""

    vlm: str
    cell: Cell
    total: np.ndarray
    unread: int
    images: int


def _values(
    about: _About, values: np.ndarray, draws: np.ndarray, contrast: str,
    reference: np.ndarray | None,
) -> Iterator[Measurement]:  # fmt: skip
    kind, source, split, group, convention = about.cell
    for m, metric in enumerate(METRICS if group == "all" else METRICS[:1]):
        reason = undefined_reason(about.total, metric)
        if reason is None and reference is not None:
            reason = undefined_reason(reference, metric)
            reason = reason and f"{contrast}: {reason}"
        value, (lower, upper, width) = float(values[m]), interval(draws[:, m])
        if reason is not None:
            lower, upper = np.nan, np.nan
        yield Measurement(
            about.vlm, kind, source, split, contrast, group, convention, metric, value, lower,
            upper, int(about.total.sum()), about.unread, about.images, reason or width,
        )  # fmt: skip


def _reading_order(item: tuple[Cell, int]) -> tuple[bool | str | int, ...]:
    kind, source, split, group, convention = item[0]
    return kind, source != POOLED, source, SPLITS.index(split), group != "all", group, convention
