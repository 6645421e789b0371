"""Key frames of one nuScenes camera: the file, and where the car and the camera were."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from oodexp.error import OodexpError
from oodexp.source.nuscenes_rows import Row, matrix, named, pose

Lost = tuple[str, str, str]
"""Image id (empty when none), what was left out, and why."""

_WIDEST = 1 << 20  # pixels


@dataclass(frozen=True, slots=True)
class Frame:
    """A key frame of the camera."""

    token: str
    """Token of its `sample_data` row."""
    sample: str
    """Token of its sample, which the boxes refer to."""
    file: str
    """`filename` as written in the table."""
    size: tuple[int, int]
    """Width and height in pixels."""
    ego: tuple[float, ...]
    """Translation (3) and rotation quaternion (4) of the car in the world."""
    camera: tuple[float, ...]
    """Translation (3) and rotation quaternion (4) of the camera in the car."""
    intrinsic: tuple[float, ...]
    """Camera matrix, row by row (9)."""


@dataclass(frozen=True, slots=True)
class _Shot:
    """A key frame before its poses are looked up."""

    row: Row
    order: tuple[str, int, str]
    calibrated: Row


def read_frames(
    folder: Path, camera: str, wanted: Callable[[str], bool]
) -> tuple[list[Frame], list[Lost]]:
    """The key frames of a camera in the wanted scenes, by scene and time; and what was left out.

    The two longest tables are read row by row: only the rows of the frames are kept.

    Args:
        folder: The folder of the tables, e.g. `v1.0-trainval`.
        camera: Channel of the sensor, e.g. `CAM_FRONT`.
        wanted: Whether a scene is asked for, by its name.

    Raises:
        OodexpError: If a table is not there or is no such table, or there is no such camera or
            not one of the scenes.
    """
    lost: list[Lost] = []
    samples = _samples(folder, wanted)
    shots = _shots(folder, samples, _calibrated(folder, camera), lost)
    asked = {shot.row["ego_pose_token"] for shot in shots}
    poses = {r["token"]: r for r in named(folder, "ego_pose", "token") if r["token"] in asked}
    frames = []
    for shot in shots:
        frame = _frame(shot, poses.get(shot.row["ego_pose_token"]))
        if isinstance(frame, Frame):
            frames.append(frame)
        else:
            lost.append((shot.row["token"], shot.row["filename"], frame))
    have = {shot.row["sample_token"] for shot in shots}
    lost += [
        ("", f"sample {token} of {scene}", f"no key frame of {camera} in sample_data.json")
        for token, (scene, _) in samples.items()
        if token not in have
    ]
    return frames, lost


def _samples(folder: Path, wanted: Callable[[str], bool]) -> dict[str, tuple[str, int]]:
    """Scene name and time of each sample of a wanted scene, by its token."""
    names = {r["token"]: r["name"] for r in named(folder, "scene", "token", "name")}
    scenes = {token: name for token, name in names.items() if wanted(name)}
    if not scenes:
        raise OodexpError(
            f"source.scenes: none of them is among the {len(names)} scenes of {folder}/scene.json "
            f"({', '.join(sorted(names.values())[:3])}, ...); expected val with v1.0-trainval, "
            "mini_val with v1.0-mini, all, or names of scenes that are there"
        )
    return {
        row["token"]: (scenes[row["scene_token"]], _time(row))
        for row in named(folder, "sample", "token", "scene_token")
        if row["scene_token"] in scenes
    }


def _time(row: Row) -> int:
    time = row.get("timestamp")
    return time if isinstance(time, int) else 0


def _calibrated(folder: Path, camera: str) -> dict[str, Row]:
    """Calibrations of the camera, by token."""
    channels = {r["token"]: r["channel"] for r in named(folder, "sensor", "token", "channel")}
    if camera not in channels.values():
        cameras = sorted({c for c in channels.values() if c.startswith("CAM")})
        raise OodexpError(
            f"source.camera={camera}: no such channel in {folder}/sensor.json; expected one of "
            f"{', '.join(cameras)}"
        )
    table = named(folder, "calibrated_sensor", "token", "sensor_token")
    return {r["token"]: r for r in table if channels.get(r["sensor_token"]) == camera}


def _shots(
    folder: Path, samples: dict[str, tuple[str, int]], cameras: dict[str, Row], lost: list[Lost]
) -> list[_Shot]:
    found: dict[str, _Shot] = {}
    needed = ("token", "sample_token", "ego_pose_token", "calibrated_sensor_token", "filename")
    for row in named(folder, "sample_data", *needed):
        camera, sample = row["calibrated_sensor_token"], row["sample_token"]
        if row.get("is_key_frame") is not True or camera not in cameras or sample not in samples:
            continue
        if sample in found:
            first = found[sample].row["token"]
            lost.append((row["token"], row["filename"], f"sample {sample} has {first} already"))
            continue
        found[sample] = _Shot(row, (*samples[sample], row["token"]), cameras[camera])
    return sorted(found.values(), key=lambda shot: shot.order)


def _frame(shot: _Shot, ego_row: Row | None) -> Frame | str:
    """The frame, or what is wrong with it."""
    row = shot.row
    if ego_row is None:
        return f"ego_pose {row['ego_pose_token']} is not in ego_pose.json"
    width, height = row.get("width"), row.get("height")
    if not all(isinstance(side, int) and 0 < side < _WIDEST for side in (width, height)):
        return f"width {width!r} and height {height!r}: expected pixels"
    ego, camera, intrinsic = pose(ego_row), pose(shot.calibrated), matrix(shot.calibrated)
    if ego is None or camera is None:
        where = "ego_pose" if ego is None else "calibrated_sensor"
        return f"{where}: expected translation (3 numbers) and rotation (4, not all 0)"
    if intrinsic is None:
        return "calibrated_sensor: expected camera_intrinsic (3 rows of 3 numbers)"
    size = (int(row["width"]), int(row["height"]))
    return Frame(row["token"], row["sample_token"], row["filename"], size, ego, camera, intrinsic)
