"""What people say of sampled pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

VERDICTS = ("yes", "no", "unsure")
"""What a person can say to "is it visible?"."""

REASONS = ("contextually weak", "morphologically shifted", "wrong label", "other")
"""Why: the two types of OODBench, an annotation that is wrong, anything else."""

OUTCOMES = ("accepted", "rejected", "unsure", "tie", "unrated")
"""What the verdicts on a pair come to, the first three in the order of `VERDICTS`."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one person said last of one pair, not knowing its split or scores."""

    KEY: ClassVar[tuple[str, ...]] = ("rater", "source", "image_id", "category")

    rater: str
    """The name that the person chose."""
    source: str
    """Name of the data set."""
    image_id: str
    """Id of the image within the source."""
    category: str
    """Category text of the pair."""
    verdict: str
    """`yes` (the category is visible), `no` or `unsure`."""
    reason: str | None
    """One of `REASONS`; null when none was given."""
    note: str | None
    """What the person wrote; null when nothing."""
    seconds: float | None
    """How long the image was looked at before the verdict; null when it is not known."""
    at: str | None
    """When it was given, UTC, ISO 8601; null when it is not known."""
    sample: str | None
    """Digest of the sample that the pair was shown in; null for verdicts made elsewhere."""
    rule: str | None
    """Version of the question and keys that were shown; null for verdicts made elsewhere."""


@dataclass(frozen=True, slots=True)
class Review:
    """A sampled pair, and what all verdicts on it come to."""

    KEY: ClassVar[tuple[str, ...]] = ("source", "image_id", "category")

    source: str
    """Name of the data set."""
    image_id: str
    """Id of the image within the source."""
    category: str
    """Category text of the pair."""
    split: str
    """`ID`, `OOD-S` or `OOD-H`; no rater saw it."""
    stratum: str
    """Group that the pair was sampled from: split and source, or split, source and category."""
    population: int
    """Number of pairs in the stratum, >= 1."""
    yes: int
    """Number of raters who said yes."""
    no: int
    """Number of raters who said no."""
    unsure: int
    """Number of raters who said unsure."""
    outcome: str
    """What most raters said: `accepted`, `rejected`, `unsure`; `tie` where no verdict has most
    votes; `unrated` without any."""
    annotation: str
    """The same of the annotation: `rejected` where most say no or give the reason `wrong label`."""
    reason: str | None
    """The reason that most raters gave, of those who gave one; `several` where none has most;
    null without any."""
