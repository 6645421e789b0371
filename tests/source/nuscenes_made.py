"""Small data sets in the layout of nuScenes, drawn at random: 13 tables and the key frames."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from oodexp.source.nuscenes import NuScenes

NAMES = (
    "human.pedestrian.adult", "vehicle.car", "vehicle.truck", "movable_object.trafficcone",
    "movable_object.debris",
)  # fmt: skip
CAMERAS = {"CAM_FRONT": (0.5, -0.5, 0.5, -0.5), "CAM_BACK": (0.5, -0.5, -0.5, 0.5)}
"""Rotations: the camera's z is the car's x (ahead) or its opposite."""
INTRINSIC = [[1266.4, 0.0, 816.3], [0.0, 1266.4, 491.5], [0.0, 0.0, 1.0]]
TABLES = (
    "category", "attribute", "visibility", "instance", "sensor", "calibrated_sensor", "ego_pose",
    "log", "scene", "sample", "sample_data", "sample_annotation", "map",
)  # fmt: skip


def _png() -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (16, 9)).save(file, "png")
    return file.getvalue()


PNG = _png()
"""A small image; what follows it in a file does not matter."""


@dataclass
class Made:
    """A data set in memory: tables by name; `write` puts it on disk."""

    tables: dict[str, list[dict[str, Any]]] = field(
        default_factory=lambda: {name: [] for name in TABLES}
    )

    def add(self, table: str, token: str, **row: Any) -> str:
        """Adds a row and returns its token."""
        self.tables[table].append({"token": token, **row})
        return token

    def row(self, table: str, token: str) -> dict[str, Any]:
        """The row of a token, to be changed in place."""
        return next(r for r in self.tables[table] if r["token"] == token)

    def box(self, sample: str, category: str, centre, size=(1.8, 4.5, 1.6), **row: Any) -> str:
        """Annotates a box; centre in the world, size as width, length, height."""
        number = len(self.tables["sample_annotation"])
        instance = self.add("instance", f"i{number}", category_token=f"c-{category}")
        full = {
            "sample_token": sample, "instance_token": instance, "visibility_token": "4",
            "attribute_tokens": [], "translation": [float(v) for v in centre],
            "size": [float(v) for v in size], "rotation": [1.0, 0.0, 0.0, 0.0], "prev": "",
            "next": "", "num_lidar_pts": 5, "num_radar_pts": 0,
        }  # fmt: skip
        return self.add("sample_annotation", f"a{number}", **(full | row))

    def write(self, root: Path, version: str = "v1.0-trainval") -> Path:
        """Writes tables and key frames below `root`, which it returns."""
        (root / version).mkdir(parents=True, exist_ok=True)
        for name, rows in self.tables.items():
            (root / version / f"{name}.json").write_text(json.dumps(rows, indent=0))
        for row in self.tables["map"]:  # the devkit wants the files to be there
            (root / row["filename"]).parent.mkdir(parents=True, exist_ok=True)
            (root / row["filename"]).write_bytes(PNG)
        for row in self.tables["sample_data"]:
            file = root / row["filename"]
            if row["is_key_frame"] and ".." not in row["filename"]:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(PNG + row["token"].encode())
        return root


def empty(scenes: tuple[str, ...] = ("scene-0003", "scene-0012"), samples: int = 2) -> Made:
    """Scenes without boxes: the car stands at the origin of the world, the cameras 1.5 m above.

    The key frame of camera C in sample n (of scene s) has the token `s<s>-<n>-C`, its sample
    `s<s>-<n>`; between two key frames there is a sweep.
    """
    made = Made()
    for name in NAMES:
        made.add("category", f"c-{name}", name=name, description="")
    for level in "1234":
        made.add("visibility", level, level=f"v{level}", description="")
    made.add("log", "log", logfile="", vehicle="", date_captured="", location="")
    made.add("map", "map", log_tokens=["log"], category="", filename="maps/none.png")
    for camera, rotation in CAMERAS.items():
        made.add("sensor", f"sensor-{camera}", channel=camera, modality="camera")
        made.add(
            "calibrated_sensor", f"cs-{camera}", sensor_token=f"sensor-{camera}",
            translation=[0.0, 0.0, 1.5], rotation=list(rotation), camera_intrinsic=INTRINSIC,
        )  # fmt: skip
    made.add("sensor", "sensor-LIDAR_TOP", channel="LIDAR_TOP", modality="lidar")
    made.add(
        "calibrated_sensor", "cs-LIDAR_TOP", sensor_token="sensor-LIDAR_TOP",
        translation=[0.0, 0.0, 2.0], rotation=[1.0, 0.0, 0.0, 0.0], camera_intrinsic=[],
    )  # fmt: skip
    for s, scene in enumerate(scenes):
        made.add("scene", f"scene{s}", name=scene, log_token="log", description="", nbr_samples=0,
                 first_sample_token="", last_sample_token="")  # fmt: skip
        for n in range(samples):
            _sample(made, s, n)
    return made


def _sample(made: Made, scene: int, number: int) -> None:
    sample = made.add(
        "sample", f"s{scene}-{number}", scene_token=f"scene{scene}", timestamp=1000 * number,
        prev="", next="",
    )  # fmt: skip
    for channel in (*CAMERAS, "LIDAR_TOP"):
        for kind, key in (("samples", True), ("sweeps", False)):
            token = f"{sample}-{channel}" + ("" if key else "-sweep")
            pose = made.add("ego_pose", f"pose-{token}", translation=[0.0, 0.0, 0.0],
                            rotation=[1.0, 0.0, 0.0, 0.0], timestamp=0)  # fmt: skip
            made.add(
                "sample_data", token, sample_token=sample, ego_pose_token=pose,
                calibrated_sensor_token=f"cs-{channel}", timestamp=1000 * number + (not key),
                fileformat="jpg", is_key_frame=key, width=1600, height=900, prev="", next="",
                filename=f"{kind}/{channel}/{token}.jpg",
            )  # fmt: skip


def drawn(seed: int = 0, boxes: int = 40, **shape: Any) -> Made:
    """Scenes with the car and boxes anywhere, turned anyhow, some of them at the edges of view."""
    rng = np.random.default_rng(seed)
    made = empty(**shape)
    for row in made.tables["calibrated_sensor"]:
        row["translation"] = (row["translation"] + rng.normal(0, 0.3, 3)).tolist()
        row["rotation"] = (row["rotation"] + rng.normal(0, 0.02, 4)).tolist()
    centre = {}
    for sample in made.tables["sample"]:
        centre[sample["token"]] = rng.uniform(-500, 500, 3) * [1, 1, 0]
        heading = rng.uniform(-np.pi, np.pi)
        for row in made.tables["ego_pose"]:
            if row["token"].startswith(f"pose-{sample['token']}-"):
                row["translation"] = (centre[sample["token"]] + rng.normal(0, 0.5, 3)).tolist()
                tilt = rng.normal(0, 0.01, 2)
                row["rotation"] = [np.cos(heading / 2), *tilt, np.sin(heading / 2)]
        for _ in range(boxes):
            yaw = rng.uniform(-np.pi, np.pi)
            made.box(
                sample["token"], str(rng.choice(NAMES)),
                centre[sample["token"]] + rng.normal(0, 15, 3) * [1, 1, 0.1] + [0, 0, 1],
                rng.uniform(0.4, 6, 3), rotation=[np.cos(yaw / 2), 0.0, 0.0, np.sin(yaw / 2)],
                visibility_token=str(rng.choice(["1", "2", "3", "4", ""])),
                num_lidar_pts=int(rng.integers(0, 4)), num_radar_pts=int(rng.integers(0, 2)),
            )  # fmt: skip
    return made


def opened(made: Made, folder: Path, **settings) -> NuScenes:
    """The data set on disk as a source, of all its scenes unless others are asked for."""
    return NuScenes(str(made.write(folder)), **({"scenes": "all"} | settings))


def counts(source: NuScenes, image: str = "s0-0-CAM_FRONT") -> dict[str, int | None]:
    """Count of each category present in an image."""
    pairs = source.pairs()
    mine = pairs[pairs["image_id"] == image]
    return dict(zip(mine["category"], mine["count"], strict=True))
