"""What scorers say of pairs and concepts, and where these belong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from oodexp.record.code import Float32


@dataclass(frozen=True, slots=True)
class Score:
    """A scorer's logit for one cell of the matrix (image, category); table `scores/<scorer>`."""

    KEY: ClassVar[tuple[str, ...]] = ("source", "image_id", "category")

    source: str
    """Name of the data set."""
    image_id: str
    """Id of the image within the source."""
    category: str
    """Category text."""
    fingerprint: str
    """Digest of all that can change a logit of this scorer; `fingerprints/<scorer>.json` of the run
    spells it out."""
    presence: str
    """`present`, `absent` or `unknown`, by annotation."""
    logit: Float32 | None
    """Scaled image-text logit, higher is a better match; null when unscored."""
    reason: str | None
    """Why the logit is null, e.g. `NaN` or `unreadable: ...`."""


@dataclass(frozen=True, slots=True)
class Signal:
    """What one scorer says of one present pair (OODBench, III-D, eq. 15 and 24)."""

    KEY: ClassVar[tuple[str, ...]] = ("scorer", "source", "image_id", "category")

    scorer: str
    """Name of the scorer."""
    source: str
    """Name of the data set."""
    image_id: str
    """Id of the image within the source."""
    category: str
    """Category text of the pair."""
    score: Float32 | None
    """S(x, c) in [0, 1]; higher is more in-distribution; null when unscored."""
    margin: Float32 | None
    """Delta(x, c) in [-1, 1]: S minus the best rival's; negative is a ranking anomaly."""
    surrogate: str | None
    """The best rival: the category that the scorer prefers among the competitors."""
    flagged: bool | None
    """Whether this scorer calls the pair out of distribution; null when unscored."""
    reason: str | None
    """Why the pair is unscored."""


@dataclass(frozen=True, slots=True)
class Membership:
    """The split of a present pair, and whether it was drawn into the benchmark."""

    KEY: ClassVar[tuple[str, ...]] = ("source", "image_id", "category")

    source: str
    """Name of the data set."""
    image_id: str
    """Id of the image within the source."""
    category: str
    """Category text."""
    present: bool
    """True for an annotated pair; False for an absent pair of a random or balanced ID pool."""
    split: str | None
    """`ID`, `OOD-S` or `OOD-H`; null when some scorer has no score for the pair."""
    flags: int | None
    """Number of scorers that flag the pair, 0 ... K; null when unscored."""
    scorers: int
    """Number K of scorers of the division."""
    drawn: bool
    """Whether the pair is in the benchmark after sampling ID and applying the caps."""
    reason: str | None
    """Why the split is null, naming the scorer; or who took the pair out of the benchmark."""


@dataclass(frozen=True, slots=True)
class ConceptScore:
    """The three scores of a concept's image and the levels it reaches (OODConceptBench, 3.2)."""

    KEY: ClassVar[tuple[str, ...]] = ("source", "image_id")

    source: str
    """Name of the data set."""
    image_id: str
    """Id of the image within the source."""
    common: Float32 | None
    """S_1K = 1 - best cosine with a common category; larger is farther; null when unscored."""
    rare: Float32 | None
    """S_21K = 1 - best cosine with a rare reference; larger is farther; null when unscored."""
    target: Float32 | None
    """S_Txt = cosine with the own phrase; smaller is less aligned; null when unscored."""
    rule_1: bool
    """Whether S_1K > T1."""
    l1: bool
    """Whether the image is in L1: rule 1 and S_21K > T2."""
    l2: bool
    """Whether the image is in L2: L1 and S_Txt < T3."""
    reason: str | None
    """Why the image is in no level at all."""
