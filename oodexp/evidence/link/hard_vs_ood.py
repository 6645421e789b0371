"""Link 7: OOD pairs are not merely hard ones (OODBench, D.1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from oodexp.error import OodexpError
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
from oodexp.evidence.exchange import exchanged, selection
from oodexp.evidence.focal import Mined, by_category, mine, overlap
from oodexp.evidence.hard import LeftTails, as_written, correlation, hard_draws, loss_of
from oodexp.metric.bootstrap import resample_weights
from oodexp.record import Finding
from oodexp.report.hard import Panel, draw_losses, draw_nulls

TAILS = {
    "variance": "the models' losses differ less on OOD than on hard samples",
    "pearson": "losses on OOD follow those on hard samples less than two hard draws do",
    "spearman": "ranks of losses on OOD follow those on hard samples less than two hard draws do",
}
BROKEN = (
    "few models: each is one point; models of one family are no independent points; a "
    "contrastive score in place of a model's own probability makes hard samples that are OOD"
)
OWN = (
    "the hard samples were mined with the answers of the tested models themselves: then the test "
    f"is not valid, use probability=score; {BROKEN}"
)
UNMEASURED = (
    "P(right) was not measured (see vlm.decode=logits): only right or wrong is known, and the "
    "share of right answers of all models stands for it; equal losses were drawn by lot"
)
SHARED = (
    f"{BROKEN}; the draws share their images with the hard samples, the OOD samples do not: two "
    "hard selections of one population are told apart in 20 to 70 % of cases at nominal 5 %"
)


@dataclass(frozen=True, slots=True)
class HardVsOod:
    """Losses of the models on mined hard samples and on OOD samples.

    Args:
        probability: Whose probability of the right answer mines: `score` (the scorers' mean S, no
            tested model's), or `answers` (of the VLMs that measured it, see `vlm.decode=logits`;
            else their share of right answers), with which no test is valid.
        k: Hard samples of each category; null for as many as there are OOD samples.
        gamma: Of the focal loss.
        resamples: Draws of hard samples, and exchanges.
        seed: Of all draws.
    """

    NEEDS: ClassVar[frozenset[str]] = frozenset({ANSWERS})

    probability: Literal["answers", "score"] = "score"
    k: int | None = None
    gamma: float = 2.0
    resamples: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        """Checks the numbers.

        Raises:
            OodexpError: If one is out of range.
        """
        if (self.k is not None and self.k < 1) or self.resamples < 100 or self.seed < 0:
            raise OodexpError(
                f"evidence.hard_vs_ood: k={self.k}, resamples={self.resamples}, seed={self.seed}: "
                "expected k >= 1 or null, at least 100 resamples, a seed >= 0"
            )

    def run(self, case: Case) -> Found:
        """See `base.Test`."""
        test, answers = case.test, case.answers
        used = test.drawn
        if answers is None or not (used & (test.split == 0)).any() or not (test.split > 0).any():
            why = "it takes answers about ID and about OOD pairs"
            return Found([_untested(why)])
        right, known = _right(answers.counts)
        rng = np.random.default_rng(self.seed)
        reference = right[:, used & (test.split == 0)].mean(axis=1)
        ood = used & (test.split > 0) & known
        mined, k = self._mined(case, right, ood, rng)
        hard = loss_of(right, reference, mined.chosen)
        lost = loss_of(right, reference, ood)
        weights = resample_weights(test.images, self.resamples, rng)
        draws = hard_draws(right, mined.loss, test.category, test.image, k, reference, weights, rng)
        paper = as_written(hard, lost, draws)
        valid = exchanged(
            selection(right, mined.chosen, test.image, test.images),
            selection(right, ood, test.image, test.images), reference, self.resamples, rng,
        )  # fmt: skip
        told = [*self._correlations(hard, lost), self._shared(mined, ood)]
        own = OWN if self.probability == "answers" else BROKEN
        forms = (("exchanged", valid, own), ("as written", paper, SHARED))
        for form, tails, broken in forms:
            told += self._tails(form, tails, len(right), int(ood.sum()), test.images, broken)
        lines = [f"{f.statistic}: {f.words}" for f in told[:2]]
        figures = {
            "losses": draw_losses(answers.vlms, hard, lost, lines),
            "tails": draw_nulls(_panels(paper)),
        }
        return Found(told, figures)

    def _mined(
        self, case: Case, right: np.ndarray, ood: np.ndarray, rng: np.random.Generator
    ) -> tuple[Mined, int | np.ndarray]:
        """The hard samples among all pairs that were asked about, and how many a category."""
        test, answers = case.test, case.answers
        assert answers is not None
        asked = answers.counts.sum(axis=(0, 2)) > 0
        measured = answers.probability[~np.isnan(answers.probability).all(axis=1)]
        why = None
        if self.probability == "score":
            each = test.score[None]
        elif len(measured):
            each = measured
        else:
            each, why = _told(answers.counts)[None], UNMEASURED
        each = np.where(asked, each, np.nan)
        wanted: int | np.ndarray = (
            np.bincount(test.category[ood], minlength=len(test.categories))
            if self.k is None
            else self.k
        )
        k = by_category(wanted, test.category)
        mined = mine(each, test.category, k, rng, self.gamma)
        return mined._replace(reason=why or mined.reason), k

    def _correlations(self, hard: np.ndarray, lost: np.ndarray) -> Iterator[Finding]:
        for name, ranks in (("Pearson", False), ("Spearman", True)):
            found = correlation(hard, lost, ranks)
            told = f"{found.value:+.2f}, {p_words(found.p)}, {found.n} models"
            missing = np.isnan(found.value)
            yield finding(
                "hard_vs_ood", "loss on hard and on OOD samples", f"{name} correlation",
                null="no correlation", value=found.value, p=found.p, n=found.n,
                verdict=NOT_TESTED if missing else ESTIMATE, assumption=BROKEN, reason=found.reason,
                words=found.reason or "undefined" if missing else told,
            )  # fmt: skip

    def _shared(self, mined: Mined, ood: np.ndarray) -> Finding:
        both = overlap(mined.chosen, ood)
        told = (
            f"{both.both} samples are hard and OOD, {100 * both.of_second:.0f} % of the OOD ones; "
            f"{both.by_chance:.0f} by chance"
        )
        return finding(
            "hard_vs_ood", "selections", "Jaccard index", value=both.jaccard,
            n=int(mined.chosen.sum()), verdict=ESTIMATE if both.reason is None else NOT_TESTED,
            words=both.reason or told, assumption=BROKEN, reason=both.reason or mined.reason,
        )  # fmt: skip

    def _tails(
        self, form: str, tails: LeftTails, models: int, pairs: int, images: int, broken: str
    ) -> Iterator[Finding]:
        for name, claim in TAILS.items():
            tail = getattr(tails, name)
            verdict = HOLDS if tail.p <= 0.05 else NOT_SHOWN
            missing = np.isnan(tail.p)
            yield finding(
                "hard_vs_ood", f"{name}, {form}", f"left tail of {name}", claim=claim,
                null="OOD samples are but hard samples", value=tail.observed, p=tail.p,
                p_floor=tail.p_floor, n=models, clusters=images, resamples=self.resamples,
                seed=self.seed, verdict=NOT_TESTED if missing else verdict, assumption=broken,
                words=tail.reason or "no p" if missing else f"{p_words(tail.p, tail.p_floor)}, "
                f"{models} models, {pairs} OOD pairs", reason=tail.reason,
            )  # fmt: skip


def _told(counts: np.ndarray) -> np.ndarray:
    """Share of right answers of all VLMs and questions of a pair, drawn towards a half, (pair,)."""
    right = (counts[..., 0] + counts[..., 3]).sum(axis=0)
    return np.asarray((right + 1) / (counts.sum(axis=(0, 2)) + 2))


def _untested(why: str) -> Finding:
    return finding(
        "hard_vs_ood", "all models", "left tails", claim=TAILS["variance"], verdict=NOT_TESTED,
        words=why, reason=why,
    )  # fmt: skip


def _right(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Share of right answers, (vlm, pair), 0 where nothing was asked; and where all were asked."""
    asked = counts.sum(axis=-1)
    right = counts[..., 0] + counts[..., 3]
    return np.where(asked > 0, right / np.maximum(asked, 1), 0.0), (asked > 0).all(axis=0)


def _panels(tails: LeftTails) -> list[Panel]:
    titles = {
        "variance": ("Variance over models", "variance of the loss"),
        "pearson": ("Pearson", "correlation with the loss on hard samples"),
        "spearman": ("Spearman", "rank correlation with the loss on hard samples"),
    }
    return [
        Panel(title, label, tail.draws, tail.observed, tail.p, tail.reason)
        for name, (title, label) in titles.items()
        for tail in [getattr(tails, name)]
    ]
