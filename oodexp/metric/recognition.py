"""Recognition of concepts by dual encoders: which images, at which rate, how certain.

OODConceptBench, section 6 and Tables C1 to C3: a model recognises the target phrase of an image
when their cosine is above the model's own threshold Q_95. The rate of a level or category is the
share of its images, so concepts and categories with more images weigh more; the printed overall
rates are such shares, not means of categories.

Two intervals, two questions. Wilson's score interval is over images: other images of the *same*
concepts, each image independent (an image has one phrase, so there is nothing to cluster). The
bootstrap is over concepts, each drawn with all its images, within its category: *other* concepts of
the same kinds. The second is the wider one wherever concepts differ.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from oodexp.error import OodexpError
from oodexp.metric.bootstrap import Interval, interval, resampled

CONFIDENCE = 0.95


class Recognition(NamedTuple):
    """What each model recognises."""

    recognised: np.ndarray
    """bool, (image, model); False where not scored."""
    scored: np.ndarray
    """bool, (image, model): whether there is a cosine, and a threshold for it."""


class Rate(NamedTuple):
    """Share of images whose phrase is recognised."""

    value: float
    """In [0, 1]; NaN without scored images."""
    n: int
    """Scored images."""
    unscored: int
    """Images left aside."""
    concepts: int
    """Concepts with a scored image."""
    over_images: Interval
    """Wilson's 95 % score interval."""
    over_concepts: Interval
    """95 % percentile interval of the bootstrap with concepts as clusters."""
    reason: str | None
    """Why there is no value."""


class ConceptRates(NamedTuple):
    """Rates of single concepts."""

    values: np.ndarray
    """In [0, 1], (model, concept); NaN where n is 0."""
    n: np.ndarray
    """Scored images, int64, (model, concept)."""


def recognise(cosines: np.ndarray, thresholds: np.ndarray) -> Recognition:
    """Which target phrases are recognised: cosine > Q_95, compared in float32.

    Args:
        cosines: Of each image to its own phrase, (image, model); not finite is not scored.
        thresholds: Q_95 of each model, (model,); NaN leaves the model unscored.
    """
    limits = np.asarray(thresholds, dtype=np.float32)
    if limits.shape != cosines.shape[1:]:
        raise OodexpError(
            f"thresholds of shape {limits.shape} for cosines of shape {cosines.shape}; expected "
            "one for each model, the columns"
        )
    scored = np.isfinite(cosines) & ~np.isnan(limits)
    return Recognition(scored & (cosines.astype(np.float32) > limits), scored)


def cells(levels: np.ndarray, category: np.ndarray, categories: int) -> np.ndarray:
    """Images of each level and category: bool, (image, level, categories + 1); the last is all.

    Args:
        levels: Membership, bool, (image, level); images of no level are in no cell.
        category: Code of each image's category, 0 ... categories - 1, (image,).
        categories: How many there are.
    """
    among = category[:, None] == np.arange(categories)
    whole = np.concatenate((among, np.ones((len(category), 1), bool)), axis=1)
    return np.asarray(levels[:, :, None] & whole[:, None, :])


def concept_weights(category: np.ndarray, resamples: int, rng: np.random.Generator) -> np.ndarray:
    """How often each concept is drawn in each resample: float64, (resample, concept).

    Drawn within categories, which are fixed by design: each keeps its number of concepts. One draw
    serves all models, levels and categories of a run: differences are paired.

    Args:
        category: Code of each concept's category, (concept,).
        resamples: How many.
        rng: Draws.
    """
    weights = np.zeros((resamples, len(category)))
    for code in np.unique(category):
        mine = np.flatnonzero(category == code)
        even = np.full(len(mine), 1 / len(mine))
        weights[:, mine] = rng.multinomial(len(mine), even, size=resamples)
    return weights


