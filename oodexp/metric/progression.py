"""E-Acc, C-Acc and L-Acc per VLM and split, beside the best constant answer (OODBench, II)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from oodexp import table
from oodexp.error import OodexpError
from oodexp.metric.base import Evidence, check_readers
from oodexp.metric.binary import FN, TP
from oodexp.metric.bootstrap import Draws, interval
from oodexp.metric.chain import COLUMNS, Rule, breaks, constant, points
from oodexp.metric.tally import Tally, tallies
from oodexp.record import SPLITS, Measurement

KIND = "progression"
POOLED = "pooled"
SAMPLE = ["source", "image_id", "split"]
KEYS = ["source", "split", "convention", "metric"]
CONSTANT = "constant"


class Progression:
    """BAP's accuracies; clusters are images.

    Conventions: `headline` and `paper` by reader, an unread answer is wrong in both; `constant` is
    what the best constant answer would earn (see `chain.constant`).

    Args:
        headline: Name of the reader of the headline.
        paper: Name of the reader with the authors' rule for yes and no.
        existence: See `chain.Rule`.
        counting: See `chain.Rule`.
        unit: See `chain.Rule`.
        resamples: Bootstrap resamples.
        seed: Seed of the bootstrap.
    """

    def __init__(
        self, headline: str, paper: str, existence: str = "both", counting: str = "progressive",
        unit: str = "mixed", resamples: int = 2000, seed: int = 0,
    ) -> None:  # fmt: skip
        if resamples < 100 or seed < 0:
            raise OodexpError(
                f"metric.resamples={resamples}, metric.seed={seed}: expected at least 100, and a "
                "number >= 0"
            )
        self._readers = {"headline": headline, "paper": paper}
        self._rule = Rule(existence, counting, unit)
        self._resamples = resamples
        self._seed = seed

    def measure(self, evidence: Evidence) -> pd.DataFrame:
        """See `base.Metric`; rows by VLM, source, split, metric and convention.

        Raises:
            OodexpError: If a reader that was named gave no answers while others did.
        """
        check_readers(evidence, self._readers)
        asked = ["question_id", *SAMPLE, "category", "other", "polarity", "target"]
        samples = _samples(evidence.questions[asked])
        if not len(samples):
            return table.frame(Measurement)
        samples["image"] = pd.factorize(samples["source"] + "\0" + samples["image_id"], sort=True)[
            0
        ]
        draws = Draws(int(samples["image"].max()) + 1, self._resamples, self._seed)
        fixed = _constants(samples, self._rule)
        found: list[Measurement] = []
        answers = evidence.answers[["vlm", "reader", "question_id", "reading", "correct"]]
        for vlm, mine in answers.groupby("vlm", sort=True):
            parts = []
            for convention, reader in self._readers.items():
                parts.append(
                    _earned(samples, mine[mine["reader"] == reader], self._rule, convention)
                )
            found += _measurements(
                str(vlm),
                tallies(
                    pd.concat([fixed, _pooled(pd.concat(parts))], ignore_index=True), KEYS, draws
                ),
            )
        return table.frame(Measurement, found)


def _samples(questions: pd.DataFrame) -> pd.DataFrame:
    """A row a sample: its seven questions by number, counts of both categories, the comparison."""
    asked = questions.set_index([*SAMPLE, "category", "polarity"])
    logic = questions[questions["polarity"] == "compare"].reset_index(drop=True)
    places = [("category", p) if n % 2 == 0 else ("other", p) for n, p in enumerate(COLUMNS)]
    found: dict[str, object] = {}
    for n, (which, polarity) in enumerate(places[:-1]):
        keys = pd.MultiIndex.from_frame(logic[[*SAMPLE, which]].assign(polarity=polarity))
        rows = asked.loc[keys]
        found[f"q{n}"] = rows["question_id"].to_numpy()
        if polarity == "count":
            found["first" if n % 2 == 0 else "second"] = rows["target"].astype(int).to_numpy()
    found["q6"] = logic["question_id"]
    return logic[SAMPLE].assign(**found, greater=logic["target"] == "yes")


def _earned(
    samples: pd.DataFrame, answers: pd.DataFrame, rule: Rule, convention: str
) -> pd.DataFrame:
    """The points of one VLM and reader, a row each, with the unread answers of their level."""
    by_question = answers.set_index("question_id")
    columns = [samples[f"q{n}"] for n in range(len(COLUMNS))]
    # A question without an answer is unread: NaN, as a bool, would be right.
    correct = by_question["correct"]
    right = np.stack([correct.reindex(c, fill_value=False).to_numpy(bool) for c in columns], 1)
    unread = np.stack([by_question["reading"].reindex(c).isna().to_numpy() for c in columns], 1)
    lost = {name: unread[:, of] for name, of in rule.columns.items()}
    return _long(samples, points(right, rule) | breaks(right, rule), convention, lost)


def _constants(samples: pd.DataFrame, rule: Rule) -> pd.DataFrame:
    """The points of the best constant answers of each source and split, and of all pooled."""
    parts = []
    for _, mine in _pooled(samples).groupby(["source", "split"]):
        counts = mine[["first", "second"]].to_numpy()
        earned = constant(counts, mine["greater"].to_numpy(dtype=bool), rule)
        parts.append(_long(mine, earned, CONSTANT, {}))
    return pd.concat(parts)


def _long(
    samples: pd.DataFrame, earned: Mapping[str, np.ndarray], convention: str,
    unread: Mapping[str, np.ndarray],
) -> pd.DataFrame:  # fmt: skip
    """A row a point, as `tallies` takes them; unread answers are rows that do not count."""
    parts = []
    for metric, values in [*earned.items(), *unread.items()]:
        counts = metric in earned and values is earned[metric]
        repeated = samples[[*SAMPLE, "image"]].loc[samples.index.repeat(values.shape[1])]
        flat = values.reshape(-1)
        part = repeated.assign(
            convention=convention, metric=metric, truth=True, used=counts,
            asserted=flat if counts else False, unread=False if counts else flat,
        )  # fmt: skip
        parts.append(part if counts else part[flat])
    return pd.concat(parts)


def _pooled(rows: pd.DataFrame) -> pd.DataFrame:
    pooled = rows.assign(source=POOLED)
    both = pd.concat([rows, pooled]) if rows["source"].nunique() > 1 else pooled
    return both.reset_index(drop=True)


def _measurements(vlm: str, found: dict[tuple[str, ...], Tally]) -> Iterator[Measurement]:
    order = sorted(found, key=lambda key: (key[0] != POOLED, key[0], SPLITS.index(key[1]), key[2:]))
    for source, split, convention, metric in order:
        mine = found[source, split, convention, metric]
        head = (vlm, KIND, source, split)
        tail = (convention, metric)
        yield _row(head, "none", tail, mine, _share(mine.counts.sum(axis=0)), _share(mine.draws))
        base = found.get((source, SPLITS[0], convention, metric))
        if split != SPLITS[0] and base is not None and convention != CONSTANT:
            drop = _share(base.counts.sum(axis=0)) - _share(mine.counts.sum(axis=0))
            draws = _share(base.draws) - _share(mine.draws)
            yield _row(head, SPLITS[0], tail, mine, drop, draws)


def _share(counts: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        share: np.ndarray = counts[..., TP] / (counts[..., TP] + counts[..., FN])
    return share


def _row(
    head: tuple[str, str, str, str], contrast: str, tail: tuple[str, str], mine: Tally,
    value: np.ndarray, draws: np.ndarray,
) -> Measurement:  # fmt: skip
    lower, upper, reason = interval(draws)
    return Measurement(
        *head, contrast, "all", *tail, float(value), lower, upper, int(mine.counts.sum()),
        int(mine.unread[FN]), int(mine.counts.any(axis=1).sum()), reason,
    )  # fmt: skip
