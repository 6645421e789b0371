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
    HOLDS,
    NOT_SHOWN,
    NOT_TESTED,
    Case,
    Found,
    finding,
    p_words,
)
from oodexp.metric.binary import METRICS
from oodexp.metric.bootstrap import resample_weights
from oodexp.record import SPLITS, Finding
from oodexp.report.comparison import Row, groups, pairs

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
        if len(vlms) < 2:
            why = f"{len(vlms)} models; two are needed"
            return Found([finding("comparison", "models", self.metric, claim="models differ",
                                  verdict=NOT_TESTED, words=why, reason=why)])  # fmt: skip
        counts, rng = case.by_image(), np.random.default_rng(self.seed)
        weights = resample_weights(case.test.images, self.resamples, rng)
        findings: list[Finding] = []
        tables = []
        for split in self.splits:
            mine = counts[:, :, SPLITS.index(split)].transpose(1, 0, 2)
            found = pairs_of.compare(mine, self.metric, weights, self.resamples, rng)
            findings += self._findings(split, vlms, found)
            rows = [
                Row(vlms[p.first], vlms[p.second], p.difference, p.lower, p.upper, p.detectable,
                    p.p, p.holm, p.bh, p.reason) for p in found.pairs
            ]  # fmt: skip
            title, alike = f"{self.metric} on {split}", pairs_of.alike(found)
            test = found.pairs[0].test
            tables.append(pairs(title, rows, found.questions, found.images, test))
            tables.append(groups(title, vlms, found.values, alike.letters, found.reasons))
        return Found(findings, tables=tables)

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
