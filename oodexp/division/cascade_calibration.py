"""Thresholds of the filter of OODConceptBench, learnt from images as Table A1 has it.

T1 is the 95th percentile of S_1K over in-distribution images, T2 that of S_21K over the
in-distribution images that pass rule 1 together with further ones, T3 a ceiling of the cosine
between phrases and images that show none of them. A threshold belongs to the model, the prompt and
the references it was learnt with; the paper's numbers hold for CLIP ViT-B/32 and its own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from oodexp import cutoff
from oodexp.cutoff import Cutoff
from oodexp.division.filter_cascade import PAPER, Thresholds
from oodexp.error import OodexpError

ID_IMAGES, FURTHER_IMAGES, NEGATIVE_IMAGES, VOCABULARY = 3000, 1500, 5000, 200
"""The most that the paper takes (Table A1); `cutoff.drawn` draws them."""


class Calibrated(NamedTuple):
    """The thresholds of the three rules with their origin."""

    common: Cutoff
    """T1."""
    rare: Cutoff
    """T2."""
    target: Cutoff
    """T3."""

    @property
    def thresholds(self) -> Thresholds:
        """The numbers alone."""
        return Thresholds(self.common.value, self.rare.value, self.target.value)


def common(scores: np.ndarray) -> Cutoff:
    """T1: 95th percentile of S_1K, so that 5 % of in-distribution images pass rule 1.

    Args:
        scores: S_1K of in-distribution images to the class texts, (image,).
    """
    return cutoff.percentile(scores, "95th percentile of S_1K, ID images")


def rare(
    common_scores: np.ndarray, rare_scores: np.ndarray, further: np.ndarray, limit: float
) -> Cutoff:
    """T2: 95th percentile of S_21K over rule-1 survivors and further images.

    Args:
        common_scores: S_1K of the images that gave T1, (image,).
        rare_scores: S_21K of the same images, (image,).
        further: S_21K of further images, taken whether they pass rule 1 or not, (image,).
        limit: T1, compared in float32.

    Raises:
        OodexpError: If the two scores are not of the same images, or T1 is NaN.
    """
    if common_scores.shape != rare_scores.shape:
        raise OodexpError(
            f"{common_scores.shape} scores S_1K and {rare_scores.shape} scores S_21K; expected "
            "both of the same calibration images"
        )
    if np.isnan(limit):
        raise OodexpError("T1 is NaN: nothing can survive rule 1; calibrate or fix T1 first")
    survivors = rare_scores[common_scores > np.float32(limit)]
    found = cutoff.percentile(
        np.concatenate((survivors, further)),
        "95th percentile of S_21K, rule-1 survivors and further images",
    )
    notes = [] if found.reason is None else [found.reason]
    if not len(survivors):
        notes.append("no calibration image passes rule 1")
    return found._replace(reason="; ".join(notes) or None)


def target(
    cosines: np.ndarray, rng: np.random.Generator, *, rounds: int = 20, share: float = 0.5,
    tolerance: float = 0.01, patience: int = 1,
) -> Cutoff:  # fmt: skip
    """T3: the ceiling of S_Txt over negative images, by repeated draws of the vocabulary.

    Args:
        cosines: Of negative images to the phrases of the vocabulary, (image, phrase).
        rng: Draws the phrases of a round.
        rounds: As in `cutoff.ceiling`, with what follows.
        share: Share of the vocabulary in a round.
        tolerance: Relative change of the mean of the candidates that counts as stable.
        patience: Stable rounds on end that are asked for.

    Raises:
        OodexpError: As `cutoff.ceiling`.
    """
    return cutoff.ceiling(
        cosines, rng, "maximum + standard deviation, negative images", rounds=rounds, share=share,
        tolerance=tolerance, patience=patience,
    )  # fmt: skip


def fixed(thresholds: Thresholds = PAPER) -> Calibrated:
    """Given thresholds, the paper's where none are.

    Args:
        thresholds: T1, T2, T3, finite.

    Raises:
        OodexpError: If one is not finite.
    """
    rule = "paper" if thresholds == PAPER else "fixed"
    return Calibrated(*(cutoff.fixed(value, rule) for value in thresholds))
