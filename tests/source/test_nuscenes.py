"""nuScenes from generated tables: images, categories, scenes, paths, folders."""

from __future__ import annotations

import math

import pytest

from oodexp.error import OodexpError
from oodexp.record import ABSENT
from oodexp.source.need import found
from oodexp.source.nuscenes import NuScenes
from oodexp.source.nuscenes_labels import SPLITS
from tests.source.nuscenes_made import Made, counts, empty, opened

CAR, TRUCK, ADULT = "vehicle.car", "vehicle.truck", "human.pedestrian.adult"
DEBRIS = "movable_object.debris"


@pytest.fixture
def made() -> Made:
    """Two samples; the camera looks along the world's x from (0, 0, 1.5)."""
    return empty(scenes=("scene-0003",))


def test_the_categories_are_the_papers_22_texts_without_debris(tmp_path, made):
    source = opened(made, tmp_path)
    assert len(source.categories()) == 22
    assert source.categories()[:2] == ["Adult Pedestrian", "Child Pedestrian"]
    assert "Pushable/Pullable Object" in source.categories()
    assert not any("ebris" in text for text in source.categories())


def test_the_val_split_has_150_scenes():
    assert len(set(SPLITS["val"])) == 150
    assert set(SPLITS["mini_val"]) <= set(SPLITS["val"])


def test_boxes_ahead_are_counted_and_boxes_behind_are_not(tmp_path, made):
    made.box("s0-0", CAR, (20, 0, 1))
    made.box("s0-0", CAR, (30, 4, 1))
    made.box("s0-0", TRUCK, (-20, 0, 1))
    made.box("s0-1", ADULT, (10, 0, 1), size=(0.5, 0.5, 1.8))
    source = opened(made, tmp_path)
    assert counts(source) == {"Car": 2}
    assert counts(source, "s0-1-CAM_FRONT") == {"Adult Pedestrian": 1}
    assert source.images()["objects"].tolist() == [2, 1]
    assert opened(made, tmp_path, camera="CAM_BACK").pairs()["category"].tolist() == ["Truck"]


def test_only_key_frames_of_the_camera_are_images(tmp_path, made):
    images = opened(made, tmp_path).images()
    assert images["image_id"].tolist() == ["s0-0-CAM_FRONT", "s0-1-CAM_FRONT"]
    assert images["file"].tolist() == ["s0-0-CAM_FRONT.jpg", "s0-1-CAM_FRONT.jpg"]
    assert images[["width", "height"]].to_numpy().tolist() == [[1600, 900]] * 2


def test_images_are_in_the_order_of_scenes_and_times(tmp_path):
    made = empty(scenes=("scene-0012", "scene-0003"), samples=3)
    for sample in made.tables["sample"]:
        sample["timestamp"] = -sample["timestamp"]
    made.tables["sample_data"].reverse()
    ids = opened(made, tmp_path).images()["image_id"].tolist()
    assert ids == [f"s{s}-{n}-CAM_FRONT" for s in (1, 0) for n in (2, 1, 0)]


def test_an_image_without_boxes_is_an_empty_image(tmp_path, made):
    source = opened(made, tmp_path)
    assert source.images()["objects"].tolist() == [0, 0]
    assert (source.presence() == ABSENT).all()


def test_the_bytes_are_those_of_the_image_file(tmp_path, made):
    assert opened(made, tmp_path).read("s0-1-CAM_FRONT").endswith(b"s0-1-CAM_FRONT")


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ({"inside": "some"}, r"source\.inside=some: expected any, all or hull"),
        ({"min_depth": 0}, r"source\.min_depth=0: expected metres above 0"),
        ({"min_depth": math.nan}, r"source\.min_depth=nan"),
        ({"min_visibility": 5}, r"source\.min_visibility=5"),
        ({"left_out": "maybe"}, r"source\.left_out=maybe: expected absent or unknown"),
        ({"scenes": "vall"}, r"source\.scenes=vall: expected val, mini_val, all, a list"),
    ],
)
def test_a_faulty_setting_is_refused_by_name(tmp_path, made, setting, said):
    with pytest.raises(OodexpError, match=said):
        opened(made, tmp_path, **setting)


def test_scenes_are_those_of_the_split_the_list_or_the_file(tmp_path):
    made = empty(scenes=("scene-0001", "scene-0003", "scene-0103"), samples=1)
    file = tmp_path / "scenes.txt"
    file.write_text("scene-0001\nscene-0103\n")

    def found(scenes) -> str:
        ids = opened(made, tmp_path, scenes=scenes).images()["image_id"]
        return "".join(i[1] for i in ids)

    assert found("val") == "12"
    assert found("mini_val") == "2"
    assert found("all") == "012"
    assert found(["scene-0001"]) == "0"
    assert found(str(file)) == "02"


def test_an_asked_scene_that_is_not_there_is_a_named_problem(tmp_path, made):
    source = opened(made, tmp_path, scenes=["scene-0003", "scene-9999"])
    assert source.problems()["reason"].tolist() == [
        "1 asked for, but not in scene.json: scene-9999"
    ]
    with pytest.raises(OodexpError, match=r"source\.scenes: none of them is among the 1 scenes"):
        opened(made, tmp_path, scenes=["scene-9999"]).images()


def test_a_camera_that_is_not_there_is_refused_with_those_that_are(tmp_path, made):
    made.write(tmp_path)
    (tmp_path / "samples/CAM_TOP").mkdir()
    with pytest.raises(OodexpError, match=r"camera=CAM_TOP.*one of CAM_BACK, CAM_FRONT"):
        NuScenes(str(tmp_path), camera="CAM_TOP").images()


