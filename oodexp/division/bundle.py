"""The division that a bundle recorded: no scorer is needed, and none is asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
import pandas as pd

from oodexp import table
from oodexp.bundle.folder import BundleFolder
from oodexp.division.base import Division, Matrix
from oodexp.error import OodexpError
from oodexp.record import PRESENT, Membership, Signal

_REMEDY = "choose source=bundle, or the annotations that the run had"


class Recorded:
    """Memberships and signals as the run that wrote the bundle had them.

    Pairs of an image that cannot be read here lose their split.

    Args:
        folder: The bundle.

    Raises:
        OodexpError: If the folder is no whole bundle.
    """

    NEEDS_SCORERS: ClassVar[bool] = False

    def __init__(self, folder: str) -> None:
        self._bundle = BundleFolder(folder)

    def divide(
        self, matrix: Matrix, logits: Mapping[str, np.ndarray], reasons: Mapping[str, str],
        links: Mapping[str, str] | None = None,
    ) -> Division:  # fmt: skip
        """See `base.Divider`; logits and links change nothing.

        Raises:
            OodexpError: If the bundle does not divide this source, or divides what it has not.
        """
        source = self._bundle.source(matrix.source)
        signals = self._bundle.table("signals", source.name)
        members = self._bundle.table("memberships", source.name)
        _same_pairs(members, matrix, str(self._bundle.path))
        lost = members["image_id"].map(reasons).where(members["split"].notna())
        members = _unscored(members, lost, ("split", "flags")).assign(
            drawn=members["drawn"] & lost.isna()
        )
        why = signals["image_id"].map(reasons).where(signals["flagged"].notna())
        signals = _unscored(signals, why, ("score", "margin", "surrogate", "flagged"))
        return Division(table.check(Signal, signals), table.check(Membership, members))


def _unscored(rows: pd.DataFrame, why: pd.Series, columns: tuple[str, ...]) -> pd.DataFrame:
    """The rows, those with a reason without their values."""
    lost = why.notna()
    if not lost.any():
        return rows
    gone = {name: rows[name].mask(lost) for name in columns}
    return rows.assign(**gone, reason=rows["reason"].where(~lost, why))


def _same_pairs(members: pd.DataFrame, matrix: Matrix, where: str) -> None:
    """Refuses a division of other pairs than those of the source.

    Raises:
        OodexpError: Names the first image or category that is strange.
    """
    place = []
    for column, known in (("image_id", matrix.image_ids), ("category", matrix.categories)):
        place.append(pd.Index(known).get_indexer(members[column]))
        if (place[-1] < 0).any():
            strange = members[column].iloc[int((place[-1] < 0).argmax())]
            raise OodexpError(
                f"division of {where}: {column} {strange!r} is not in source {matrix.source}; "
                f"{_REMEDY}"
            )
    cells = place[0] * len(matrix.categories) + place[1]
    present = np.sort(cells[members["present"].to_numpy(dtype=bool)])
    if not np.array_equal(present, np.flatnonzero(matrix.presence == PRESENT)):
        raise OodexpError(
            f"division of {where}: source {matrix.source} has other present pairs; {_REMEDY}"
        )
