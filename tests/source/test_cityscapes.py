"""Cityscapes from generated annotations: classes, texts, files, folders, settings."""

from __future__ import annotations

import json

import pytest

from oodexp.error import OodexpError
from oodexp.record import ABSENT, UNKNOWN
from oodexp.source.cityscapes import Cityscapes
from oodexp.source.cityscapes_labels import KNOWN, OBJECTS, PAINTED, TRAINED, of
from oodexp.source.need import found
from tests.source.cityscapes_made import CAR, HIDDEN, STEM, opened, pairs, rectangle, write


def test_the_public_case_comes_out_right(shared):
    case = shared / "cases/g07-cityscapes-group"
    expected = json.loads((case / "expected.json").read_text())
    source = Cityscapes(str(case))
    found = pairs(source)
    assert set(found) == set(expected["present"])
    exact = {name: count for name, (count, _, _) in found.items() if count is not None}
    assert exact == expected["exact_count"]
    unknown = {name: why for name, (count, why, _) in found.items() if count is None}
    assert unknown == dict.fromkeys(expected["count_unknown"], "group")
    assert not {"cargroup", "persongroup", *expected["excluded_as_not_countable"]} & set(
        source.categories()
    )
    assert len(source.problems()) == 0


def test_a_class_of_objects_that_are_too_small_is_absent_or_unknown_as_asked(tmp_path):
    def code(**settings) -> int:
        source = opened(tmp_path, [HIDDEN], min_pixels=17, **settings)
        return int(source.presence()[0, source.categories().index("rider")])

    assert code() == ABSENT
    assert code(left_out="unknown") == UNKNOWN
    source = opened(tmp_path, [HIDDEN, CAR], min_pixels=16, left_out="unknown")
    assert int((source.presence() == UNKNOWN).sum()) == 1


def test_the_classes_are_things_or_the_19_of_training(tmp_path):
    road = [rectangle("road", (0, 20, 63, 31)), CAR]
    things, train = opened(tmp_path, road), opened(tmp_path, road, classes="train")
    assert things.categories() == list(OBJECTS)
    assert train.categories() == list(TRAINED)
    assert len(set(OBJECTS)) == 12
    assert len(set(TRAINED)) == 19
    assert set(pairs(things)) == {"car"}
    assert pairs(train)["road"] == (None, "not counted", None)


def test_polegroup_is_a_class_of_its_own_and_no_group_of_poles(tmp_path):
    poles = [rectangle("polegroup", (2, 4, 8, 12))]
    assert pairs(opened(tmp_path, poles, classes="train")) == {}
    labels = {"polegroup": "cluster of poles"}
    assert set(pairs(opened(tmp_path, poles, labels=labels))) == {"cluster of poles"}


def test_given_texts_go_before_the_built_in_ones(tmp_path):
    labels = {"rider": "cyclist", "car": "vehicle", "truck": "vehicle", "bicycle": None}
    objects = [CAR, rectangle("truck", (20, 4, 26, 12)), HIDDEN]
    source = opened(tmp_path, objects, labels=labels)
    assert {name: count for name, (count, _, _) in pairs(source).items()} == {
        "cyclist": 1,
        "vehicle": 2,
    }
    assert len(source.categories()) == 10
    assert source.labels_sha256 != opened(tmp_path, objects).labels_sha256


def test_the_table_numbers_the_classes_as_the_benchmark_does():
    known = {"unlabeled": 0, "road": 7, "polegroup": 18, "sky": 23, "person": 24, "bicycle": 33}
    assert {name: KNOWN[name].number for name in known} == known
    assert [label.number for label in PAINTED] == list(range(34))


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("car", ("car", False)),
        ("cargroup", ("car", True)),
        ("polegroup", ("polegroup", False)),
        ("polegroupgroup", ("polegroup", True)),
        ("group", None),
        ("ufo", None),
        ("ufogroup", None),
    ],
)
def test_a_label_means_a_class_alone_or_a_group_of_it(text, meant):
    found = of(text)
    assert (found and (found[0].name, found[1])) == meant


