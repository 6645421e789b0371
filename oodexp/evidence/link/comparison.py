"""Comparison of the models: which can be told apart on which split, and what could have been."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from oodexp.error import OodexpError
from oodexp.evidence import comparison as pairs_of
from oodexp.evidence.base import (
    ANSWERS,
    ESTIMATE,
    HOLDS,
    NOT_SHOWN,
    NOT_TESTED,
    Case,
    Found,
    finding,
    p_words,
)
from oodexp.evidence.loss import LossPair, loss_pairs
from oodexp.metric.binary import METRICS
from oodexp.metric.bootstrap import resample_weights
from oodexp.record import SPLITS, Finding
from oodexp.report.comparison import Lost, Row, groups, losses, pairs

BROKEN = "images that are no independent draws, e.g. frames of one drive"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Every pair of models on every split.

    Args:
        metric: One of the binary metrics.
        splits: Where they are compared.
        resamples: Bootstrap resamples over images, and exchanges.
        seed: Of all draws.
    """

    NEEDS: ClassVar[frozenset[str]] = frozenset({ANSWERS})

    metric: str = "accuracy"
    splits: Sequence[str] = SPLITS
    resamples: int = 2000
    seed: int = 0

    def __post_init__(self) -> None:
        """Checks the options.

        Raises:
            OodexpError: If one is not one of its values.
        """
        if self.metric not in METRICS or set(self.splits) - set(SPLITS):
            raise OodexpError(
                f"evidence.comparison: metric={self.metric}, splits={list(self.splits)}: expected "
                f"one of {METRICS}, and some of {SPLITS}"
            )
        if self.resamples < 100 or self.seed < 0:
            raise OodexpError(
                f"evidence.comparison: resamples={self.resamples}, seed={self.seed}: expected at "
                "least 100, and a seed >= 0"
            )

    def run(self, case: Case) -> Found:
        """See `base.Test`."""
        vlms = [] if case.answers is None else case.answers.vlms
        return self.among(vlms, case.by_image() if len(vlms) > 1 else np.zeros((0, 0, 0, 4)))

    def among(self, names: Sequence[str], counts: np.ndarray, where: str = "") -> Found:
        """All pairs of models, however their answers were come by.

        Args:
            names: Names of the models.
            counts: tp, fp, fn, tn by image, int64, (image, model, split, 4), splits as
                `record.SPLITS`.
            where: Put behind the name of each split.
        """
        if len(names) < 2:
            why = f"{len(names)} models; two are needed"
            return Found([finding("comparison", "models", self.metric, claim="models differ",
                                  verdict=NOT_TESTED, words=why, reason=why)])  # fmt: skip
        rng = np.random.default_rng(self.seed)
        weights = resample_weights(len(counts), self.resamples, rng)
        findings: list[Finding] = []
        tables = []
        for split in self.splits:
            mine = counts[:, :, SPLITS.index(split)].transpose(1, 0, 2)
            found = pairs_of.compare(mine, self.metric, weights, self.resamples, rng)
            findings += self._findings(f"{split}{where}", names, found)
            rows = [
                Row(names[p.first], names[p.second], p.difference, p.lower, p.upper, p.detectable,
                    p.p, p.holm, p.bh, p.reason) for p in found.pairs
            ]  # fmt: skip
            title, alike = f"{self.metric} on {split}{where}", pairs_of.alike(found)
            test = " or ".join(dict.fromkeys(p.test for p in found.pairs))
            tables.append(pairs(title, rows, found.questions, found.images, test))
            tables.append(groups(title, names, found.values, alike.letters, found.reasons))
        for split in (s for s in self.splits if s != SPLITS[0]):
            lost = loss_pairs(counts, SPLITS.index(split), self.metric, weights)
            findings += self._losses(f"{split}{where}", names, lost, counts)
            rows_of = [
                Lost(names[p.first], names[p.second], *p.losses, p.difference, p.lower, p.upper,
                     p.reason) for p in lost
            ]  # fmt: skip
            title = f"loss of {self.metric} from {SPLITS[0]} to {split}{where}"
            tables.append(losses(title, rows_of))
        return Found(findings, tables=tables)

    def _losses(
        self, split: str, names: Sequence[str], lost: Sequence[LossPair], counts: np.ndarray
    ) -> Iterator[Finding]:
        for pair in lost:
            first, second = names[pair.first], names[pair.second]
            told = (
                f"{first} loses {pair.losses[0]:.3f}, {second} {pair.losses[1]:.3f}, "
                f"{pair.difference:+.3f} ({pair.lower:+.3f} to {pair.upper:+.3f})"
            )
            yield finding(
                "comparison", f"{first} and {second}, {split}", f"difference of the loss of "
                f"{self.metric}", value=pair.difference, lower=pair.lower, upper=pair.upper,
                level=0.95, n=int(counts[:, pair.first].sum()),
                clusters=int(counts.any(axis=(1, 2, 3)).sum()), resamples=self.resamples,
                seed=self.seed, verdict=ESTIMATE, assumption=BROKEN, reason=pair.reason,
                words=pair.reason if np.isnan(pair.difference) else told,
            )  # fmt: skip

    def _findings(
        self, split: str, vlms: Sequence[str], found: pairs_of.Comparison
    ) -> Iterator[Finding]:
        for pair in found.pairs:
            missing = np.isnan(pair.holm)
            verdict = HOLDS if pair.holm <= pairs_of.LEVEL else NOT_SHOWN
            told = (
                f"{pair.difference:+.3f}, {p_words(pair.holm)} by Holm, {p_words(pair.bh)} by "
                f"Benjamini-Hochberg; a true difference of {pair.detectable:.3f} would be found "
                "four times of five"
            )
            yield finding(
                "comparison", f"{vlms[pair.first]} and {vlms[pair.second]}, {split}",
                f"difference of {self.metric}", claim="the two models differ",
                null="they do not", value=pair.difference, lower=pair.lower, upper=pair.upper,
                level=0.95, bound=pair.detectable, p=pair.holm, n=found.questions,
                clusters=found.images, resamples=self.resamples, seed=self.seed,
                verdict=NOT_TESTED if missing else verdict, assumption=BROKEN, reason=pair.reason,
                words=pair.reason or "not tested" if missing else told,
            )  # fmt: skip
