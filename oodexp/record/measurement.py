"""What is measured: metrics with intervals, calibration curves, recognition rates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Measurement:
    """A metric of a VLM on a group of questions, with its interval."""

    KEY: ClassVar[tuple[str, ...]] = (
        "vlm", "kind", "source", "split", "contrast", "group", "convention", "metric",
    )  # fmt: skip

    vlm: str
    """Name of the VLM."""
    kind: str
    """The question set: `existence`, `existence_cot`, `progression` or `polling`."""
    source: str
    """Name of the data set, or `pooled` for all of the run together."""
    split: str
    """`ID`, `OOD-S` or `OOD-H`."""
    contrast: str
    """`none` for the value itself; `ID` for the drop, value on ID minus value on the split; the
    name of another kind for the value of this kind minus that of the other, on the same pairs."""
    group: str
    """`all`, or a composition group such as `planted: secondary` or `size: small`."""
    convention: str
    """`headline` (unread is wrong), `read` (read answers only), `paper` (the authors' rule), or
    `constant` (what the best constant answer would score)."""
    metric: str
    """`accuracy`, `precision`, `recall`, `f1`, `mcc`; others are named by the kind's metric."""
    value: float | None
    """The metric as a fraction; null when undefined."""
    lower: float | None
    """Lower end of the 95 % interval from a bootstrap over images."""
    upper: float | None
    """Upper end of the 95 % interval from a bootstrap over images."""
    n: int
    """Number of questions the value rests on (of the split itself, for a drop)."""
    n_unread: int
    """How many of the asked questions have no reading."""
    n_images: int
    """Number of images (clusters) the value rests on."""
    reason: str | None
    """Why the value or its interval is null."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """One bin of the calibration curve of a VLM whose probabilities of yes and no were measured."""

    KEY: ClassVar[tuple[str, ...]] = ("vlm", "kind", "split", "lower")

    vlm: str
    """Name of the VLM."""
    kind: str
    """The question set, as in `Question`."""
    split: str
    """`ID`, `OOD-S` or `OOD-H`."""
    lower: float
    """Lower end of the bin, left out of it (the first bin holds 0)."""
    upper: float
    """Upper end of the bin."""
    probability: float
    """Mean P(yes) of the questions in the bin."""
    share: float
    """Share of these questions whose right answer is yes."""
    n: int
    """Number of questions in the bin."""


@dataclass(frozen=True, slots=True)
class Recognition:
    """How often one dual encoder recognises concepts (OODConceptBench, 5; Tables C1 to C3)."""

    KEY: ClassVar[tuple[str, ...]] = ("model", "level", "category")

    model: str
    """Name of the scorer."""
    level: str
    """`L1` or `L2`."""
    category: str
    """Family of concepts, or `all`."""
    threshold: float | None
    """Q_95 of the model, a cosine; null where none could be learnt."""
    rule: str
    """What Q_95 is the percentile of."""
    rate: float | None
    """Share of images whose phrase is recognised, cosine > Q_95; images weigh alike."""
    lower: float | None
    """Lower end of the 95 % interval over images (Wilson)."""
    upper: float | None
    """Upper end."""
    concept_lower: float | None
    """Lower end of the 95 % interval over concepts (bootstrap)."""
    concept_upper: float | None
    """Upper end."""
    n: int
    """Number of scored images."""
    unscored: int
    """Images without a cosine."""
    concepts: int
    """Concepts with a scored image."""
    reason: str | None
    """Why the rate or an interval is null."""
