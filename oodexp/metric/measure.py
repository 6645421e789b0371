"""Accuracy, precision, recall, F1 and MCC per VLM and split, with intervals and drops."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from oodexp import table
from oodexp.error import OodexpError
from oodexp.metric.base import Evidence, check_readers
from oodexp.metric.binary import METRICS, from_counts, undefined_reason
from oodexp.metric.bootstrap import interval, resample_weights, resampled
from oodexp.metric.certainty import certainties
from oodexp.metric.judged import judged
from oodexp.record import SPLITS, Measurement

POOLED = "pooled"
PLAIN = "existence"
"""The kind that others of the same run are compared with, as chain of thought."""
KEYS = ["kind", "source", "split", "group", "convention"]


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
        rows = judged(evidence, **self._readers)
        rows["image"], ids = pd.factorize(rows["source"] + "\0" + rows["image_id"], sort=True)
        images = len(ids)
        weights = None
        if images:
            weights = resample_weights(images, self._resamples, np.random.default_rng(self._seed))
        found: list[Measurement] = []
        for vlm, mine in rows.groupby("vlm", sort=True):
            long = _spread(mine)
            counts = _confusion(long, images)
            found += _measurements(str(vlm), long, counts, weights)
        if weights is not None:
            number = {name: n for n, name in enumerate(ids)}
            found += certainties(evidence, number, weights)
        return table.frame(Measurement, found)


def _spread(rows: pd.DataFrame) -> pd.DataFrame:
    """Each row once per (source or pooled) x (all or composition group) that it counts in."""
    grouped = rows.assign(group=rows["groups"]).explode("group").dropna(subset="group")
    both = pd.concat([rows.assign(group="all"), grouped])
    if rows["source"].nunique() > 1:
        both = pd.concat([both, both.assign(source=POOLED)])
    else:
        both = both.assign(source=POOLED)
    return both.assign(cell=both.groupby(KEYS, sort=True).ngroup()).reset_index(drop=True)


def _confusion(long: pd.DataFrame, images: int) -> np.ndarray:
    """Confusion counts of each cell and image, (cell, image, 4)."""
    import torch

    from oodexp.metric.confusion import GroupedConfusion

    used = long[long["used"]]
    cells = int(long["cell"].max()) + 1 if len(long) else 0
    # Where a run has several processes, each has all answers: their counts must not be added.
    confusion = GroupedConfusion(cells * images, sync_on_compute=False)
    confusion.update(
        torch.tensor((used["cell"] * images + used["image"]).to_numpy(dtype=np.int64)),
        torch.tensor(used["answer"].to_numpy(dtype=bool)),
        torch.tensor(used["target"].to_numpy(dtype=bool)),
    )
    return confusion.compute().numpy().reshape(cells, images, 4)


def _measurements(
    vlm: str, long: pd.DataFrame, counts: np.ndarray, weights: np.ndarray | None
) -> Iterator[Measurement]:
    cells = long.groupby("cell").agg(dict.fromkeys(KEYS, "first") | {"unread": "sum"})
    names = {tuple(row[k] for k in KEYS): int(i) for i, row in cells.iterrows()}  # type: ignore[call-overload]
    draws = {} if weights is None else {
        c: resampled(weights, counts[c], from_counts) for c in names.values()
    }  # fmt: skip
    for (kind, source, split, group, convention), cell in sorted(names.items(), key=_reading_order):
        head = (vlm, kind, source, split)
        tail = (group, convention, counts[cell], int(cells.loc[cell, "unread"]))
        mine = from_counts(counts[cell].sum(axis=0))
        yield from _values(head, tail, mine, draws[cell], "none", None)
        drop = names.get((kind, source, SPLITS[0], group, convention))
        if split != SPLITS[0] and drop is not None:
            base = counts[drop]
            lost = from_counts(base.sum(axis=0)) - mine
            yield from _values(head, tail, lost, draws[drop] - draws[cell], SPLITS[0], base)
        plain = names.get((PLAIN, source, split, group, convention))
        if kind != PLAIN and plain is not None:
            base = counts[plain]
            gain = mine - from_counts(base.sum(axis=0))
            yield from _values(head, tail, gain, draws[cell] - draws[plain], PLAIN, base)


def _values(
    head: tuple[str, str, str, str], tail: tuple[str, str, np.ndarray, int], values: np.ndarray,
    draws: np.ndarray, contrast: str, reference: np.ndarray | None,
) -> Iterator[Measurement]:  # fmt: skip
    group, convention, counts, unread = tail
    total = counts.sum(axis=0)
    for m, metric in enumerate(METRICS if group == "all" else METRICS[:1]):
        reason = undefined_reason(total, metric)
        if reason is None and reference is not None:
            reason = undefined_reason(reference.sum(axis=0), metric)
            reason = reason and f"{contrast}: {reason}"
        value, (lower, upper, width) = float(values[m]), interval(draws[:, m])
        if reason is not None:
            lower, upper = np.nan, np.nan
        yield Measurement(
            *head, contrast, group, convention, metric, value, lower, upper, int(total.sum()),
            unread, int(counts.any(axis=1).sum()), reason or width,
        )  # fmt: skip


def _reading_order(
    item: tuple[tuple[str, str, str, str, str], int],
) -> tuple[bool | str | int, ...]:
    kind, source, split, group, convention = item[0]
    return kind, source != POOLED, source, SPLITS.index(split), group != "all", group, convention
