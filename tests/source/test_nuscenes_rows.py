"""Damaged tables of nuScenes: each fault is named, and the rest is read."""

from __future__ import annotations

import json
import math

import pytest

from oodexp.error import OodexpError
from oodexp.source.nuscenes import NuScenes
from oodexp.source.nuscenes_rows import TABLES
from tests.source.nuscenes_made import Made, counts, empty, opened

CAR = "vehicle.car"


@pytest.fixture
def made() -> Made:
    """Two samples; the camera looks along the world's x from (0, 0, 1.5)."""
    return empty(scenes=("scene-0003",))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"size": [1.0, 2.0, 0.0]}, "size"),
        ({"size": None}, "size"),
        ({"translation": [1.0, 2.0]}, "translation"),
        ({"translation": [1.0, 2.0, math.nan]}, "translation"),
        ({"rotation": [0.0, 0.0, 0.0, 0.0]}, "rotation"),
        ({"rotation": ["1", 0, 0, 0]}, "rotation"),
        ({"translation": [1.0, 2.0, 10**400]}, "translation"),
        ({"instance_token": "none"}, "instance none has no category"),
    ],
)
def test_a_box_that_cannot_be_placed_is_a_named_problem(tmp_path, made, change, said):
    made.box("s0-0", CAR, (21, 0, 1.5))
    lost = made.box("s0-0", CAR, (22, 0, 1.5))
    made.row("sample_annotation", lost).update(change)
    source = opened(made, tmp_path)
    problem = source.problems().iloc[0]
    assert (problem["image_id"], problem["subject"]) == ("s0-0-CAM_FRONT", "sample_annotation a1")
    assert said in problem["reason"]
    assert counts(source) == {"Car": 1}


@pytest.mark.parametrize(
    ("table", "token", "change", "said"),
    [
        ("sample_data", "s0-0-CAM_FRONT", {"ego_pose_token": "none"}, "ego_pose none is not in"),
        ("sample_data", "s0-0-CAM_FRONT", {"width": 0}, "width 0 and height 900"),
        ("sample_data", "s0-0-CAM_FRONT", {"height": 10**400}, "and height 1000"),
        ("ego_pose", "pose-s0-0-CAM_FRONT", {"rotation": [0, 0, 0, 0]}, "ego_pose: expected"),
        ("ego_pose", "pose-s0-0-CAM_FRONT", {"translation": "x"}, "ego_pose: expected"),
    ],
)
def test_a_frame_that_cannot_be_placed_is_left_out_by_name(
    tmp_path, made, table, token, change, said
):
    made.box("s0-0", CAR, (21, 0, 1.5))
    made.row(table, token).update(change)
    source = opened(made, tmp_path)
    assert source.images()["image_id"].tolist() == ["s0-1-CAM_FRONT"]
    problem = source.problems().iloc[0]
    assert problem["subject"] == "samples/CAM_FRONT/s0-0-CAM_FRONT.jpg"
    assert said in problem["reason"]
    assert len(source.pairs()) == 0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"camera_intrinsic": []}, "camera_intrinsic"),
        ({"camera_intrinsic": [[1, 2], [3, 4], [5, 6]]}, "camera_intrinsic"),
        ({"rotation": None}, "calibrated_sensor: expected translation"),
    ],
)
def test_a_camera_that_is_not_calibrated_gives_no_frame(tmp_path, made, change, said):
    made.row("calibrated_sensor", "cs-CAM_FRONT").update(change)
    source = opened(made, tmp_path)
    assert len(source.images()) == 0
    assert source.problems()["reason"].str.contains(said).tolist() == [True, True]


def test_a_sample_without_a_key_frame_is_a_named_problem(tmp_path, made):
    made.row("sample_data", "s0-0-CAM_FRONT")["is_key_frame"] = False
    source = opened(made, tmp_path)
    assert source.problems()["subject"].tolist() == ["sample s0-0 of scene-0003"]


def test_a_second_key_frame_of_a_sample_is_a_named_problem(tmp_path, made):
    made.row("sample_data", "s0-0-CAM_FRONT-sweep")["is_key_frame"] = True
    source = opened(made, tmp_path)
    assert len(source.images()) == 2
    assert source.problems()["reason"].tolist() == ["sample s0-0 has s0-0-CAM_FRONT already"]


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "found the end of the file at entry 0, expected '\\['"),
        ("{}", "found '{' at entry 0, expected '\\['"),
        ("[3]", "found '3' at entry 0, expected '{'"),
        ('[{"a": 1}', "entry 0 has no text "),
        ('[{"a": }]', "entry 0: "),
        ("[{}]", "entry 0 has no text"),
        ("[] []", "goes on after the end"),
        ('[{"a": ' + "[" * 100_000 + "]", "entry 0: lists within lists"),
        ("\xff", "not JSON in UTF-8"),
    ],
)
def test_a_table_of_another_shape_is_named(tmp_path, made, name, content, said):
    made.box("s0-0", CAR, (21, 0, 1.5))
    made.write(tmp_path)
    path = tmp_path / f"v1.0-trainval/{name}.json"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(OodexpError, match=f"{name}.json: ({said})"):
        NuScenes(str(tmp_path), scenes="all").images()


@pytest.mark.parametrize("name", TABLES)
def test_a_table_that_was_cut_short_is_named(tmp_path, made, name):
    made.box("s0-0", CAR, (21, 0, 1.5))
    path = made.write(tmp_path) / f"v1.0-trainval/{name}.json"
    path.write_text(path.read_text().rstrip("]\n"))
    with pytest.raises(OodexpError, match=rf"{name}\.json: found the end of the file at entry \d"):
        NuScenes(str(tmp_path), scenes="all").images()


def test_a_table_longer_than_what_is_read_at_a_time_is_read_whole(tmp_path, made):
    pad = "x" * 100_000
    made.tables["sample_annotation"] += [
        {"token": f"p{n}", "sample_token": "none", "instance_token": "", "pad": f'{pad}"]}}\\é'}
        for n in range(120)
    ]
    made.box("s0-0", CAR, (21, 0, 1.5))
    made.write(tmp_path)
    file = tmp_path / "v1.0-trainval/sample_annotation.json"
    file.write_text(json.dumps(made.tables["sample_annotation"], ensure_ascii=False), "utf-8")
    assert file.stat().st_size > 2 * (1 << 22)
    assert counts(NuScenes(str(tmp_path), scenes="all")) == {"Car": 1}


def test_more_points_than_any_box_holds_are_many_points(tmp_path, made):
    made.box("s0-0", CAR, (21, 0, 1.5), num_lidar_pts=10**400, num_radar_pts=None)
    assert counts(opened(made, tmp_path, min_points=1000)) == {"Car": 1}