def test_a_category_without_a_text_is_one_named_problem(tmp_path, made):
    made.add("category", "c-ufo", name="ufo", description="")
    for place in ((21, 0, 1.5), (25, 0, 1.5), (-21, 0, 1.5)):
        made.box("s0-0", "ufo", place)
    source = opened(made, tmp_path)
    problem = source.problems().iloc[0]
    assert problem["subject"] == "category ufo"
    assert problem["reason"].startswith("in 1 images, but without a text: left out")
    assert len(source.problems()) == 1
    assert len(source.pairs()) == 0


def test_a_category_without_boxes_in_view_needs_no_text(tmp_path, made):
    made.add("category", "c-ego", name="vehicle.ego", description="")  # of the lidar point labels
    assert len(opened(made, tmp_path).problems()) == 0


def test_given_texts_go_before_the_built_in_ones(tmp_path, made):
    made.box("s0-0", CAR, (21, 0, 1.5))
    made.box("s0-0", TRUCK, (31, 0, 1.5))
    made.box("s0-0", DEBRIS, (31, 3, 1.5))
    made.box("s0-0", ADULT, (31, 3, 1.5))
    labels = {CAR: "vehicle", TRUCK: "vehicle", DEBRIS: "litter", ADULT: None}
    source = opened(made, tmp_path, labels=labels)
    assert counts(source) == {"vehicle": 2, "litter": 1}
    assert len(source.categories()) == 21
    assert source.images()["objects"].iloc[0] == 3
    plain = opened(made, tmp_path)
    assert plain.labels_sha256 == opened(made, tmp_path, labels={CAR: "Car"}).labels_sha256
    assert plain.labels_sha256 != source.labels_sha256


def test_a_text_for_a_name_that_is_not_there_is_refused(tmp_path, made):
    with pytest.raises(OodexpError, match=r"no category 'vehicle\.cars' \(did you mean 'vehicle"):
        opened(made, tmp_path, labels={"vehicle.cars": "Car"}).images()


def test_a_missing_image_file_is_listed_and_an_os_error_when_read(tmp_path, made):
    source = opened(made, tmp_path)
    (tmp_path / "samples/CAM_FRONT/s0-0-CAM_FRONT.jpg").unlink()
    assert source.images()["image_id"].iloc[0] == "s0-0-CAM_FRONT"
    with pytest.raises(FileNotFoundError):
        source.read("s0-0-CAM_FRONT")


@pytest.mark.parametrize("path", ["samples/CAM_FRONT/../../secret", "/etc/hostname", "..\\secret"])
def test_a_path_that_leads_out_of_the_folder_is_never_opened(tmp_path, made, path):
    made.row("sample_data", "s0-0-CAM_FRONT")["filename"] = path
    made.write(tmp_path / "set")
    (tmp_path / "set/secret").write_bytes(b"secret")
    source = NuScenes(str(tmp_path / "set"), scenes="all")
    assert source.images()["image_id"].tolist() == ["s0-1-CAM_FRONT"]
    assert source.problems()["image_id"].tolist() == ["s0-0-CAM_FRONT"]
    with pytest.raises(KeyError):
        source.read("s0-0-CAM_FRONT")


def test_folders_on_another_disk_may_be_links(tmp_path, made):
    made.write(tmp_path / "disk")
    (tmp_path / "set/v1.0-trainval").mkdir(parents=True)
    for file in (tmp_path / "disk/v1.0-trainval").iterdir():
        (tmp_path / "set/v1.0-trainval" / file.name).symlink_to(file)
    (tmp_path / "set/samples").symlink_to(tmp_path / "disk/samples")
    source = NuScenes(str(tmp_path / "set"), scenes="all")
    assert source.read("s0-0-CAM_FRONT").endswith(b"CAM_FRONT")
    assert len(source.problems()) == 0


def test_a_wrong_folder_says_what_was_expected_where(tmp_path, made):
    made.write(tmp_path, version="v1.0-mini")
    where = "source.root to be the folder that holds"
    with pytest.raises(OodexpError, match=f"no folder v1.0-trainval/ in it; expected {where}"):
        NuScenes(str(tmp_path))
    with pytest.raises(OodexpError, match=r"no folder v1\.0-mini/ in it"):
        NuScenes(str(tmp_path / "v1.0-mini"), version="v1.0-mini")
    (tmp_path / "v1.0-mini/ego_pose.json").unlink()
    with pytest.raises(OodexpError, match=r"no ego_pose\.json in v1\.0-mini/"):
        NuScenes(str(tmp_path), version="v1.0-mini")
    (tmp_path / "v1.0-mini/ego_pose.json").touch()
    (tmp_path / "samples").rename(tmp_path / "images")
    with pytest.raises(OodexpError, match="no folder samples/CAM_FRONT/ in it"):
        NuScenes(str(tmp_path), version="v1.0-mini")


def test_what_to_download_goes_where_it_is_looked_for(tmp_path, made):
    made.write(tmp_path)
    needs = NuScenes.needs(root=str(tmp_path), version="v1.0-trainval", labels=None)
    assert [found(need) for need in needs] == ["ok", "incomplete: 2 of 34,149 files"]
    assert all(need.login for need in needs)
    mini = NuScenes.needs(root=str(tmp_path), version="v1.0-mini")
    assert [found(need) for need in mini] == ["missing", "incomplete: 2 of 404 files"]
