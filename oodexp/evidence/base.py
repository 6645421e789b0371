"""What every test of the evidence gets, and what it gives: findings, never a bare p."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from oodexp.record import SPLITS, Finding, Problem

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.table import Table

    from oodexp.corpus.base import Corpus

HOLDS, NOT_SHOWN, CONTRADICTED, NOT_TESTED = "holds", "not shown", "contradicted", "not tested"
ESTIMATE = "estimate"
"""Verdicts. `contradicted`: the data speak for the opposite, not merely too softly.
`estimate`: a number that claims nothing."""

TEST, TRAIN, ANSWERS, FEATURES, CORPORA = "test", "train", "answers", "features", "corpora"
"""What a test may need of a case."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The present pairs of one side, divided; pairs in no split are left out."""

    sources: list[str]
    """Names of the data sets."""
    keys: list[str]
    """Id of each image within its data set, (image,)."""
    files: list[str]
    """File of each image, (image,): corpora name images by it."""
    source: np.ndarray
    """Number of each image's data set, int64, (image,)."""
    image: np.ndarray
    """Image of each pair, int64, (pair,)."""
    categories: list[str]
    """Category texts."""
    category: np.ndarray
    """Number of each pair's category, int64, (pair,); the same numbers on both sides."""
    split: np.ndarray
    """0, 1, 2 by `record.SPLITS`, int64, (pair,)."""
    drawn: np.ndarray
    """Whether the pair is in the benchmark, bool, (pair,)."""
    score: np.ndarray
    """Mean S of the scorers, in [0, 1], (pair,): how likely they think the object is seen."""
    features: np.ndarray | None = None
    """Image features, float32, (image, d); NaN where an image could not be read."""

    @property
    def images(self) -> int:
        """Number of images."""
        return len(self.keys)


@dataclass(frozen=True, slots=True)
class Answers:
    """What the VLMs said of the pairs of the test side."""

    vlms: list[str]
    """Names of the VLMs."""
    counts: np.ndarray
    """tp, fp, fn, tn of each pair's questions, int64, (vlm, pair, 4); an unread answer is wrong;
    zeros where nothing was asked."""
    unread: np.ndarray
    """Unread answers, int64, (vlm, pair)."""
    probability: np.ndarray
    """Mean probability of the right answer over a pair's questions, (vlm, pair); NaN where it was
    not measured (see `vlm.decode=logits`)."""


@dataclass(frozen=True, slots=True)
class Case:
    """Everything that is at hand; what no chosen test needs is None or empty."""

    test: Sample
    """The pairs that are asked about."""
    train: Sample | None = None
    """Pairs of the training split, by the same division rules."""
    answers: Answers | None = None
    """Answers about the pairs of `test`."""
    corpora: Mapping[str, Corpus] = field(default_factory=dict)
    """Training corpora by name."""

    def by_image(self) -> np.ndarray:
        """Counts of drawn pairs by image: int64, (image, vlm, split, 4)."""
        if self.answers is None:
            raise ValueError("no answers at hand; name ANSWERS among the needs of the test")
        test, counts = self.test, self.answers.counts
        found = np.zeros((test.images, len(SPLITS), len(counts), 4), dtype=np.int64)
        mine = test.drawn
        np.add.at(found, (test.image[mine], test.split[mine]), counts[:, mine].transpose(1, 0, 2))
        return found.transpose(0, 2, 1, 3)


@dataclass(frozen=True, slots=True)
class Found:
    """What a test came to."""

    findings: list[Finding]
    """One a statistic and subject."""
    figures: dict[str, Figure] = field(default_factory=dict)
    """By name."""
    tables: list[Table] = field(default_factory=list)
    """To be printed beside the findings."""
    problems: list[Problem] = field(default_factory=list)
    """What was left out, and why."""


class Test(Protocol):
    """A link of the chain of evidence; one Python file and one YAML file."""

    NEEDS: ClassVar[frozenset[str]]
    """What of a case it looks at: some of TEST, TRAIN, ANSWERS, FEATURES, CORPORA."""

    def run(self, case: Case) -> Found:
        """Tests; degenerate data give findings with a reason, never an error."""


@runtime_checkable
class Choosy(Protocol):
    """Optional: a test that names VLMs, and says so before anything expensive."""

    def check(self, vlms: Sequence[str]) -> None:
        """Looks for the VLMs that it names.

        Raises:
            OodexpError: If one of them is not chosen.
        """


def finding(test: str, subject: str, statistic: str, **more: Any) -> Finding:
    """A finding; what is not given is null, and NaN is null.

    Args:
        test: See `record.Finding`.
        subject: See `record.Finding`.
        statistic: See `record.Finding`.
        more: Any other fields.
    """
    empty: dict[str, Any] = dict.fromkeys(
        ("value", "lower", "upper", "level", "bound", "p", "p_floor", "resamples", "seed", "reason")
    )
    plain = {"claim": "", "null": "", "assumption": "", "n": 0, "clusters": 0}
    values = empty | plain | {name: _plain(value) for name, value in more.items()}
    return Finding(test=test, subject=subject, statistic=statistic, **values)


def p_words(p: float, floor: float | None = None) -> str:
    """A p-value as it may be printed: never 0.

    >>> p_words(0.0005, 0.0005), p_words(0.034)
    ('p <= 0.0005', 'p = 0.034')
    """
    if math.isnan(p):
        return "no p"
    sign = "<=" if floor is not None and p <= floor * (1 + 1e-9) else "="
    return f"p {sign} {p:.2g}"


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and math.isnan(value) else value
