"""How much of a loss is missing present objects, and how much is inventing absent ones.

Both polarities count: an answer asserts presence ("yes, it contains", "no, it is not so that it
does not") or absence. What a VLM that says yes to everything asserts is then presence half of the
time. Groups named `..., as POPE asks` hold the questions of polarity `present` alone, for numbers
to set beside published ones of POPE: there, that VLM misses nothing and invents everything.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from oodexp import table
from oodexp.error import OodexpError
from oodexp.metric.base import Evidence, check_readers
from oodexp.metric.binary import FN, FP, TN, TP
from oodexp.metric.bootstrap import Draws, Interval, interval
from oodexp.metric.rates import PARTS, RATES, parts, rates, undefined_reason
from oodexp.metric.tally import Tally, tallies
from oodexp.record import SPLITS, Measurement

KIND = "polling"
POOLED = "pooled"
BESIDE = "present"
"""The strategy of the present categories."""
POPE = ", as POPE asks"
KEYS = ["source", "split", "strategy", "form", "convention"]
RESTS_ON = {
    "miss_rate": [TP, FN], "recall": [TP, FN], "drop_by_missing": [TP, FN],
    "invention_rate": [FP, TN], "drop_by_inventing": [FP, TN],
}  # fmt: skip
"""The counts that a metric rests on, where not on all."""
DEFINED_AS = {"drop_by_missing": "miss_rate", "drop_by_inventing": "invention_rate"}
DEFINED_AS |= {"missing_share": "accuracy"}
"""The rate without which a part of the drop is undefined."""


class Polling:
    """Miss and invention rates with POPE's metrics; clusters are images.

    Conventions: `headline` takes an unread answer as the wrong one, `read` leaves it out.

    Args:
        headline: Name of the reader.
        resamples: Bootstrap resamples.
        seed: Seed of the bootstrap.
    """

    def __init__(self, headline: str, resamples: int = 2000, seed: int = 0) -> None:
        if resamples < 100 or seed < 0:
            raise OodexpError(
                f"metric.resamples={resamples}, metric.seed={seed}: expected at least 100, and a "
                "number >= 0"
            )
        self._headline = headline
        self._resamples = resamples
        self._seed = seed

    def measure(self, evidence: Evidence) -> pd.DataFrame:
        """See `base.Metric`; the strategy stands in `group`.

        Raises:
            OodexpError: If the reader gave no answers while others did.
        """
        check_readers(evidence, {"headline": self._headline})
        rows = _asserted(evidence, self._headline)
        rows["image"] = pd.factorize(rows["source"] + "\0" + rows["image_id"], sort=True)[0]
        if not len(rows):
            return table.frame(Measurement)
        images = int(rows["image"].max()) + 1
        draws = Draws(images, self._resamples, self._seed)
        found: list[Measurement] = []
        for vlm, mine in rows.groupby("vlm", sort=True):
            found += _of_vlm(str(vlm), tallies(_spread(mine), KEYS, draws))
        return table.frame(Measurement, found)


def _asserted(evidence: Evidence, reader: str) -> pd.DataFrame:
    """A row per VLM and question: `truth` and `asserted` (presence, bool) and `unread`."""
    columns = ["question_id", "source", "image_id", "split", "strategy", "polarity", "target"]
    asked = evidence.questions[["kind", *columns]]
    answers = evidence.answers[["vlm", "reader", "question_id", "reading"]]
    rows = (
        answers[answers["reader"] == reader]
        .drop(columns="reader")
        .merge(asked.loc[asked["kind"] == KIND, columns], on="question_id", validate="many_to_one")
    )
    positive, unread = rows["polarity"] == "present", rows["reading"].isna()
    truth = (rows["target"] == "yes") == positive
    said = ((rows["reading"] == "yes") == positive).where(~unread, ~truth)
    return rows.assign(truth=truth, asserted=said.astype(bool), unread=unread, positive=positive)


def _spread(rows: pd.DataFrame) -> pd.DataFrame:
    """Each row once per source or pooled, form of asking and convention that it counts in."""
    rows = pd.concat([rows.assign(form=""), rows[rows["positive"]].assign(form=POPE)])
    rows = pd.concat(
        [rows.assign(convention="headline", used=True),
         rows.assign(convention="read", used=~rows["unread"])]
    )  # fmt: skip
    pooled = rows.assign(source=POOLED)
    rows = pd.concat([rows, pooled]) if rows["source"].nunique() > 1 else pooled
    return rows.reset_index(drop=True)


def _of_vlm(vlm: str, found: dict[tuple[str, ...], Tally]) -> Iterator[Measurement]:
    nothing = next(iter(found.values())).nothing()
    strategies = [BESIDE, *sorted({key[2] for key in found} - {BESIDE})]
    heads = {(source, form, convention) for source, _, _, form, convention in found}
    for source, form, convention in sorted(heads, key=lambda head: (head[0] != POOLED, head)):
        for strategy in strategies:
            group = f"strategy: {strategy}{form}"
            of = {}
            for split in SPLITS:
                mine = found.get((source, split, BESIDE, form, convention))
                if mine is not None and strategy != BESIDE:
                    key = (source, split, strategy, form, convention)
                    mine = mine.beside(found.get(key, nothing))
                if mine is not None:
                    of[split] = mine
            for split, mine in of.items():
                head, tail = (vlm, KIND, source, split), (group, convention)
                yield from _rows(head, "none", tail, mine, _values(mine))
                if split != SPLITS[0] and SPLITS[0] in of:
                    yield from _rows(head, SPLITS[0], tail, mine, _drops(of[SPLITS[0]], mine))


_Valued = dict[str, tuple[float, np.ndarray, str | None]]
"""By metric: the value, its resamples, and why it is undefined."""


def _values(mine: Tally) -> _Valued:
    total = mine.counts.sum(axis=0)
    values, draws = rates(total), rates(mine.draws)
    return {
        name: (values[m], draws[:, m], undefined_reason(total, name))
        for m, name in enumerate(RATES)
    }


def _drops(reference: Tally, mine: Tally) -> _Valued:
    """ID minus the split, and how missing and inventing share it; resamples are paired."""
    base, here = _values(reference), _values(mine)
    drop = rates(reference.counts.sum(axis=0)) - rates(mine.counts.sum(axis=0))
    draws = rates(reference.draws) - rates(mine.draws)
    values = np.concatenate((drop, parts(drop)))
    drawn = np.concatenate((draws, parts(draws)), axis=1)
    found = {}
    for m, name in enumerate((*RATES, *PARTS)):
        rate = DEFINED_AS.get(name, name)
        reason = here[rate][2] or (base[rate][2] and f"{SPLITS[0]}: {base[rate][2]}")
        if name == "missing_share":
            reason = reason or _no_drop(interval(draws[:, RATES.index("accuracy")]))
        found[name] = (values[m], drawn[:, m], reason)
    return found


def _no_drop(drop: Interval) -> str | None:
    if drop.lower > 0:
        return None
    if drop.upper < 0:
        return "no drop: accuracy is higher than on ID"
    return "the interval of the drop contains 0" if drop.lower <= 0 else drop.reason


def _rows(
    head: tuple[str, str, str, str], contrast: str, tail: tuple[str, str], mine: Tally,
    valued: _Valued,
) -> Iterator[Measurement]:  # fmt: skip
    names = ("miss_rate",) if tail[0].startswith(f"strategy: {BESIDE}") else tuple(valued)
    for name in names:
        value, draws, reason = valued[name]
        on = RESTS_ON.get(name, [TP, FP, FN, TN])
        counts = mine.counts[:, on]
        lower, upper, width = interval(draws)
        if reason is not None:
            value, lower, upper = np.nan, np.nan, np.nan
        yield Measurement(
            *head, contrast, *tail, name, float(value), lower, upper, int(counts.sum()),
            int(mine.unread[on].sum()), int(counts.any(axis=1).sum()), reason or width,
        )  # fmt: skip
