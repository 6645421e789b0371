"""What every divider gives: signals of each scorer and the membership of each pair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

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
    """Divides the pairs of a source by stored logits; runs no model."""

    def divide(
        self, matrix: Matrix, logits: Mapping[str, np.ndarray], reasons: Mapping[str, str]
    ) -> Division:
        """The division.

        Args:
            matrix: The annotations.
            logits: Scaled logits of each scorer, float32, (image, category); NaN is unscored.
            reasons: Why an image has no score at all, by image id.
        """
