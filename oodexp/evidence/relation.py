"""How two properties of images go together (OODConceptBench, Table D10).

Pearson and Spearman correlations of S_Txt, nearest-ID similarity, recognition or any other column,
with intervals from drawing images again. What a benchmark is filtered by is cut off within it, and
correlations shrink with the range: L2 is cut by S_Txt, so that the fall of Pearson's r from 0.129
on L1 to 0.068 on L2 is no sign by itself that the relation differs.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np

from oodexp.error import OodexpError
from oodexp.evidence.band import Band, band
from oodexp.evidence.resampling import slabs


class Relation(NamedTuple):
    """Two columns against one another."""

    first: str
    """Name of a column."""
    second: str
    """Name of the other."""
    pearson: Band
    """Product-moment correlation in [-1, 1]; of a yes-no column, the point-biserial one."""
    spearman: Band
    """The same of mid-ranks."""


def relations(
    columns: Mapping[str, np.ndarray], image: np.ndarray, resamples: int, seed: int
) -> list[Relation]:
    """Pearson and Spearman correlation of every two columns.

    Args:
        columns: By name, finite or bool, (n,) each: S_Txt, nearest-ID similarity, recognised ...
        image: Code of each row's image, (n,); rows of one image are drawn together.
        resamples: Draws of images.
        seed: Of the draws: the same for all.

    Raises:
        OodexpError: If a column does not have one finite value a row.
    """
    values = {name: np.asarray(column, np.float64) for name, column in columns.items()}
    for name, column in values.items():
        if column.shape != image.shape or not np.isfinite(column).all():
            raise OodexpError(f"column {name!r}: expected {len(image)} finite values, one a row")
    couples, place = list(combinations(values, 2)), np.unique(image, return_inverse=True)[1]
    if len(image) < 2 or place.max() < 1:
        none = Band(np.nan, np.nan, np.nan, len(image), "fewer than two images")
        return [Relation(first, second, none, none) for first, second in couples]
    ordered = {name: _Ranked(column) for name, column in values.items()}
    plain = _correlations(values, ordered, couples, np.ones(len(image)))
    draws = np.array(
        [
            _correlations(values, ordered, couples, row[place].astype(np.float64))
            for _, weights in slabs(int(place.max()) + 1, resamples, seed)
            for row in weights
        ]
    )
    bands = [
        [band(plain[c, k], draws[:, c, k], len(image), "a column is constant") for k in (0, 1)]
        for c in range(len(couples))
    ]
    return [Relation(*names, *mine) for names, mine in zip(couples, bands, strict=True)]


class _Ranked:
    """Mid-ranks under any weights, from one sorting."""

    def __init__(self, column: np.ndarray) -> None:
        _, self.place = np.unique(column, return_inverse=True)

    def ranks(self, weights: np.ndarray) -> np.ndarray:
        held = np.bincount(self.place, weights)
        return (np.cumsum(held) - held / 2)[self.place]


def _correlations(
    values: Mapping[str, np.ndarray], ordered: Mapping[str, _Ranked],
    couples: list[tuple[str, str]], weights: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """Pearson and Spearman of each couple, (couple, 2)."""
    ranks = {name: one.ranks(weights) for name, one in ordered.items()}
    both = [[_pearson(of[a], of[b], weights) for of in (values, ranks)] for a, b in couples]
    return np.array(both).reshape(len(couples), 2)


def _pearson(x: np.ndarray, y: np.ndarray, weights: np.ndarray) -> float:
    """NaN where one is constant over the rows that have weight."""
    drawn = weights > 0
    if np.ptp(x[drawn]) == 0 or np.ptp(y[drawn]) == 0:
        return float("nan")
    total = weights.sum()
    x, y = x - weights @ x / total, y - weights @ y / total
    scale = np.sqrt(weights @ (x * x)) * np.sqrt(weights @ (y * y))
    return float(np.clip(weights @ (x * y) / scale, -1, 1))
