"""Which boxes a nuScenes frame shows, under a rule that the configuration states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from oodexp.error import OodexpError
from oodexp.source import nuscenes_geometry as geometry
from oodexp.source.nuscenes_boxes import Boxes
from oodexp.source.nuscenes_frames import Frame

Inside = Literal["any", "all", "hull"]

_BATCH = 1 << 15


@dataclass(frozen=True, slots=True)
class Rule:
    """When a box counts as visible."""

    inside: Inside
    """`any`: at least one corner inside the image and deeper than `min_depth`, all corners in
    front of the camera (nuScenes' `BoxVisibility.ANY`); `all`: all corners so; `hull`: the part
    deeper than `min_depth` covers some of the image."""
    min_depth: float
    """Metres from the camera, above 0."""
    min_height: float
    """Height in pixels of what the image shows of the box."""
    min_area: float
    """Square pixels of what the image shows of the box."""
    min_visibility: int
    """Level 1 ... 4 of `visibility_token`; 0 asks for none, also not that it is annotated."""
    min_points: int
    """Lidar and radar points."""

    def __post_init__(self) -> None:
        if self.inside not in ("any", "all", "hull"):
            raise OodexpError(f"source.inside={self.inside}: expected any, all or hull")
        if not self.min_depth > 0:
            raise OodexpError(f"source.min_depth={self.min_depth}: expected metres above 0")
        if self.min_visibility not in range(5):
            raise OodexpError(
                f"source.min_visibility={self.min_visibility}: expected a level 1 ... 4, or 0"
            )


@dataclass(frozen=True, slots=True)
class Seen:
    """What the images show of N boxes."""

    passes: np.ndarray
    """Whether the box counts by the rule, bool (N,)."""
    touches: np.ndarray
    """Whether any of it lies in the image, bool (N,); at least where it passes."""
    area: np.ndarray
    """Square pixels of the part in the image, (N,); 0 without one."""


def look(frames: Sequence[Frame], boxes: Boxes, rule: Rule) -> Seen:
    """Projects every box into its frame (world, car, camera, image) and applies the rule."""
    cameras = _Cameras.of(frames)
    owner = np.array(boxes.frame, dtype=np.int64)
    placed = boxes.placed()
    # In parts: the eight corners of a million boxes would take gigabytes.
    parts = [
        _part(cameras.of_boxes(owner[p]), [column[p] for column in placed], rule)
        for p in (slice(s, s + _BATCH) for s in range(0, len(boxes), _BATCH))
    ]
    fits, height, area = (
        np.concatenate([part[n] for part in parts]) if parts else np.zeros(0) for n in range(3)
    )
    enough = (height >= rule.min_height) & (area >= rule.min_area)
    enough &= np.array(boxes.visibility, dtype=np.int64) >= rule.min_visibility
    enough &= np.array(boxes.points, dtype=np.int64) >= rule.min_points
    passes = fits.astype(bool) & enough
    return Seen(passes, passes | (area > 0), area)


@dataclass(frozen=True, slots=True)
class _Cameras:
    """The numbers of F frames, or of the frames of N boxes, row by row."""

    ego: np.ndarray
    ego_turned: np.ndarray
    camera: np.ndarray
    camera_turned: np.ndarray
    intrinsic: np.ndarray
    canvas: np.ndarray

    @classmethod
    def of(cls, frames: Sequence[Frame]) -> _Cameras:
        ego = np.array([f.ego for f in frames]).reshape(-1, 7)
        camera = np.array([f.camera for f in frames]).reshape(-1, 7)
        intrinsic = np.array([f.intrinsic for f in frames]).reshape(-1, 3, 3)
        canvas = np.array([f.size for f in frames], dtype=np.float64).reshape(-1, 2)
        turned = geometry.rotations
        return cls(
            ego[:, :3], turned(ego[:, 3:]), camera[:, :3], turned(camera[:, 3:]), intrinsic, canvas
        )

    def of_boxes(self, owner: np.ndarray) -> _Cameras:
        return _Cameras(
            self.ego[owner], self.ego_turned[owner], self.camera[owner],
            self.camera_turned[owner], self.intrinsic[owner], self.canvas[owner],
        )  # fmt: skip


def _part(
    cameras: _Cameras, placed: Sequence[np.ndarray], rule: Rule
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Whether each box fits by where it is; height and area of what the image shows of it."""
    centres, sizes, quaternions = placed
    points = geometry.corners(centres, sizes, geometry.rotations(quaternions))
    points = geometry.into(points, cameras.ego, cameras.ego_turned)
    points = geometry.into(points, cameras.camera, cameras.camera_turned)
    pixels = geometry.project(points, cameras.intrinsic)
    near = rule.min_depth if rule.inside == "hull" else geometry.IN_FRONT
    height, area = np.zeros(len(points)), np.zeros(len(points))
    for n in np.flatnonzero(_near(points, pixels, cameras.canvas, near)):
        shown = geometry.outline(points[n], cameras.intrinsic[n], cameras.canvas[n], near)
        area[n] = geometry.area(shown)
        height[n] = np.ptp(shown[:, 1]) if len(shown) else 0.0
    if rule.inside == "hull":
        return area > 0, height, area
    inside = geometry.corners_inside(points, pixels, cameras.canvas, rule.min_depth)
    return inside >= (8 if rule.inside == "all" else 1), height, area


def _near(points: np.ndarray, pixels: np.ndarray, canvas: np.ndarray, near: float) -> np.ndarray:
    """Boxes that may reach into the image: those elsewhere need no outline. Bool (N,)."""
    deep = points[..., 2] > near
    with np.errstate(invalid="ignore"):
        low, high = pixels.min(axis=1), pixels.max(axis=1)
        beside = ((high <= 0) | (low >= canvas)).any(axis=1)
    return deep.any(axis=1) & ~(deep.all(axis=1) & beside)
