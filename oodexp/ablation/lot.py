"""One source as a division sees it, with all that does not depend on the division's settings.

S and Delta of a pair rest on logits and annotations alone. They are computed once; thresholds,
criteria, rules, subsets of scorers, caps and seeds then only regroup the pairs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from oodexp.division.sample import absent_cells, drawn_pairs
from oodexp.division.signal import competes, signals
from oodexp.error import OodexpError
from oodexp.record import PRESENT

if TYPE_CHECKING:
    from oodexp.division.base import Matrix
    from oodexp.division.cross_validation import CrossValidation


@dataclass(frozen=True, slots=True)
class Lot:
    """The present pairs of one source as every scorer judges them."""

    matrix: Matrix
    """The annotations."""
    field: Mapping[str, str]
    """`competitors` and `unknown` that S and Delta were computed with."""
    rows: np.ndarray
    """Image index of each present pair, int64, (pair,), in order of rows and columns."""
    columns: np.ndarray
    """Category index of each present pair, int64, (pair,)."""
    scores: Mapping[str, np.ndarray]
    """S by scorer, float32, (pair,); NaN where unscored."""
    margins: Mapping[str, np.ndarray]
    """Delta by scorer, float32, (pair,); NaN where unscored."""
    readable: Mapping[str, np.ndarray]
    """Whether the scorer has all logits of an image, by scorer, bool, (image,)."""


class Grouped(NamedTuple):
    """What a division makes of a lot."""

    split: np.ndarray
    """Codes of `division.verdict` of the present pairs, int64, (pair,)."""
    drawn: np.ndarray
    """Whether a present pair is in the benchmark, bool, (pair,)."""
    absent: np.ndarray
    """Absent pairs of the ID pool, drawn all: `row * categories + column`, int64, ascending."""


def lot(
    matrix: Matrix, logits: Mapping[str, np.ndarray], links: Mapping[str, str] | None = None,
    competitors: str = "absent", unknown: str = "compete",
) -> Lot:  # fmt: skip
    """The lot of a source.

    Args:
        matrix: The annotations.
        logits: Scaled logits by scorer, float32, (image, category); NaN is unscored.
        links: `softmax` or `sigmoid` by scorer; `softmax` where not named.
        competitors: See `division.signal.competes`.
        unknown: See `division.signal.competes`.
    """
    rows, columns = np.nonzero(matrix.presence == PRESENT)
    rivals = competes(matrix.presence, competitors, unknown)
    links = links or {}
    found = {
        name: signals(values, rivals, rows, columns, links.get(name, "softmax"))
        for name, values in logits.items()
    }
    return Lot(
        matrix, {"competitors": competitors, "unknown": unknown}, rows, columns,
        {name: f.score for name, f in found.items()}, {n: f.margin for n, f in found.items()},
        {name: np.isfinite(values).all(axis=1) for name, values in logits.items()},
    )  # fmt: skip


def group(source: Lot, scorers: Sequence[str], division: CrossValidation) -> Grouped:
    """The division of a lot: what `CrossValidation.divide` gives for these scorers' logits.

    Args:
        source: The lot.
        scorers: Names of the scorers to divide by, one or more of the lot's, each once.
        division: How to divide and to draw.

    Raises:
        OodexpError: If a scorer is not in the lot, or the division has other competitors.
    """
    names = list(scorers)
    unknown = sorted(set(names) - set(source.scores))
    if unknown or not names or len(set(names)) < len(names):
        raise OodexpError(
            f"scorers {names}: expected one or more of {', '.join(source.scores)}, each once"
        )
    if division.field != source.field:
        raise OodexpError(
            f"division.{division.field}: the scores were computed with {dict(source.field)}; "
            "make another lot for other competitors"
        )
    # Side by side in memory, as the division lays them: a mean over scorers adds in one order.
    scores = np.stack([source.scores[name] for name in names], axis=1)
    margins = np.stack([source.margins[name] for name in names], axis=1)
    split = division.judge(names, scores, margins).split
    readable = np.all([source.readable[name] for name in names], axis=0)
    rows, columns = absent_cells(source.matrix.presence, readable, split, division.sampling)
    drawn = drawn_pairs(split, len(rows), division.sampling)
    return Grouped(split, drawn, rows * len(source.matrix.categories) + columns)