def test_an_image_without_annotation_is_left_out_by_name(tmp_path):
    write(tmp_path, "ulm_000000_000001", [CAR])
    write(tmp_path, STEM, [], polygons=False)
    source = Cityscapes(str(tmp_path))
    assert source.images()["image_id"].tolist() == ["ulm_000000_000001"]
    problem = source.problems().iloc[0]
    assert problem["subject"] == f"ulm/{STEM}_leftImg8bit.png"
    assert "not annotated; expected" in problem["reason"]


def test_an_annotation_without_image_is_listed_and_an_os_error_when_read(tmp_path):
    source = opened(tmp_path, [CAR])
    (tmp_path / f"leftImg8bit/val/ulm/{STEM}_leftImg8bit.png").unlink()
    assert source.images()["image_id"].tolist() == [STEM]
    with pytest.raises(FileNotFoundError):
        source.read(STEM)


def test_images_are_sorted_by_city_and_name_with_their_bytes(tmp_path):
    for stem in ("weimar_000000_000001", "aachen_000001_000001", "aachen_000000_000001"):
        write(tmp_path, stem, [CAR])
    source = Cityscapes(str(tmp_path))
    assert source.images()["file"].tolist() == [
        f"{stem.partition('_')[0]}/{stem}_leftImg8bit.png"
        for stem in ("aachen_000000_000001", "aachen_000001_000001", "weimar_000000_000001")
    ]
    assert source.images()[["width", "height"]].to_numpy().tolist() == [[64, 32]] * 3
    assert source.read("aachen_000001_000001").startswith(b"\x89PNG")


def test_an_image_that_is_a_link_out_of_the_folder_is_never_opened(tmp_path):
    source = opened(tmp_path / "set", [CAR])
    (tmp_path / "secret").write_bytes(b"secret")
    photo = tmp_path / f"set/leftImg8bit/val/ulm/{STEM}_leftImg8bit.png"
    photo.unlink()
    photo.symlink_to(tmp_path / "secret")
    assert len(source.images()) == 0
    assert source.problems()["reason"].str.startswith("path leads out of the image").tolist() == [
        True
    ]
    with pytest.raises(KeyError):
        source.read(STEM)


def test_folders_on_another_disk_may_be_links(tmp_path):
    write(tmp_path / "disk", STEM, [CAR])
    (tmp_path / "set").mkdir()
    for name in ("gtFine", "leftImg8bit"):
        (tmp_path / "set" / name).symlink_to(tmp_path / "disk" / name)
    assert Cityscapes(str(tmp_path / "set")).images()["image_id"].tolist() == [STEM]


def test_a_wrong_folder_says_what_was_expected_where(tmp_path):
    with pytest.raises(OodexpError, match=r"no folder gtFine/val/ in it; expected source\.root"):
        Cityscapes(str(tmp_path))
    write(tmp_path, STEM, [], polygons=False)
    with pytest.raises(OodexpError, match=r"val: no annotation in it; expected files such as"):
        Cityscapes(str(tmp_path)).images()
    (tmp_path / "leftImg8bit").rename(tmp_path / "images")
    with pytest.raises(OodexpError, match="no folder leftImg8bit/val/ in it"):
        Cityscapes(str(tmp_path))


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ({"split": "test"}, r"source\.split=test: its annotations are not public"),
        ({"classes": "all"}, r"source\.classes=all: expected objects or train"),
        ({"left_out": "maybe"}, r"source\.left_out=maybe"),
        ({"min_pixels": -1}, r"source\.min_pixels=-1"),
        ({"labels": {"ridr": "cyclist"}}, r"no category 'ridr' \(did you mean 'rider'\?\)"),
        ({"labels": {"license plate": "plate"}}, "no category 'license plate'"),
    ],
)
def test_a_faulty_setting_is_refused_by_name(tmp_path, setting, said):
    with pytest.raises(OodexpError, match=said):
        opened(tmp_path, [CAR], **setting)


def test_what_to_download_goes_where_it_is_looked_for(tmp_path):
    opened(tmp_path, [CAR])
    needs = Cityscapes.needs(root=str(tmp_path), split="val", classes="objects", min_pixels=0)
    assert [found(need) for need in needs] == [
        "incomplete: 1 of 2,000 files",
        "incomplete: 1 of 500 files",
    ]
    assert all(need.login for need in needs)
