"""Link 1: models have not been taught the OOD pairs (OODBench, IV and C.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from oodexp.corpus.base import Lost
from oodexp.error import OodexpError
from oodexp.evidence.base import (
    CONTRADICTED,
    CORPORA,
    ESTIMATE,
    HOLDS,
    NOT_SHOWN,
    NOT_TESTED,
    TRAIN,
    Case,
    Found,
    Sample,
    finding,
)
from oodexp.evidence.mention import Finder
from oodexp.evidence.overlap import Coverage, cover, measure, population, union
from oodexp.evidence.registry import Model, models, searched
from oodexp.evidence.synonym import names
from oodexp.evidence.wordnet import lemmas
from oodexp.record import Finding
from oodexp.report.waiting import waiting

if TYPE_CHECKING:
    from oodexp.corpus.base import Corpus
    from oodexp.evidence.overlap import Overlap as Rate
    from oodexp.evidence.proportion import Side

GROUPS = {"OOD": (1, 2), "OOD-S": (1,), "OOD-H": (2,), "ID": (0,)}
"""Splits whose pairs are counted together."""
BROKEN = (
    "a synonym that is not looked for, or training images that the corpora do not name, would "
    "make the overlap look smaller than it is; models that share corpora are no independent draws"
)


@dataclass(frozen=True, slots=True)
class Overlap:
    """Overlap of the training split's pairs with the corpora of each audited model.

    Args:
        registry: `models` (published ones) or `miniature_models`.
        more: A YAML file with further models, or null.
        synonyms: `coco`, a CSV or JSON file, names by category, or null for names and plurals only.
        wordnet: Folder of WordNet's dict files for further synonyms, or null.
        epsilon: Largest overlap rate at which pairs count as new to a model.
        confidence: Of the upper bound.
        side: `one` or `two`.
    """

    NEEDS: ClassVar[frozenset[str]] = frozenset({TRAIN, CORPORA})

    registry: str = "models"
    more: str | None = None
    synonyms: Mapping[str, Sequence[str]] | str | None = None
    wordnet: str | None = None
    epsilon: float = 0.05
    confidence: float = 0.95
    side: Side = "one"

    def __post_init__(self) -> None:
        """Reads the registry: a mistake in it shows before anything expensive.

        Raises:
            OodexpError: If it cannot be read, or a number is out of range.
        """
        models(self.more, self.registry)
        if not 0 <= self.epsilon <= 1 or not 0 < self.confidence < 1:
            raise OodexpError(
                f"evidence.overlap: epsilon={self.epsilon}, confidence={self.confidence}: expected "
                "fractions, as 0.05 and 0.95"
            )

    def run(self, case: Case) -> Found:
        """See `base.Test`."""
        train = case.train
        if train is None or not len(train.image):
            return Found([self._untested("no pair of a training split is at hand")])
        known = models(self.more, self.registry)
        plans = {model.name: searched(model, list(case.corpora)) for model in known}
        wanted = dict.fromkeys(part for plan in plans.values() for part in plan.parts)
        lost = {name: Lost(name) for name in wanted}
        covered = {n: self._cover(train, case.corpora[n], lost[n]) for n in wanted}
        found: list[Finding] = []
        verdicts: dict[str, list[bool | None]] = {group: [] for group in GROUPS}
        for model in known:
            plan = plans[model.name]
            if plan.reason is not None:
                found.append(self._without(model, plan.reason))
                verdicts = {g: [*v, None] if model.included else v for g, v in verdicts.items()}
                continue
            whole = union([covered[name] for name in plan.parts])
            for group, rate in self._rates(train, whole):
                verdicts[group].append(rate.out)
                found.append(self._finding(model.name, group, rate))
        problems = [problem for one in lost.values() for problem in one.problems()]
        return Found([*found, *self._population(verdicts["OOD"])], problems=problems)

    def _cover(self, train: Sample, corpus: Corpus, lost: Lost) -> Coverage:
        more = None if self.wordnet is None else lemmas(self.wordnet, train.categories)
        finder = Finder(*names(train.categories, self.synonyms, more))
        keys = [corpus.key(file) for file in train.files]
        pairs = [keys[n] for n in train.image], [train.categories[c] for c in train.category]
        with waiting(f"texts of {corpus.name}", None) as advance:

            def texts() -> Iterator[tuple[str, str]]:
                for number, text in enumerate(corpus.read(lost)):
                    if number % 100_000 == 0:
                        advance()
                    yield text.image, text.text

            return cover(*pairs, texts(), finder)

    def _rates(self, train: Sample, whole: Coverage) -> Iterator[tuple[str, Rate]]:
        for group, codes in GROUPS.items():
            mine = np.isin(train.split, codes)
            part = whole._replace(seen=whole.seen[mine], covered=whole.covered[mine])
            images = [str(n) for n in train.image[mine]]
            yield group, measure(part, images, self.epsilon, self.confidence, self.side)

    def _finding(self, model: str, group: str, rate: Rate) -> Finding:
        claim = f"{group} pairs are new to {model}" if group != "ID" else ""
        verdict, words = self._judged(group, rate)
        return finding(
            "overlap", f"{model}, {group}", "overlap rate", claim=claim,
            null=f"the overlap rate is above {self.epsilon:g}" if claim else "",
            value=rate.rate, lower=rate.bounds.lower, upper=rate.bounds.upper,
            level=self.confidence, bound=self.epsilon, n=rate.pairs, clusters=rate.images,
            verdict=verdict, words=words, assumption=BROKEN, reason=rate.reason,
        )  # fmt: skip

    def _judged(self, group: str, rate: Rate) -> tuple[str, str]:
        told = (
            f"{rate.covered} of {rate.pairs} pairs are named in a text of their image; upper bound "
            f"{_percent(rate.bounds.upper)} by pairs, {_percent(rate.clustered.upper)} by images"
        )
        if rate.unseen:
            told += f"; {rate.unseen} pairs lie on images that no corpus has"
        if rate.clustered_out is None or rate.unseen == rate.pairs:
            return NOT_TESTED, rate.reason or rate.clustered.reason or told
        if group == "ID":
            return ESTIMATE, told
        if rate.clustered_out:
            return HOLDS, told
        far = rate.clustered.lower > self.epsilon
        return (CONTRADICTED if far else NOT_SHOWN), told

    def _population(self, verdicts: Sequence[bool | None]) -> Iterator[Finding]:
        whole = population(verdicts, self.confidence)
        for bound in whole.bounds:
            share = whole.out / whole.models if whole.models else np.nan
            verdict = HOLDS if bound.lower > 0.5 else NOT_SHOWN
            told = f"{whole.out} of {whole.models} models, {whole.without} without a verdict"
            yield finding(
                "overlap", f"audited models: {bound.label}", "share of models",
                claim="OOD pairs are new to most such models", null="to at most half of them",
                value=share, lower=bound.lower, upper=bound.upper, level=bound.confidence,
                bound=0.5, n=whole.models, reason=whole.reason or bound.reason,
                verdict=verdict if whole.models else NOT_TESTED, assumption=BROKEN,
                words=f"{told}; at least {_percent(bound.lower)} of such models",
            )  # fmt: skip

    def _without(self, model: Model, reason: str) -> Finding:
        return finding(
            "overlap", f"{model.name}, OOD", "overlap rate", verdict=NOT_TESTED, words=reason,
            claim=f"OOD pairs are new to {model.name}", assumption=BROKEN, reason=reason,
        )  # fmt: skip

    def _untested(self, reason: str) -> Finding:
        return finding(
            "overlap", "all models, OOD", "overlap rate", verdict=NOT_TESTED, words=reason,
            claim="OOD pairs are new to the audited models", assumption=BROKEN, reason=reason,
        )  # fmt: skip


def _percent(value: float) -> str:
    return "-" if np.isnan(value) else f"{100 * value:.1f} %"
