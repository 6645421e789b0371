"""What tests of evidence came to, and what was left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Finding:
    """What one test or estimate of the evidence came to (OODBench, IV and appendices C, D)."""

    KEY: ClassVar[tuple[str, ...]] = ("test", "subject", "statistic")

    test: str
    """Name of the test, e.g. `overlap`, `equivalence`, `degradation`, `permutation`."""
    subject: str
    """What it is about: a model and metric, two splits, two models."""
    claim: str
    """What would be shown."""
    null: str
    """The hypothesis that has to be rejected for it; empty for an estimate."""
    statistic: str
    """Name of the value."""
    value: float | None
    """The statistic; null when undefined."""
    lower: float | None
    """Lower end of the interval; null when there is none."""
    upper: float | None
    """Upper end of the interval; null when there is none."""
    level: float | None
    """Confidence of the interval, e.g. 0.95; null without interval."""
    bound: float | None
    """What the value or interval is held against (epsilon, xi, eta); null when nothing."""
    p: float | None
    """p-value, > 0; null when the finding is no test or could not be computed."""
    p_floor: float | None
    """Smallest p that the number of resamples allows, 1 / (B + 1); null for other tests."""
    n: int
    """Number of observations: questions, pairs or models, as the statistic says."""
    clusters: int
    """Number of images that they lie on; 0 where images play no part."""
    resamples: int | None
    """Number B of resamples or permutations; null when there are none."""
    seed: int | None
    """Seed of the resamples; null when there are none."""
    verdict: str
    """`holds`, `not shown`, `contradicted`, `not tested`; `estimate` where nothing is claimed."""
    words: str
    """The verdict as a sentence."""
    assumption: str
    """What would break it."""
    reason: str | None
    """Why the value, the interval or the p-value is null."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that was left out, and why: never silent, never the end of the rest."""

    KEY: ClassVar[tuple[str, ...]] = ("stage", "part", "source", "image_id", "subject", "reason")

    stage: str
    """Where it was met: `source`, `decode`, `scorer`, `vlm`, ..."""
    part: str
    """Name of the scorer or VLM concerned; empty when none is."""
    source: str
    """Name of the data set."""
    image_id: str
    """Id of the image; empty when the problem is not one image's."""
    subject: str
    """The file, field or category concerned."""
    reason: str
    """What is wrong, what was expected."""
