"""The annotated boxes of nuScenes around given frames, in columns."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from oodexp.source.nuscenes_frames import Frame, Lost
from oodexp.source.nuscenes_rows import Row, named, pose, vector

_MANY = 1 << 31  # points; more than any sweep has


@dataclass(slots=True)
class Boxes:
    """N boxes; a box of a few hundred bytes in the table takes about 130 here."""

    frame: array[int] = field(default_factory=lambda: array("q"))
    """Position of the frame among the given ones."""
    category: list[str] = field(default_factory=list)
    """Dotted category name."""
    numbers: array[float] = field(default_factory=lambda: array("d"))
    """Translation (3), size (3) and rotation (4) in the world, ten numbers a box."""
    visibility: array[int] = field(default_factory=lambda: array("q"))
    """Level 1 ... 4, of all six cameras together; 0 when not annotated."""
    points: array[int] = field(default_factory=lambda: array("q"))
    """Lidar and radar points inside the box."""

    def __len__(self) -> int:
        return len(self.category)

    def placed(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Centres (N, 3), sizes (N, 3) and quaternions (N, 4)."""
        table = np.array(self.numbers).reshape(-1, 10)
        return table[:, :3], table[:, 3:6], table[:, 6:]


def read_boxes(folder: Path, frames: Sequence[Frame]) -> tuple[Boxes, list[Lost]]:
    """The boxes annotated in the samples of the frames; and what was left out.

    Args:
        folder: The folder of the tables.
        frames: One a sample.

    Raises:
        OodexpError: If a table is not there or is no such table.
    """
    position = {frame.sample: number for number, frame in enumerate(frames)}
    names = {r["token"]: r["name"] for r in named(folder, "category", "token", "name")}
    categories = {
        r["token"]: names.get(r["category_token"])
        for r in named(folder, "instance", "token", "category_token")
    }
    boxes, lost = Boxes(), []
    for row in named(folder, "sample_annotation", "token", "sample_token", "instance_token"):
        number = position.get(row["sample_token"])
        if number is None:
            continue
        wrong = _add(boxes, number, categories.get(row["instance_token"]), row)
        if wrong:
            lost.append((frames[number].token, f"sample_annotation {row['token']}", wrong))
    return boxes, lost


def _add(boxes: Boxes, frame: int, category: str | None, row: Row) -> str | None:
    """What is wrong with the box, if it could not be added."""
    if category is None:
        return f"instance {row['instance_token']} has no category in instance.json, category.json"
    placed, size = pose(row), vector(row.get("size"), 3)
    if placed is None:
        return "expected translation (3 numbers) and rotation (4, not all 0)"
    if size is None or min(size) <= 0:
        return f"size {row.get('size')!r}: expected 3 numbers above 0"
    boxes.frame.append(frame)
    boxes.category.append(category)
    boxes.numbers.extend((*placed[:3], *size, *placed[3:]))
    level = row.get("visibility_token")
    boxes.visibility.append(int(level) if level in ("1", "2", "3", "4") else 0)
    counted = (row.get("num_lidar_pts"), row.get("num_radar_pts"))
    boxes.points.append(sum(min(n, _MANY) for n in counted if isinstance(n, int)))
    return None
