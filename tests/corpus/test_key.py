"""The same image has one key, and another image has another."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oodexp.corpus.key import by, coco, file
from oodexp.error import OodexpError

GENOME = {2354786: 4242, 7: 8}


@pytest.mark.parametrize(
    "name",
    [
        "COCO_train2014_000000000139.jpg", "COCO_val2014_000000000139", "000000000139.jpg",
        "train2017/000000000139.jpg", "coco/train2017/000000000139.jpg", "139", " 139 ", "000139",
        "http://images.example/train2017/000000000139.jpg", "COCO_train2014_000000000139_12.jpg",
        "000000000139.jpg?size=large", r"coco\train2017\000000000139.png",
    ],
)  # fmt: skip
def test_every_name_of_a_coco_image_is_its_number(name):
    assert coco(name) == "139"


@pytest.mark.parametrize(
    "name",
    [
        "gqa/images/139.jpg", "vg/VG_100K/139.jpg", "139.jpg", "ocr_vqa/images/0139.jpg",
        "textvqa/train_images/a000000000139.jpg", "000000000139/frame.jpg", "13900000000000.jpg",
        "COCO_train2014_139.jpg", "",
    ],
)  # fmt: skip
def test_other_numbers_are_not_cocos(name):
    assert coco(name) == name
    assert coco(name) != "139"


@given(st.integers(0, 10**12 - 1), st.sampled_from(["train2014", "val2014", "test2015"]))
def test_numbers_survive_every_form(number, release):
    names = (str(number), f"{number:012d}.jpg", f"COCO_{release}_{number:012d}.jpg")
    assert {coco(name) for name in names} == {str(number)}


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("vg/VG_100K/2354786.jpg", "4242"),
        ("vg/VG_100K_2/7.jpg", "8"),
        ("gqa/images/2354786.jpg", "4242"),
        ("VG_100K/9.jpg", "VG_100K/9.jpg"),
        ("textvqa/7.jpg", "textvqa/7.jpg"),
    ],
)
def test_visual_genomes_images_have_cocos_number_where_they_are_cocos(name, key):
    assert coco(name, GENOME) == key


def test_plain_file_names_lose_folders_and_queries_only():
    assert file("a/b/street_1.png") == file("street_1.png?x=1") == "street_1.png"
    assert file("000000000139.jpg") == "000000000139.jpg"
    assert file("folder/") == "folder/"


def test_a_rule_is_chosen_by_name():
    assert by("coco", "train2017/000000000139.jpg") == "139"
    assert by("file", "train2017/000000000139.jpg") == "000000000139.jpg"
    with pytest.raises(OodexpError, match=r"corpus\.keys=name"):
        by("name", "139")
