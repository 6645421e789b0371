"""Which concepts each model recognises: thresholds, recognised images, rates (Tables C1 to C3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from oodexp.metric.recognition import (
    ConceptRates,
    Rate,
    Recognition,
    cells,
    concept_rates,
    concept_weights,
    rates,
    recognise,
)
from oodexp.metric.recognition_threshold import Pool, threshold
from oodexp.record import Recognition as Row

if TYPE_CHECKING:
    from oodexp.concept.bench import Bench
    from oodexp.concept.protocol import Protocol
    from oodexp.cutoff import Cutoff

LEVELS = {"L1": 2, "L2": 3}
"""Columns of the cascade that are asked about."""
ALL = "all"


@dataclass(frozen=True, slots=True)
class Seen:
    """What one model makes of images and phrases; cosines, float32."""

    concepts: np.ndarray
    """Images of the concepts against all phrases, (image, phrase)."""
    common: np.ndarray
    """In-distribution images against all phrases, (n, phrase)."""
    negative: np.ndarray
    """Images that show no concept against all phrases, (k, phrase)."""


@dataclass(frozen=True, slots=True)
class Recognised:
    """All models on the benchmark."""

    models: list[str]
    """Names, in the order of the arrays."""
    cutoffs: list[Cutoff]
    """Q_95 of each model."""
    found: Recognition
    """Which images each model recognises."""
    rates: list[list[list[Rate]]]
    """By model, level of `LEVELS` and category, `ALL` last."""
    concepts: dict[str, ConceptRates]
    """Rates of single concepts by level."""

    def table(self, level: str) -> np.ndarray:
        """Rates by model and category, `ALL` last, (model, category + 1)."""
        at = list(LEVELS).index(level)
        return np.array([[rate.value for rate in mine[at]] for mine in self.rates])


def recognised(bench: Bench, seen: Mapping[str, Seen], protocol: Protocol) -> Recognised:
    """Recognition of every model.

    Args:
        bench: The benchmark.
        seen: Cosines by name of the model.
        protocol: The rule of Q_95, resamples and seed.
    """
    names = bench.names
    cutoffs = [q95(bench, one, protocol) for one in seen.values()]
    at = np.arange(len(names.phrase)), names.phrase
    own = np.stack([one.concepts[at] for one in seen.values()], axis=1)
    found = recognise(own, np.array([c.value for c in cutoffs]))
    kept = bench.cascade.kept[:, list(LEVELS.values())]
    inside = cells(kept, names.category, len(names.categories))
    rng = np.random.default_rng(protocol.seed)
    weights = concept_weights(names.of_phrase, protocol.resamples, rng)
    return Recognised(
        list(seen), cutoffs, found, rates(found, inside, names.phrase, weights),
        {
            level: concept_rates(found, kept[:, n], names.phrase, len(names.phrases))
            for n, level in enumerate(LEVELS)
        },
    )  # fmt: skip


def q95(bench: Bench, seen: Seen, protocol: Protocol) -> Cutoff:
    """Q_95 of one model by the rule of the protocol.

    `vocabulary_max` learns from in-distribution images, `negatives` from those that show no
    concept; `mismatched` and `own_category` from the images of L1 against other phrases.
    """
    rule, names = protocol.recognition, bench.names
    rng = np.random.default_rng(protocol.seed)
    if rule == "vocabulary_max":
        return threshold(rule, Pool(seen.common))
    if rule == "negatives":
        return threshold(rule, Pool(seen.negative), rng)
    inside = bench.cascade.kept[:, LEVELS["L1"]]
    pool = Pool(
        seen.concepts[inside], names.phrase[inside], names.category[inside], names.of_phrase
    )
    return threshold(rule, pool, rng)


def rows(bench: Bench, found: Recognised) -> Iterator[Row]:
    """`record.Recognition` of all models, levels and categories."""
    categories = [*bench.names.categories, ALL]
    for model, cutoff, mine in zip(found.models, found.cutoffs, found.rates, strict=True):
        for level, of_level in zip(LEVELS, mine, strict=True):
            for category, rate in zip(categories, of_level, strict=True):
                over, of = rate.over_images, rate.over_concepts
                why = rate.reason or of.reason or cutoff.reason
                yield Row(
                    model, level, category, _real(cutoff.value), cutoff.rule, _real(rate.value),
                    _real(over.lower), _real(over.upper), _real(of.lower), _real(of.upper),
                    rate.n, rate.unscored, rate.concepts, why,
                )  # fmt: skip


def _real(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
