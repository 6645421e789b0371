"""Q_95: the cosine above which a dual encoder counts as recognising a phrase in an image.

OODConceptBench calibrates one threshold for each model by one shared rule (Table C1); of what it is
the 95th percentile the text does not say. The default is the one that fits its numbers best: the
highest cosine of an in-distribution image to any phrase of the concept vocabulary, so that at most
5 % of such images seem to show some concept. The others are there to see what hangs on the choice.
Thresholds are on the cosine, of each model by itself: scale and bias of its logits do not matter.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from oodexp import cutoff
from oodexp.cutoff import Cutoff
from oodexp.error import OodexpError


class Pool(NamedTuple):
    """Calibration images of one model, against the vocabulary of phrases."""

    cosines: np.ndarray
    """(image, phrase); NaN where an image has no feature."""
    own: np.ndarray | None = None
    """Phrase that the image was collected for, (image,), -1 for none; `mismatched` needs it."""
    image_category: np.ndarray | None = None
    """Category of the image, (image,); `own_category` needs it."""
    phrase_category: np.ndarray | None = None
    """Category of the phrase, (phrase,); `own_category` needs it."""


def vocabulary_max(pool: Pool, rng: np.random.Generator | None = None) -> Cutoff:
    """95th percentile over images of the highest cosine to any phrase; for ID images."""
    _phrases(pool)
    return cutoff.percentile(pool.cosines.max(axis=1), "vocabulary_max")


def own_category(pool: Pool, rng: np.random.Generator | None = None) -> Cutoff:
    """95th percentile over images of the highest cosine to another phrase of their own category.

    An image's own phrase is not among them: it would bound the rate of these images by 5 %. An
    image whose category has no other phrase counts as one without a score.
    """
    if pool.image_category is None or pool.phrase_category is None:
        raise OodexpError("own_category needs the category of each image and phrase of the pool")
    _phrases(pool)
    allowed = (pool.image_category[:, None] == pool.phrase_category[None, :]) & _other(pool)
    highest = np.where(allowed, pool.cosines, -np.inf).max(axis=1)
    return cutoff.percentile(highest, "own_category")


def mismatched(pool: Pool, rng: np.random.Generator | None = None) -> Cutoff:
    """95th percentile of the cosines of images to all phrases that are not their own."""
    if pool.own is None:
        raise OodexpError("mismatched needs the own phrase of each image of the pool; -1 for none")
    return cutoff.percentile(pool.cosines[_other(pool)], "mismatched")


def negatives(pool: Pool, rng: np.random.Generator | None = None) -> Cutoff:
    """The ceiling of rule 3 of the benchmark's filter, for images that show none of the phrases."""
    if rng is None:
        raise OodexpError("negatives draws from the vocabulary: expected a random generator")
    return cutoff.ceiling(pool.cosines, rng, "negatives")


RULES: dict[str, Callable[[Pool, np.random.Generator | None], Cutoff]] = {
    "vocabulary_max": vocabulary_max,
    "own_category": own_category,
    "mismatched": mismatched,
    "negatives": negatives,
}
"""Rules by name."""


def threshold(
    rule: str | float, pool: Pool | None = None, rng: np.random.Generator | None = None
) -> Cutoff:
    """Q_95 by a rule, or a given number.

    Args:
        rule: A name of `RULES`, or the number itself.
        pool: Images that the rule learns from; not needed for a number.
        rng: For `negatives`.

    Raises:
        OodexpError: If the rule is not known, or lacks what it needs.
    """
    if not isinstance(rule, str):
        return cutoff.fixed(rule)
    if rule not in RULES:
        raise OodexpError(f"rule={rule!r}: expected {', '.join(RULES)}, or a number")
    if pool is None:
        raise OodexpError(f"rule={rule!r} needs calibration images; give a number to do without")
    return RULES[rule](pool, rng)


def _other(pool: Pool) -> np.ndarray:
    """Which phrases are not the image's own: bool, (image, phrase)."""
    images, phrases = pool.cosines.shape
    if pool.own is None:
        return np.ones((images, phrases), bool)
    if len(pool.own) != images or (images and not -1 <= pool.own.min() <= pool.own.max() < phrases):
        raise OodexpError(
            f"own phrases of {len(pool.own)} images, for {images} images and {phrases} phrases; "
            f"expected one each, -1 ... {phrases - 1}"
        )
    return np.asarray(pool.own[:, None] != np.arange(phrases))


def _phrases(pool: Pool) -> None:
    if not pool.cosines.shape[1]:
        raise OodexpError("the vocabulary is empty: expected at least one phrase to calibrate with")
