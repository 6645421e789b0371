"""How near concepts and images are to what is known (OODConceptBench, Table D9, Figure D5).

Nearest-ID similarity is the largest cosine with any ID name: of a phrase, text with text (D9), of
an image, image with text (D10). Table D9 takes all phrases of the design, those with an image in L1
and those with one in L2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from oodexp.error import OodexpError
from oodexp.evidence.band import Band, band

CHUNK = 2048
"""Rows that are compared at once."""


class Nearest(NamedTuple):
    """The nearest reference of each vector."""

    similarity: np.ndarray
    """Cosine in [-1, 1], float64, (n,)."""
    reference: np.ndarray
    """Which reference it is, the first among equals, int64, (n,)."""


class Scope(NamedTuple):
    """Nearest-ID similarity of the phrases of one scope."""

    name: str
    """For example `all`, `L1`, `L2`."""
    mean: Band
    """In [-1, 1]; the interval draws phrases again, as they are what a scope consists of."""
    median: Band
    """In the same way."""


def unit(features: np.ndarray) -> np.ndarray:
    """Vectors divided by their length, float64, (n, d).

    Raises:
        OodexpError: If a vector has no direction: zero, NaN or infinite.
    """
    points = np.asarray(features, np.float64)
    length = np.linalg.norm(points, axis=-1, keepdims=True)
    bad = int((~(np.isfinite(length) & (length > 0))).sum())
    if bad:
        raise OodexpError(
            f"{bad} of {len(points)} features have no direction (zero, NaN or infinite): leave out "
            "what could not be read"
        )
    return points / length


def nearest(features: np.ndarray, references: np.ndarray) -> Nearest:
    """The largest cosine with any reference, some rows at a time.

    Args:
        features: Of images or phrases, (n, d).
        references: Of ID names or prototypes, (r, d), r >= 1.

    Raises:
        OodexpError: If there is no reference, or a vector has no direction.
    """
    if not len(references):
        raise OodexpError("no reference vectors: nearest similarity needs at least one ID name")
    bank, similarity = unit(references), np.empty(len(features))
    which = np.empty(len(features), np.int64)
    for start in range(0, len(features), CHUNK):
        here = slice(start, start + CHUNK)
        cosine = unit(features[here]) @ bank.T
        which[here] = cosine.argmax(axis=1)
        similarity[here] = cosine.max(axis=1)
    return Nearest(np.clip(similarity, -1, 1), which)


def scopes(
    similarity: np.ndarray, active: Mapping[str, np.ndarray], resamples: int,
    rng: np.random.Generator,
) -> list[Scope]:  # fmt: skip
    """Mean and median nearest-ID similarity of phrases by scope.

    Args:
        similarity: Of each phrase, finite, (phrase,).
        active: Whether each phrase belongs to a scope, bool, (phrase,), by name.
        resamples: Draws of phrases.
        rng: Draws them.
    """
    found = []
    for name, chosen in active.items():
        mine = similarity[chosen]
        n = len(mine)
        if not n:
            none = Band(np.nan, np.nan, np.nan, 0, "no phrase in this scope")
            found.append(Scope(name, none, none))
            continue
        drawn = mine[rng.integers(n, size=(resamples, n))]
        mean = band(float(mine.mean()), drawn.mean(axis=1), n, "")
        median = band(float(np.median(mine)), np.median(drawn, axis=1), n, "")
        found.append(Scope(name, mean, median))
    return found
