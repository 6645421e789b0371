"""Trials of ablations: other settings over the same scores and answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Trial:
    """One trial of an ablation: other settings over the same scores and answers."""

    KEY: ClassVar[tuple[str, ...]] = ("study", "trial")

    study: str
    """Name of the study."""
    trial: int
    """Number of the trial in its study, from 0."""
    label: str
    """The settings in a few words, e.g. `T=0.05`."""
    settings: str
    """The settings, JSON."""
    objectives: str
    """Value of each objective, JSON; null where it has none."""
    state: str
    """`complete`, `undefined`, `failed` or `lost`."""
    front: bool
    """Whether no other trial of the study is better in one objective and as good in the others."""
    run_id: str
    """Id of the tracked run that holds the trial."""
    reason: str | None
    """Why an objective has no value."""


@dataclass(frozen=True, slots=True)
class TrialValue:
    """A metric of a VLM in one trial, with its interval."""

    KEY: ClassVar[tuple[str, ...]] = ("study", "trial", "vlm", "row", "contrast", "mix", "metric")

    study: str
    """Name of the study."""
    trial: int
    """Number of the trial."""
    vlm: str
    """Name of the VLM."""
    row: str
    """A split; `drop/<split>`, ID minus it; or `gap`, OOD-S minus OOD-H."""
    contrast: str
    """`none` for the value itself; the label of another trial for the difference to that trial."""
    mix: str
    """`own` for the split as it is; `planted`, `size`, `count` for its pairs re-weighted to how all
    scored pairs are mixed in these groups."""
    metric: str
    """`accuracy`, `precision`, `recall`, `f1` or `mcc`."""
    value: float | None
    """The metric as a fraction; null when undefined."""
    lower: float | None
    """Lower end of the 95 % interval from a bootstrap over images, the same draws in all trials."""
    upper: float | None
    """Upper end of the 95 % interval."""
    n: int
    """Number of questions the value rests on (of both splits, for a difference of splits)."""
    n_unread: int
    """How many of the asked questions have no reading."""
    covered: float
    """Share of all scored pairs whose group every split of the trial has; 1 for the own mix."""
    reason: str | None
    """Why the value or its interval is null."""


@dataclass(frozen=True, slots=True)
class TrialMix:
    """What the pairs of one split are in one trial: a loss may come from the mix alone."""

    KEY: ClassVar[tuple[str, ...]] = ("study", "trial", "split")

    study: str
    """Name of the study."""
    trial: int
    """Number of the trial."""
    split: str
    """`ID`, `OOD-S` or `OOD-H`."""
    pairs: int
    """Present pairs by the division."""
    drawn: int
    """Pairs in the benchmark, of which all below speaks."""
    images: int
    """Number of images that they are about."""
    area: float | None
    """Median area of a pair's largest instance in square pixels; null where none is annotated."""
    count: float | None
    """Mean number of instances; null where none is known."""
    entropy: float | None
    """Entropy of the categories in bits; null without pairs."""
    categories: int
    """Number of categories that occur."""
    shares: str
    """Share of each composition group, JSON."""
    distance: str
    """Share of pairs that would have to change group to be mixed as all scored pairs, by grouping,
    JSON."""
