"""Annotated cells (image, category): counted from annotations, merged under new texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from oodexp.record import ABSENT, PRESENT, UNKNOWN
from oodexp.room import refuse_larger
from oodexp.text import brief

NOT_KNOWN = -1
"""A count that is not known."""

# Which presence of two merged categories holds: present before unknown before absent. The same
# look-up leads there and back.
_STRENGTH = np.array([0, 2, 1], dtype=np.uint8)


@dataclass(frozen=True, slots=True)
class Cells:
    """Annotated cells, sorted by image, then category; arrays of one length."""

    row: np.ndarray
    """Index of the image, int64."""
    column: np.ndarray
    """Index of the category, int64."""
    objects: np.ndarray
    """Number of annotated objects, >= 1, int64; crowd regions count as one."""
    count: np.ndarray
    """Number of instances, >= 1, int64; `NOT_KNOWN` where it is not known."""
    reason: np.ndarray
    """Why the count is not known; None where it is."""
    area: np.ndarray
    """Square pixels of the largest instance, float64; NaN where not annotated."""
    planted: np.ndarray
    """Drawn worlds: why the pair is out of distribution; else None."""

    @classmethod
    def of(
        cls, row: np.ndarray, column: np.ndarray, crowd: np.ndarray, area: np.ndarray,
        planted: dict[int, str], categories: int,
    ) -> Cells:  # fmt: skip
        """Counts annotations.

        Args:
            row: Index of each annotation's image.
            column: Index of each annotation's category.
            crowd: Whether the annotation is a region of many objects, which makes the count
                unknown.
            area: Square pixels, NaN where not annotated; a crowd region's is not looked at.
            planted: Planted reasons by annotation.
            categories: Number of categories.
        """
        keys, cell, objects = np.unique(
            row.astype(np.int64) * categories + column, return_inverse=True, return_counts=True
        )
        crowded = np.bincount(cell[crowd], minlength=len(keys)) > 0
        largest = np.full(len(keys), np.nan)
        np.fmax.at(largest, cell[~crowd], np.maximum(area[~crowd], 0.0))
        why = np.full(len(keys), None, dtype=object)
        for number, reason in planted.items():
            held = why[cell[number]]
            why[cell[number]] = min(filter(None, (held, reason)), key=_ease)
        reasons = np.full(len(keys), None, dtype=object)
        reasons[crowded] = "crowd"
        width = max(categories, 1)
        return cls(
            keys // width, keys % width, objects, np.where(crowded, NOT_KNOWN, objects), reasons,
            largest, why,
        )  # fmt: skip

    def without_count(self, which: np.ndarray, reason: str) -> Cells:
        """The cells with the counts of some of them not known; a reason that stands is kept.

        Args:
            which: Which cells, bool.
            reason: Why.
        """
        reasons = self.reason.copy()
        reasons[which & (self.count != NOT_KNOWN)] = reason
        return replace(self, count=np.where(which, NOT_KNOWN, self.count), reason=reasons)

    def select(self, which: np.ndarray) -> Cells:
        """Some of the cells, or all in another order.

        Args:
            which: Which to keep, bool, or their indices.
        """
        return Cells(
            self.row[which], self.column[which], self.objects[which], self.count[which],
            self.reason[which], self.area[which], self.planted[which],
        )  # fmt: skip


def marked(cells: Cells, presence: np.ndarray) -> np.ndarray:
    """The presence matrix with every annotated cell PRESENT, in place.

    Args:
        cells: Annotated cells.
        presence: Codes of `record`, (image, category): what holds where nothing is annotated.
    """
    presence[cells.row, cells.column] = PRESENT
    return presence


def merge(
    cells: Cells, presence: np.ndarray, texts: Sequence[str | None], names: Sequence[str]
) -> tuple[Cells, np.ndarray, list[str]]:
    """Cells, presence and categories under new texts.

    Names of one text become one category: present if one is, else unknown if one is, else absent;
    counts are added, and not known if one is not known or one name's presence is unknown.

    Args:
        cells: Annotated cells of the names.
        presence: Codes of `record`, (image, name).
        texts: Text of each name; None drops it.
        names: Annotated names, for reasons.
    """
    categories = list(dict.fromkeys(t for t in texts if t is not None))
    place = {text: n for n, text in enumerate(categories)}
    to = np.array([-1 if t is None else place[t] for t in texts], dtype=np.int64)
    strength = np.zeros((len(presence), len(categories)), dtype=np.uint8)
    shared = np.bincount(to[to >= 0], minlength=len(categories)) > 1
    for name in np.flatnonzero(to >= 0).tolist():
        column = to[name]
        mine = _STRENGTH[presence[:, name]]
        if shared[column]:
            unknown = presence[:, name] == UNKNOWN
            which = (to[cells.column] == column) & unknown[cells.row]
            cells = cells.without_count(which, f"presence of {brief(names[name])} is not known")
            mine = np.maximum(mine, strength[:, column])
        strength[:, column] = mine
    kept = cells.select(to[cells.column] >= 0)
    moved = replace(kept, column=to[kept.column])
    return _joined(moved, len(categories)), _STRENGTH[strength], categories


def _joined(cells: Cells, categories: int) -> Cells:
    """The cells with those of the same image and category made one, sorted anew."""
    key = cells.row * categories + cells.column
    order = np.argsort(key, kind="stable")
    cells, key = cells.select(order), key[order]
    starts = np.flatnonzero(np.diff(key, prepend=-1))
    if len(starts) == len(key):
        return cells
    ends = np.append(starts[1:], len(key))
    unknown = np.logical_or.reduceat(cells.count == NOT_KNOWN, starts)
    added = np.add.reduceat(cells.count, starts)
    reason, planted = cells.reason[starts], cells.planted[starts]
    for n in np.flatnonzero(ends - starts > 1):
        mine = slice(starts[n], ends[n])
        reason[n] = "; ".join(dict.fromkeys(filter(None, cells.reason[mine]))) or None
        planted[n] = min(filter(None, cells.planted[mine]), key=_ease, default=None)
    return Cells(
        cells.row[starts], cells.column[starts], np.add.reduceat(cells.objects, starts),
        np.where(unknown, NOT_KNOWN, added), reason, np.fmax.reduceat(cells.area, starts), planted,
    )  # fmt: skip


def _ease(planted: str) -> tuple[bool, bool, str]:
    # A pair is as easy as its easiest instance; "canonical" sorts before the other reasons, then
    # "variant: ..." is preferred to "secondary".
    return planted != "canonical", planted == "secondary", planted


def empty(images: int, categories: int, code: int = ABSENT, most: int | None = None) -> np.ndarray:
    """A presence matrix of one code, uint8, (image, category).

    Args:
        images: Number of images.
        categories: Number of categories.
        code: What holds everywhere.
        most: Most bytes; by default a quarter of this machine's memory.

    Raises:
        OodexpError: If the matrix would be larger.
    """
    shape = f"{images:,} images x {categories:,} categories"
    refuse_larger(images * categories, shape, "read fewer of them", most)
    return np.full((images, categories), code, dtype=np.uint8)
