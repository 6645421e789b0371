"""All that is set of OODConceptBench: construction, recognition, validity, release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from oodexp.division.filter_cascade import PAPER, Thresholds
from oodexp.error import OodexpError
from oodexp.metric.recognition_threshold import RULES


@dataclass(frozen=True, slots=True)
class Protocol:
    """The settings; the defaults are those of the paper where it says them, else our reading of it.

    Args:
        model: Name of the construction scorer; null for the first one chosen.
        calibration: `measured` on the reference sources, or `fixed`.
        thresholds: Numbers for T1 `common`, T2 `rare`, T3 `target`, all or some: they replace what
            is measured; of a fixed calibration the others are the paper's, which hold for CLIP
            ViT-B/32 and its references alone.
        id_images: Most images that calibrate T1.
        further_images: Most further images that calibrate T2 beside the survivors of rule 1.
        negative_images: Most images that calibrate T3.
        vocabulary: Most phrases of the vocabulary that calibrates T3.
        rounds: Most rounds of the stability rule of T3.
        share: Share of the vocabulary in a round.
        tolerance: Relative change of the mean that counts as stable.
        recognition: Rule of Q_95, or a cosine: `vocabulary_max`, `own_category`, `mismatched`,
            `negatives`.
        models: `{family, variant, year}` by name of a scorer, beside the registry.
        registry: A YAML file with further models, or null.
        contrasts: Pairs of groups of models, each `{name, first, second}` with lists of scorers.
        shots: Training images of the probes.
        repeats: Draws of each probe.
        points: Most images of each level and source on the t-SNE map.
        names: Further common names for the expansion of the vocabulary, or null.
        wordnet: Folder of WordNet's dict files for the same, or null.
        bits: Bits of the perceptual hash that near-duplicates may differ in.
        cosine: Least cosine of the features of near-duplicates.
        remove: Whether near-duplicates but one of each group leave the benchmark.
        declared: Statements that a release needs and no table shows, by name (see
            `report.release.DECLARED`).
        waive: `{by, why}` by name of a requirement that a release does without.
        resamples: Bootstrap resamples.
        seed: Of all draws.

    Raises:
        OodexpError: If a setting is not as it should be.
    """

    model: str | None = None
    calibration: Literal["measured", "fixed"] = "measured"
    thresholds: Mapping[str, float] | None = None
    id_images: int = 3000
    further_images: int = 1500
    negative_images: int = 5000
    vocabulary: int = 200
    rounds: int = 20
    share: float = 0.5
    tolerance: float = 0.01
    recognition: str | float = "vocabulary_max"
    models: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    registry: str | None = None
    contrasts: Sequence[Mapping[str, Any]] = ()
    shots: Sequence[int] = (1, 3, 5, 10, 15, 20, 25, 30)
    repeats: int = 10
    points: int = 300
    names: Sequence[str] | None = None
    wordnet: str | None = None
    bits: int = 6
    cosine: float = 0.98
    remove: bool = False
    declared: Mapping[str, str] = field(default_factory=dict)
    waive: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    resamples: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        """Checks the settings."""
        self._names()
        self._numbers()

    def _names(self) -> None:
        if isinstance(self.recognition, str) and self.recognition not in RULES:
            raise OodexpError(
                f"concept.recognition={self.recognition}: expected {', '.join(RULES)}, or a cosine"
            )
        if self.calibration not in ("measured", "fixed"):
            raise OodexpError(f"concept.calibration={self.calibration}: expected measured or fixed")
        unknown = sorted(set(self.thresholds or ()) - set(Thresholds._fields))
        if unknown:
            raise OodexpError(
                f"concept.thresholds: unknown {unknown}; expected some of "
                f"{', '.join(Thresholds._fields)}"
            )
        for name, waiver in self.waive.items():
            if set(waiver) != {"by", "why"}:
                raise OodexpError(
                    f"concept.waive.{name}={dict(waiver)}: expected by and why, who waives and "
                    "for what reason"
                )

    def _numbers(self) -> None:
        for name in ("id_images", "negative_images", "vocabulary", "repeats", "points"):
            if getattr(self, name) < 1:
                raise OodexpError(f"concept.{name}={getattr(self, name)}: expected at least 1")
        if self.resamples < 100 or self.seed < 0 or not self.shots or min(self.shots) < 1:
            raise OodexpError(
                f"concept: resamples={self.resamples}, seed={self.seed}, shots={list(self.shots)}: "
                "expected at least 100, a seed >= 0, and numbers >= 1"
            )

    def fixed(self) -> Thresholds:
        """The thresholds of a fixed calibration."""
        return PAPER._replace(**(self.thresholds or {}))
