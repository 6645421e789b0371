"""A built benchmark: the images of all concepts, their scores and levels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from oodexp import cutoff
from oodexp.division import cascade_calibration as calibrate
from oodexp.division.filter_cascade import Scores, alignment, cascade, farness

if TYPE_CHECKING:
    from oodexp.concept.protocol import Protocol
    from oodexp.division.cascade_calibration import Calibrated
    from oodexp.division.filter_cascade import Cascade


@dataclass(frozen=True, slots=True)
class Names:
    """The images of a concept set by code."""

    phrases: list[str]
    """Phrases, sorted."""
    categories: list[str]
    """Families, in the order of the table."""
    ways: list[str]
    """Ways of acquisition, sorted."""
    phrase: np.ndarray
    """Phrase of each image, int64, (image,)."""
    category: np.ndarray
    """Family of each image, int64, (image,)."""
    way: np.ndarray
    """Way of acquisition of each image, int64, (image,)."""
    of_phrase: np.ndarray
    """Family of each phrase, int64, (phrase,)."""


@dataclass(frozen=True, slots=True)
class Reference:
    """What the construction model makes of images and texts; all vectors of length 1."""

    images: np.ndarray
    """Images of the concepts, (image, d); NaN where there is no vector."""
    phrases: np.ndarray
    """Phrases, (phrase, d)."""
    common_texts: np.ndarray
    """Texts of the common categories, (class, d)."""
    common: np.ndarray
    """Images of common categories that calibrate T1, (n, d)."""
    further: np.ndarray
    """Further images that calibrate T2, (m, d)."""
    rare: np.ndarray
    """Prototypes of rare classes, (j, d)."""
    negative: np.ndarray
    """Images that show none of the concepts, (k, d)."""


@dataclass(frozen=True, slots=True)
class Bench:
    """The benchmark."""

    names: Names
    """Who is who."""
    reference: Reference
    """Vectors of the construction model."""
    scores: Scores
    """S_1K, S_21K and S_Txt of every image."""
    calibrated: Calibrated
    """T1, T2, T3 and where they are from."""
    cascade: Cascade
    """The levels."""


def named(concepts: pd.DataFrame) -> Names:
    """Codes of `record.Concept` rows."""
    phrase, phrases = pd.factorize(concepts["phrase"], sort=True)
    category, categories = pd.factorize(concepts["category"])
    way, ways = pd.factorize(concepts["acquisition"], sort=True)
    of_phrase = np.zeros(len(phrases), dtype=np.int64)
    of_phrase[phrase] = category
    return Names(
        [str(p) for p in phrases], [str(c) for c in categories], [str(w) for w in ways],
        phrase.astype(np.int64), category.astype(np.int64), way.astype(np.int64), of_phrase,
    )  # fmt: skip


def prototypes(vectors: np.ndarray, label: np.ndarray) -> np.ndarray:
    """Mean direction of each class, length 1, (class, d); images without a vector are left out.

    Args:
        vectors: Unit vectors, (image, d); NaN rows are left out.
        label: Class of each image, (image,).
    """
    known = np.isfinite(vectors).all(axis=1)
    codes = np.unique(label[known], return_inverse=True)[1]
    sums = np.zeros((codes.max() + 1 if len(codes) else 0, vectors.shape[1]))
    np.add.at(sums, codes, vectors[known].astype(np.float64))
    length = np.linalg.norm(sums, axis=1, keepdims=True)
    return np.asarray((sums / length)[length[:, 0] > 0], dtype=np.float32)


def built(names: Names, reference: Reference, protocol: Protocol) -> Bench:
    """Scores, thresholds and levels.

    Args:
        names: The images by code.
        reference: Vectors of the construction model.
        protocol: The settings.

    Raises:
        OodexpError: If a reference is empty, or a threshold could not be learnt.
    """
    scores = Scores(
        farness(reference.images, reference.common_texts),
        farness(reference.images, reference.rare),
        alignment(reference.images, reference.phrases, names.phrase),
    )
    if protocol.calibration == "fixed":
        calibrated = calibrate.fixed(protocol.fixed())
    else:
        calibrated = measured(reference, protocol)
        given = {n: cutoff.fixed(value) for n, value in (protocol.thresholds or {}).items()}
        calibrated = calibrated._replace(**given)
    return Bench(names, reference, scores, calibrated, cascade(scores, calibrated.thresholds))


def without(bench: Bench, stays: np.ndarray) -> Bench:
    """The benchmark without some images; thresholds and scores stay.

    Args:
        bench: The benchmark.
        stays: Images that stay, bool, (image,).
    """
    whole = bench.cascade
    reasons = [
        why if stay else why or "a near-duplicate of another image"
        for why, stay in zip(whole.reasons, stays, strict=True)
    ]
    fewer = whole._replace(kept=whole.kept & stays[:, None], reasons=tuple(reasons))
    return replace(bench, cascade=fewer)


def measured(reference: Reference, protocol: Protocol) -> Calibrated:
    """The thresholds as the paper calibrates them (Table A1).

    Args:
        reference: Vectors of the construction model.
        protocol: Numbers of images, vocabulary, stability rule and seed.
    """
    seeds = np.random.SeedSequence(protocol.seed).spawn(4)
    one, two, three, four = (np.random.default_rng(s) for s in seeds)
    common = reference.common[cutoff.drawn(len(reference.common), protocol.id_images, one)]
    further = reference.further[cutoff.drawn(len(reference.further), protocol.further_images, two)]
    negative = reference.negative[
        cutoff.drawn(len(reference.negative), protocol.negative_images, three)
    ]
    vocabulary = reference.phrases[cutoff.drawn(len(reference.phrases), protocol.vocabulary, four)]
    common_scores = farness(common, reference.common_texts)
    first = calibrate.common(common_scores)
    second = calibrate.rare(
        common_scores, farness(common, reference.rare), farness(further, reference.rare),
        first.value,
    )  # fmt: skip
    third = calibrate.target(
        negative.astype(np.float64) @ vocabulary.T, four, rounds=protocol.rounds,
        share=protocol.share, tolerance=protocol.tolerance,
    )  # fmt: skip
    return calibrate.Calibrated(first, second, third)
