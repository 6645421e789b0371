"""Sampling after the division: the ID pool and the caps (OODBench, V-B and V-C).

The paper pairs ID at random and then removes flagged pairs, so ID is sampled after the division.
Every pair gets one random rank, drawn from the seed before anything is known of its split, and each
split takes its lowest ranks: moving a threshold changes as few of the drawn pairs as it can.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from oodexp import table
from oodexp.division.base import Matrix
from oodexp.error import OodexpError
from oodexp.record import ABSENT, SPLITS, Membership

ID_POOLS = ("present", "random", "balanced")


@dataclass(frozen=True, slots=True)
class Sampling:
    """How ID is drawn and how many pairs each split may hold.

    Raises:
        OodexpError: If an option is not one of its values.
    """

    id_pool: str
    """`present`: annotated pairs flagged by none; `random`: any (image, category) but flagged
    ones, the label from the annotation; `balanced`: half present, half absent."""
    id_size: str | int
    """`larger` of OOD-S and OOD-H, `all`, or a number of pairs."""
    cap: int | None
    """Most pairs per source and split; None for no cap."""
    seed: int
    """Seed of the random ranks."""

    def __post_init__(self) -> None:
        """Checks the options."""
        if self.id_pool not in ID_POOLS:
            raise OodexpError(
                f"division.id_pool={self.id_pool}: expected one of {', '.join(ID_POOLS)}"
            )
        numbers = [v for v in (self.id_size, self.cap) if isinstance(v, int)]
        if any(v < 1 for v in numbers) or self.id_size not in ("larger", "all", *numbers):
            raise OodexpError(
                f"division.id_size={self.id_size}, division.cap={self.cap}: expected `larger`, "
                "`all` or a number >= 1, and a number >= 1 or null"
            )
        if self.seed < 0:
            raise OodexpError(f"division.seed={self.seed}: expected a number >= 0")


def absent_pairs(
    matrix: Matrix, readable: np.ndarray, present: pd.DataFrame, sampling: Sampling
) -> pd.DataFrame:
    """The absent pairs that a `random` or `balanced` ID pool holds, in random order.

    Args:
        matrix: The annotations.
        readable: bool, (image,): whether every scorer has scored the image.
        present: The memberships of the present pairs.
        sampling: The options.

    Returns:
        `record.Membership` rows, empty for the pool `present`.
    """
    if sampling.id_pool == "present":
        return table.frame(Membership)
    rng = np.random.default_rng([sampling.seed, 1])
    rows, columns = np.nonzero((matrix.presence == ABSENT) & readable[:, None])
    target, unflagged = _id_target(present, sampling), int((present["split"] == "ID").sum())
    if sampling.id_pool == "random":
        # How many of a uniform draw over absent and unflagged cells are absent.
        size = min(target, len(rows) + unflagged)
        count = int(rng.hypergeometric(len(rows), unflagged, size)) if size else 0
    else:
        count = min(target // 2, len(rows), unflagged)
    chosen = np.sort(rng.choice(len(rows), size=count, replace=False))
    return table.frame(
        Membership,
        {
            "source": [matrix.source] * count,
            "image_id": np.array(matrix.image_ids, dtype=object)[rows[chosen]],
            "category": np.array(matrix.categories, dtype=object)[columns[chosen]],
            "present": False,
            "split": ["ID"] * count,
            "flags": pd.array([0] * count, dtype="Int64"),
            "scorers": [int(present["scorers"].max()) if len(present) else 0] * count,
            "drawn": True,
            "reason": [None] * count,
        },
    )


def draw(present: pd.DataFrame, absent: pd.DataFrame, sampling: Sampling) -> pd.DataFrame:
    """Marks the drawn pairs of each split and adds the absent ones.

    Args:
        present: `record.Membership` of one source's present pairs.
        absent: Absent pairs already drawn (see `absent_pairs`).
        sampling: The options.
    """
    rank = np.random.default_rng([sampling.seed, 0]).permutation(len(present))
    drawn = np.zeros(len(present), dtype=bool)
    for split in SPLITS:
        members = np.flatnonzero((present["split"] == split).to_numpy())
        size = len(members) if sampling.cap is None else min(len(members), sampling.cap)
        if split == "ID":
            rest = _id_target(present, sampling) - len(absent)
            size = min(len(members), len(absent) if sampling.id_pool == "balanced" else rest)
        drawn[members[np.argsort(rank[members])][: max(size, 0)]] = True
    return table.concat(Membership, [present.assign(drawn=drawn), absent])


def _id_target(present: pd.DataFrame, sampling: Sampling) -> int:
    sizes = present["split"].value_counts()
    if isinstance(sampling.id_size, int):
        size = sampling.id_size
    elif sampling.id_size == "all":
        size = int(sizes.get("ID", 0))
    else:
        size = int(max(sizes.get("OOD-S", 0), sizes.get("OOD-H", 0)))
    return size if sampling.cap is None else min(size, sampling.cap)
