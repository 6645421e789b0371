"""Rows of the nuScenes tables, and the numbers in them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from oodexp.error import OodexpError
from oodexp.source.json_rows import rows

TABLES = (
    "category", "instance", "sensor", "calibrated_sensor", "scene", "sample", "sample_data",
    "ego_pose", "sample_annotation",
)  # fmt: skip
"""What is read of the 13 tables."""

Row = dict[str, Any]

_HUGE = 1e100


def named(folder: Path, name: str, *needed: str) -> Iterator[Row]:
    """The rows of a table, one by one.

    Args:
        folder: The folder of the tables, e.g. `v1.0-trainval`.
        name: Name of the table.
        needed: Fields that must hold text (tokens and names).

    Raises:
        OodexpError: If the file is not there or is no such table.
    """
    path = folder / f"{name}.json"
    for number, row in enumerate(rows(path)):
        lacking = [f for f in needed if not isinstance(row.get(f), str)]
        if lacking:
            raise OodexpError(
                f"{path}: entry {number} has no text {', '.join(lacking)}; expected the table "
                f"{name} of nuScenes"
            )
        yield row


def vector(value: Any, length: int) -> tuple[float, ...] | None:
    """A list of so many finite numbers; None when it is not that."""
    if not isinstance(value, list) or len(value) != length:
        return None
    # A comparison, not isfinite: that fails with whole numbers of hundreds of digits.
    good = all(isinstance(v, (int, float)) and abs(v) < _HUGE for v in value)
    return tuple(map(float, value)) if good else None


def pose(row: Row) -> tuple[float, ...] | None:
    """Translation (3) and rotation quaternion (4, not of length zero); None when not given."""
    moved, turned = vector(row.get("translation"), 3), vector(row.get("rotation"), 4)
    return moved + turned if moved and turned and any(turned) else None


def matrix(row: Row) -> tuple[float, ...] | None:
    """The camera matrix, row by row (9); None when not given."""
    lines = row.get("camera_intrinsic")
    if not isinstance(lines, list) or len(lines) != 3:
        return None
    flat = [vector(line, 3) for line in lines]
    return sum((line for line in flat if line), ()) if all(flat) else None
