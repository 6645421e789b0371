"""What every divider gives: signals of each scorer and the membership of each pair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Matrix:
    """The annotations of one source as a matrix, rows and columns named."""

    source: str
    """Name of the data set."""
    image_ids: list[str]
    """Rows."""
    categories: list[str]
    """Columns."""
    presence: np.ndarray
    """Codes of `oodexp.record`, uint8, (image, category)."""


class Division(NamedTuple):
    """The result of a division."""

    signals: pd.DataFrame
    """`record.Signal`, a row per scorer and present pair."""
    memberships: pd.DataFrame
    """`record.Membership`, a row per present pair and per absent pair drawn into the ID pool."""


class Divider(Protocol):
    """Divides the pairs of a source by stored logits; runs no model.

    A divider that needs no scorer has `NEEDS_SCORERS = False`.
    """

    def divide(
        self, matrix: Matrix, logits: Mapping[str, np.ndarray], reasons: Mapping[str, str],
        links: Mapping[str, str] | None = None,
    ) -> Division:  # fmt: skip
        """The division.

        Args:
            matrix: The annotations.
            logits: Scaled logits of each scorer, float32, (image, category); NaN is unscored.
            reasons: Why an image has no score at all, by image id.
            links: `softmax` or `sigmoid` by scorer, from logit to score; `softmax` where not named.
        """


@runtime_checkable
class Refinable(Protocol):
    """A divider that can tell which verdicts hang on the rounding of logits."""

    def flags(
        self, matrix: Matrix, logits: Mapping[str, np.ndarray],
        links: Mapping[str, str] | None = None,
    ) -> dict[str, np.ndarray]:  # fmt: skip
        """The verdict of each scorer alone, bool, (image, category); False where not present."""

    def unsure(
        self, matrix: Matrix, logits: Mapping[str, np.ndarray], bands: Mapping[str, np.ndarray],
        links: Mapping[str, str] | None = None,
    ) -> dict[str, np.ndarray]:  # fmt: skip
        """The pairs whose verdict could change, bool, (image, category), by scorer.

        Args:
            matrix: The annotations.
            logits: As for `Divider.divide`.
            bands: By how much a logit of an image may be wrong, (image,), by scorer; 0 for a logit
                that is exact.
            links: As for `Divider.divide`.
        """
