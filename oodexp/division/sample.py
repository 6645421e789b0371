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
from oodexp.division.verdict import ID, OOD_H, OOD_S
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
    rows, columns = absent_cells(matrix.presence, readable, _codes(present), sampling)
    if not len(rows):
        return table.frame(Membership)
    return table.frame(
        Membership,
        {
            "source": [matrix.source] * len(rows),
            "image_id": np.array(matrix.image_ids, dtype=object)[rows],
            "category": np.array(matrix.categories, dtype=object)[columns],
            "present": False,
            "split": ["ID"] * len(rows),
            "flags": pd.array([0] * len(rows), dtype="Int64"),
            "scorers": [int(present["scorers"].max()) if len(present) else 0] * len(rows),
            "drawn": True,
            "reason": [None] * len(rows),
        },
    )


def draw(present: pd.DataFrame, absent: pd.DataFrame, sampling: Sampling) -> pd.DataFrame:
    """Marks the drawn pairs of each split and adds the absent ones.

    Args:
        present: `record.Membership` of one source's present pairs.
        absent: Absent pairs already drawn (see `absent_pairs`).
        sampling: The options.
    """
    drawn = drawn_pairs(_codes(present), len(absent), sampling)
    return table.concat(Membership, [present.assign(drawn=drawn), absent])


def absent_cells(
    presence: np.ndarray, readable: np.ndarray, split: np.ndarray, sampling: Sampling
) -> tuple[np.ndarray, np.ndarray]:
    """The cells of `absent_pairs`: their rows and columns, int64, in order of rows and columns.

    Args:
        presence: Codes of `oodexp.record`, (image, category).
        readable: bool, (image,): whether every scorer has scored the image.
        split: Codes of `verdict` of the present pairs, (pair,).
        sampling: The options.
    """
    if sampling.id_pool == "present":
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    rng = np.random.default_rng([sampling.seed, 1])
    cells = np.flatnonzero((presence == ABSENT) & readable[:, None])
    target, unflagged = _id_target(split, sampling), int((split == ID).sum())
    if sampling.id_pool == "random":
        # How many of a uniform draw over absent and unflagged cells are absent.
        size = min(target, len(cells) + unflagged)
        count = int(rng.hypergeometric(len(cells), unflagged, size)) if size else 0
    else:
        count = min(target // 2, len(cells), unflagged)
    chosen = cells[np.sort(rng.choice(len(cells), size=count, replace=False))]
    rows, columns = np.divmod(chosen, max(1, presence.shape[1]))
    return rows, columns


def drawn_pairs(split: np.ndarray, absent: int, sampling: Sampling) -> np.ndarray:
    """Which present pairs of one source are drawn: bool, (pair,).

    Args:
        split: Codes of `verdict` of the present pairs, (pair,).
        absent: Number of absent pairs in the ID pool.
        sampling: The options.
    """
    rank = np.random.default_rng([sampling.seed, 0]).permutation(len(split))
    drawn = np.zeros(len(split), dtype=bool)
    for code in (ID, OOD_S, OOD_H):
        members = np.flatnonzero(split == code)
        size = len(members) if sampling.cap is None else min(len(members), sampling.cap)
        if code == ID:
            rest = _id_target(split, sampling) - absent
            size = min(len(members), absent if sampling.id_pool == "balanced" else rest)
        drawn[members[np.argsort(rank[members])][: max(size, 0)]] = True
    return drawn


def _codes(present: pd.DataFrame) -> np.ndarray:
    """Codes of the column `split`; -1 where it is null."""
    return np.asarray(pd.Categorical(present["split"], categories=list(SPLITS)).codes)


def _id_target(split: np.ndarray, sampling: Sampling) -> int:
    if isinstance(sampling.id_size, int):
        size = sampling.id_size
    elif sampling.id_size == "all":
        size = int((split == ID).sum())
    else:
        size = int(max((split == OOD_S).sum(), (split == OOD_H).sum()))
    return size if sampling.cap is None else min(size, sampling.cap)
