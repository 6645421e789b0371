"""Which boxes a frame shows: against a slow twin, and rule by rule."""

from __future__ import annotations

import numpy as np
import pytest

from oodexp.record import ABSENT, PRESENT, UNKNOWN
from oodexp.source.nuscenes import NuScenes
from oodexp.source.nuscenes_labels import LABELS
from tests.source.nuscenes_made import Made, counts, drawn, empty, opened
from tests.source.test_nuscenes_geometry import turn

CAR, TRUCK, ADULT = "vehicle.car", "vehicle.truck", "human.pedestrian.adult"
CONE = "movable_object.trafficcone"


@pytest.fixture
def made() -> Made:
    """Two samples; the camera looks along the world's x from (0, 0, 1.5)."""
    return empty(scenes=("scene-0003",))


def presence(source: NuScenes, category: str, image: str = "s0-0-CAM_FRONT") -> int:
    row = source.images()["image_id"].tolist().index(image)
    return int(source.presence()[row, source.categories().index(category)])


def twin(made: Made, image: str) -> list[tuple[str, int]]:
    """Category and corners inside of each box of an image, by `box_in_image`: scalar arithmetic."""
    data = made.row("sample_data", image)
    ego = made.row("ego_pose", data["ego_pose_token"])
    camera = made.row("calibrated_sensor", data["calibrated_sensor_token"])
    (fx, _, cx), (_, fy, cy), _ = camera["camera_intrinsic"]
    found = []
    for row in made.tables["sample_annotation"]:
        if row["sample_token"] != data["sample_token"]:
            continue
        width, length, height = row["size"]
        inside, front = 0, 0
        for sx, sy, sz in np.ndindex(2, 2, 2):
            own = (length * (sx - 0.5), width * (sy - 0.5), height * (sz - 0.5))
            point = np.add(turn(row["rotation"], own), row["translation"])
            for frame in (ego, camera):
                w, x, y, z = frame["rotation"]
                point = turn((w, -x, -y, -z), np.subtract(point, frame["translation"]))
            depth = point[2]
            front += depth > 0.1
            if depth > 1:
                u, v = fx * point[0] / depth + cx, fy * point[1] / depth + cy
                inside += 0 < u < 1600 and 0 < v < 900
        category = made.row("instance", row["instance_token"])["category_token"].removeprefix("c-")
        found.append((category, inside if front == 8 else 0))
    return found


@pytest.mark.parametrize(("inside", "needed"), [("any", 1), ("all", 8)])
def test_every_cell_agrees_with_a_slow_twin(tmp_path, inside, needed):
    made = drawn(seed=5, boxes=60, samples=3)
    source = opened(made, tmp_path, inside=inside)
    assert len(source.images()) == 6
    kept = 0
    for image in source.images()["image_id"]:
        expected: dict[str, int] = {}
        for category, corners in twin(made, image):
            if corners >= needed and LABELS[category]:
                expected[LABELS[category]] = expected.get(LABELS[category], 0) + 1
        assert counts(source, image) == expected
        for category in source.categories():
            code = PRESENT if category in expected else ABSENT
            assert presence(source, category, image) == code
        kept += sum(expected.values())
    assert 20 < kept < 300  # neither nothing nor everything
    assert len(source.problems()) == 0


def test_the_area_is_what_the_image_shows_of_the_largest_box(tmp_path, made):
    made.box("s0-0", CAR, (21, 0, 1.5), size=(2, 2, 2))
    made.box("s0-0", CAR, (41, 0, 1.5), size=(2, 2, 2))
    area = opened(made, tmp_path).pairs()["area"].iloc[0]
    assert area == pytest.approx((2 * 1266.4 / 20) ** 2)


def test_an_area_ends_at_the_edge_of_the_image(tmp_path, made):
    made.box("s0-0", CAR, (4, 0, 1.5), size=(40, 2, 40))  # a wall 3 m ahead, all corners outside
    pairs = opened(made, tmp_path, inside="hull").pairs()
    assert pairs["area"].tolist() == pytest.approx([1600 * 900])


@pytest.mark.parametrize(
    ("settings", "kept"),
    [
        ({}, "near far faint unseen"),
        ({"inside": "all"}, "near far faint unseen"),
        ({"inside": "hull"}, "near far faint unseen wall beside"),
        ({"min_height": 50}, "near"),
        ({"min_area": 1500}, "near faint"),
        ({"min_visibility": 1}, "near far faint"),
        ({"min_visibility": 2}, "near far"),
        ({"min_points": 1}, "near far faint"),
        ({"min_points": 3}, "near"),
        ({"min_depth": 30}, "far"),
        ({"inside": "hull", "min_depth": 30}, "far"),
    ],
)
def test_each_rule_keeps_what_it_says(tmp_path, made, settings, kept):
    box = {
        "near": {"centre": (21, 0, 1.5), "size": (2, 2, 2), "num_lidar_pts": 3},
        "far": {"centre": (61, 0, 1.5), "num_lidar_pts": 1, "num_radar_pts": 1},
        "faint": {"centre": (25, 4, 1.5), "size": (2, 2, 0.5), "visibility_token": "1",
                  "num_lidar_pts": 1},
        "unseen": {"centre": (28, -4, 1.5), "size": (0.5, 0.5, 0.5), "visibility_token": "",
                   "num_lidar_pts": 0},
        "wall": {"centre": (4, 0, 1.5), "size": (40, 2, 40)},
        "beside": {"centre": (0, 2, 1.5), "size": (1, 20, 1)},  # begins behind, ends ahead
        "behind": {"centre": (-9, 0, 1.5)},
    }  # fmt: skip
    labels = {}
    for name, row in box.items():
        made.add("category", f"c-{name}", name=name, description="")
        made.box("s0-0", name, row.pop("centre"), **row)
        labels[name] = name
    if settings.get("inside") == "hull" and "min_depth" in settings:
        del made.tables["sample_annotation"][4:6]  # of these two, no part is so far ahead
    assert " ".join(counts(opened(made, tmp_path, labels=labels, **settings))) == kept


def test_a_category_of_boxes_that_fail_the_rule_is_absent_or_unknown_as_asked(tmp_path, made):
    made.box("s0-0", CAR, (21, 0, 1.5), visibility_token="1")
    made.box("s0-0", ADULT, (21, 0, 1.5), visibility_token="1")
    made.box("s0-0", ADULT, (22, 0, 1.5), visibility_token="4")
    made.box("s0-0", TRUCK, (-21, 0, 1.5), visibility_token="1")
    made.box("s0-0", CONE, (4, 0, 1.5), size=(40, 2, 40))  # in view, no corner inside
    absent = opened(made, tmp_path, min_visibility=2)
    unknown = opened(made, tmp_path, min_visibility=2, left_out="unknown")
    assert presence(absent, "Car") == presence(absent, "Traffic Cone") == ABSENT
    assert presence(unknown, "Car") == presence(unknown, "Traffic Cone") == UNKNOWN
    assert presence(unknown, "Truck") == ABSENT
    assert presence(unknown, "Animal") == ABSENT
    assert counts(absent) == counts(unknown) == {"Adult Pedestrian": 1}
