"""COCO annotations of the drawn world."""

from __future__ import annotations

import pytest

from oodexp.miniature.annotation import (
    planted_reason,
    read_coco,
    reasons_by_pair,
    to_coco,
    write_coco,
)
from oodexp.miniature.icon import CATEGORIES
from oodexp.miniature.world import captioned


@pytest.mark.parametrize(
    ("marks", "wanted"),
    [
        (["canonical"], "canonical"),
        (["secondary", "canonical"], "canonical"),
        (["variant:sketch", "canonical"], "canonical"),
        (["secondary", "variant:colour"], "variant:colour"),
        (["variant:stretch", "variant:colour"], "variant:stretch"),
        (["secondary", "secondary"], "secondary"),
    ],
)
def test_the_reason_of_a_pair_is_that_of_its_most_usual_instance(marks, wanted):
    assert planted_reason(marks) == wanted


@pytest.mark.parametrize("marks", [[], ["primary"], ["canonical", ""]])
def test_unknown_or_missing_marks_are_refused(marks):
    with pytest.raises(ValueError, match="expected at least one of"):
        planted_reason(marks)


@pytest.fixture(scope="module")
def drawn():
    return [captioned(5, index) for index in range(40)]


@pytest.fixture(scope="module")
def coco(drawn):
    return to_coco([row[0] for row in drawn], [row[2] for row in drawn], "dev")


def test_every_object_of_every_scene_is_annotated_once(drawn, coco):
    written = [
        (a["image_id"], CATEGORIES[a["category_id"] - 1], a["planted"], tuple(a["bbox"]), a["area"])
        for a in coco["annotations"]
    ]
    wanted = [
        (number, t.category, t.planted, t.box, t.area)
        for number, (scene, _, _) in enumerate(drawn, start=1)
        for t in scene.things
    ]
    assert written == wanted


def test_ids_are_unique_and_count_from_one(coco):
    for part in ("images", "annotations", "categories"):
        assert [row["id"] for row in coco[part]] == list(range(1, len(coco[part]) + 1))


def test_every_image_has_its_caption_and_its_size(drawn, coco):
    assert [row["caption"] for row in coco["images"]] == [text for _, _, text in drawn]
    assert {(row["width"], row["height"]) for row in coco["images"]} == {(64, 64)}


def test_reasons_cover_exactly_the_present_pairs(drawn, coco):
    present = {
        (number, CATEGORIES.index(t.category) + 1)
        for number, (scene, _, _) in enumerate(drawn, start=1)
        for t in scene.things
    }
    assert set(reasons_by_pair(coco)) == present


def test_writing_is_repeatable_and_reading_gives_the_same_back(coco, tmp_path):
    write_coco(coco, tmp_path / "one.json.gz")
    write_coco(coco, tmp_path / "two.json.gz")
    assert (tmp_path / "one.json.gz").read_bytes() == (tmp_path / "two.json.gz").read_bytes()
    assert read_coco(tmp_path / "one.json.gz") == coco