def wilson(k: int, n: int) -> Interval:
    """Wilson's 95 % score interval of k successes in n independent trials (Wilson, 1927).

    Centre (p + z^2 / 2n) / (1 + z^2 / n), half width z sqrt(p (1 - p) / n + z^2 / 4n^2) / (1 +
    z^2 / n), with p = k / n and z = 1.96: never outside [0, 1], and of some width at p = 0 and 1.

    Args:
        k: Successes, 0 ... n.
        n: Trials; none leave no interval.

    Raises:
        OodexpError: If k is not in 0 ... n.
    """
    from scipy.stats import norm

    if not 0 <= k <= n:
        raise OodexpError(f"{k} successes of {n} trials: expected 0 <= k <= n; check the counts")
    if n == 0:
        return Interval(float("nan"), float("nan"), "no scored image")
    z2, share = float(norm.ppf((1 + CONFIDENCE) / 2)) ** 2, k / n
    shrink = 1 + z2 / n
    centre = (share + z2 / (2 * n)) / shrink
    half = np.sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n * n))) / shrink
    # At 0 and 1 an end is exact, but rounding may leave it a hair outside.
    lower, upper = (0.0 if k == 0 else centre - half), (1.0 if k == n else centre + half)
    return Interval(float(lower), float(upper), None)


def rate(
    recognised: np.ndarray, scored: np.ndarray, concept: np.ndarray, weights: np.ndarray
) -> Rate:
    """The rate of one model over the images of one cell.

    Args:
        recognised: bool, (image,).
        scored: bool, (image,).
        concept: Code of each image's concept, a column of the weights, (image,).
        weights: Of `concept_weights`, (resample, concept).
    """
    counts = _by_concept(recognised, scored, concept, weights.shape[1])
    k, n = (int(total) for total in counts.sum(axis=0))
    active, lost = int(np.count_nonzero(counts[:, 1])), len(scored) - n
    if n == 0:
        why = "none of its images is scored" if lost else "no image"
        none = Interval(float("nan"), float("nan"), why)
        return Rate(float("nan"), 0, lost, 0, none, none, why)
    over = Interval(float("nan"), float("nan"), "one concept")
    if active > 1:
        over = interval(resampled(weights, counts, _share)[:, 0])
    return Rate(k / n, n, lost, active, wilson(k, n), over, None)


def rates(
    found: Recognition, inside: np.ndarray, concept: np.ndarray, weights: np.ndarray
) -> list[list[list[Rate]]]:
    """The rate of each model, level and category: `rates[model][level][category]`.

    Args:
        found: Of `recognise`.
        inside: Of `cells`, (image, level, categories + 1).
        concept: As in `rate`.
        weights: As in `rate`.
    """
    levels, categories = inside.shape[1:]
    rows = [[np.flatnonzero(inside[:, le, c]) for c in range(categories)] for le in range(levels)]
    return [
        [
            [rate(right[some], scored[some], concept[some], weights) for some in level]
            for level in rows
        ]
        for right, scored in zip(found.recognised.T, found.scored.T, strict=True)
    ]


def concept_rates(
    found: Recognition, inside: np.ndarray, concept: np.ndarray, concepts: int
) -> ConceptRates:
    """The rate of each model on each concept, over the images of one level.

    Args:
        found: Of `recognise`.
        inside: Images of the level, bool, (image,).
        concept: Code of each image's concept, (image,).
        concepts: How many there are.
    """
    counts = [
        _by_concept(right[inside], scored[inside], concept[inside], concepts)
        for right, scored in zip(found.recognised.T, found.scored.T, strict=True)
    ]
    table = np.array(counts).reshape(-1, concepts, 2)
    return ConceptRates(_share(table)[..., 0], table[..., 1].astype(np.int64))


def _by_concept(
    recognised: np.ndarray, scored: np.ndarray, concept: np.ndarray, concepts: int
) -> np.ndarray:
    """Recognised and scored images of each concept, float64, (concept, 2)."""
    if len(concept) and not 0 <= concept.min() <= concept.max() < concepts:
        raise OodexpError(
            f"concept codes {concept.min()} ... {concept.max()}; expected 0 ... {concepts - 1}"
        )
    flags = (recognised & scored, scored)
    return np.stack([np.bincount(concept[f], minlength=concepts) for f in flags], 1).astype(float)


def _share(sums: np.ndarray) -> np.ndarray:
    """Recognised over scored, (..., 1), of sums (..., 2); NaN without a scored image."""
    right, total = sums[..., :1], sums[..., 1:]
    return np.divide(right, total, out=np.full(total.shape, np.nan), where=total > 0)
