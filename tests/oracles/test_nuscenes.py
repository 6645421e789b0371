"""Boxes in view against nuscenes-devkit (1.2.0, which wants numpy < 2: its own environment)."""

from __future__ import annotations

import pytest

from oodexp.source.nuscenes import NuScenes
from oodexp.source.nuscenes_labels import LABELS, SPLITS
from tests.oracles.asked import ask
from tests.source.nuscenes_made import drawn

pytestmark = pytest.mark.oracle

IN_VIEW = """
import json, sys
import numpy as np
from nuscenes.nuscenes import NuScenes
from nuscenes.utils.geometry_utils import BoxVisibility, view_points
from shapely.geometry import MultiPoint, box as canvas
nusc = NuScenes("v1.0-trainval", sys.argv[1], verbose=False)
found = {}
for data in nusc.sample_data:
    if not data["is_key_frame"] or data["channel"] != "CAM_FRONT":
        continue
    _, boxes, intrinsic = nusc.get_sample_data(data["token"], BoxVisibility[sys.argv[2]])
    for box in boxes:
        corners = view_points(box.corners(), intrinsic, normalize=True)[:2].T
        hull = MultiPoint(corners).convex_hull.intersection(canvas(0, 0, 1600, 900))
        mine = found.setdefault(data["token"], {}).setdefault(box.name, [0, 0.0])
        mine[0] += 1
        mine[1] = max(mine[1], hull.area)
print(json.dumps(found))
"""


@pytest.mark.parametrize("rule", ["ANY", "ALL"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_counts_and_areas_are_those_of_box_in_image(tmp_path, rule, seed):
    root = drawn(seed=seed, boxes=150, samples=4).write(tmp_path)
    known = ask("nuscenes", IN_VIEW, str(root), rule)
    pairs = NuScenes(str(root), scenes="all", inside=rule.lower()).pairs()
    text = {name: label for name, label in LABELS.items() if label}
    expected = {
        (image, text[name]): values
        for image, cells in known.items()
        for name, values in cells.items()
        if name in text
    }
    found = {(p.image_id, p.category): [p.count, p.area] for p in pairs.itertuples()}
    assert len(expected) > 10
    assert found.keys() == expected.keys()
    for cell, (count, area) in expected.items():
        assert found[cell][0] == count
        assert found[cell][1] == pytest.approx(area, rel=1e-9)


TRANSFORMED = """
import json, sys
from nuscenes.nuscenes import NuScenes
from nuscenes.utils.geometry_utils import BoxVisibility
nusc = NuScenes("v1.0-trainval", sys.argv[1], verbose=False)
print(json.dumps({
    box.token: box.corners().T.tolist()
    for data in nusc.sample_data
    if data["is_key_frame"] and data["channel"] == "CAM_FRONT"
    for box in nusc.get_sample_data(data["token"], BoxVisibility.NONE)[1]
}))
"""


def test_corners_in_the_camera_frame_are_the_devkits(tmp_path):
    import numpy as np

    from oodexp.source import nuscenes_geometry as geometry
    from oodexp.source.nuscenes_boxes import read_boxes
    from oodexp.source.nuscenes_frames import read_frames

    made = drawn(seed=4, boxes=20)
    root = made.write(tmp_path)
    known = ask("nuscenes", TRANSFORMED, str(root))
    folder = root / "v1.0-trainval"
    frames, _ = read_frames(folder, "CAM_FRONT", lambda name: True)
    boxes, _ = read_boxes(folder, frames)
    centres, sizes, turns = boxes.placed()
    points = geometry.corners(centres, sizes, geometry.rotations(turns))
    for pose in ("ego", "camera"):
        place = np.array([getattr(frames[n], pose) for n in boxes.frame])
        points = geometry.into(points, place[:, :3], geometry.rotations(place[:, 3:]))
    tokens = [row["token"] for row in made.tables["sample_annotation"]]
    assert len(tokens) == len(boxes) == len(known)
    for token, mine in zip(tokens, points, strict=True):
        # In whatever order the corners come: each has one of the other's at its place.
        theirs = np.array(known[token])
        apart = np.linalg.norm(mine[:, None] - theirs[None], axis=2)
        assert sorted(apart.argmin(axis=1).tolist()) == list(range(8))
        assert apart.min(axis=1).max() < 1e-9


def test_the_splits_are_the_devkits():
    script = """
import json
from nuscenes.utils.splits import mini_val, val
print(json.dumps({"val": val, "mini_val": mini_val}))
"""
    assert {k: list(v) for k, v in SPLITS.items()} == ask("nuscenes", script)


def test_the_category_names_are_the_devkits():
    script = """
import json
from nuscenes.utils.color_map import get_colormap
print(json.dumps(list(get_colormap())))
"""
    boxes = ("animal", "human", "movable_object", "static_object", "vehicle")
    known = {n for n in ask("nuscenes", script) if n.split(".")[0] in boxes} - {"vehicle.ego"}
    assert set(LABELS) == known
