"""COCO's instance format."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from oodexp.error import OodexpError
from oodexp.record import PRESENT
from oodexp.source.instances import Instances, parse
from tests.source import made

SMALL: dict[str, Any] = {
    "images": [{"id": 0, "file_name": "a.png", "width": 10, "height": 8}],
    "categories": [{"id": 0, "name": "kite"}, {"id": 7, "name": "tent"}],
    "annotations": [{"id": 0, "image_id": 0, "category_id": 0, "bbox": [0, 0, 3, 4], "area": 9}],
}


def small(**changed: Any) -> dict[str, Any]:
    return copy.deepcopy(SMALL) | changed


def note(**fields: Any) -> dict[str, Any]:
    return {"id": 0, "image_id": 0, "category_id": 0, "bbox": [0, 0, 3, 4], "area": 9} | fields


def case(shared: Path, name: str) -> tuple[Instances, dict[str, Any]]:
    folder = shared / "cases" / name
    read = json.loads((folder / "instances.json").read_text())
    return parse(read, "case", "instances.json"), json.loads((folder / "expected.json").read_text())


def counts(found: Instances) -> dict[str, dict[str, int | None]]:
    """Count of each category by file name, the way the cases write it."""
    files = dict(zip(found.images["image_id"], found.images["file"], strict=True))
    told: dict[str, dict[str, int | None]] = {}
    for row in found.pairs.itertuples():
        known = row.count_reason != row.count_reason  # null
        told.setdefault(files[row.image_id], {})[row.category] = row.count if known else None
    return told


def test_a_crowd_region_makes_a_category_present_but_its_count_unknown(shared):
    found, expected = case(shared, "g01-crowd")
    assert found.pairs["category"].tolist() == expected["present"]
    assert counts(found) == {"a.png": expected["exact_count"]}
    assert found.pairs["count_reason"].tolist() == ["crowd", "crowd"]
    assert len(found.pairs) == expected["existence_pairs"]
    assert found.images["objects"].tolist() == [5]


def test_annotation_ids_that_restart_lose_nothing(shared):
    found, expected = case(shared, "g02-ann-id-restart")
    assert counts(found) == expected["or_counts"]
    assert found.images["objects"].sum() == 4


def test_id_zero_is_an_id_like_any_other(shared):
    found, expected = case(shared, "g03-id-zero")
    assert counts(found) == expected["counts"]
    assert (len(found.images), len(found.pairs)) == (expected["images"], expected["pairs"])


def test_an_image_without_objects_is_listed_with_all_categories_absent(shared):
    found, expected = case(shared, "g04-empty-image")
    empty = found.images.loc[found.images["objects"] == 0, "file"].tolist()
    assert len(found.images) == expected["images"]
    assert empty == expected["images_without_objects"]
    assert len(found.pairs) == expected["positive_pairs"]
    assert (found.presence != PRESENT).sum() == expected["possible_absent_pairs"]


def test_presence_and_pairs_say_the_same(shared):
    for name in ("g01-crowd", "g02-ann-id-restart", "g03-id-zero", "g04-empty-image"):
        found, _ = case(shared, name)
        rows, columns = np.nonzero(found.presence == PRESENT)
        ids = found.images["image_id"].to_numpy()[rows]
        said = list(zip(ids, np.array(found.categories)[columns], strict=True))
        assert said == list(found.pairs[["image_id", "category"]].itertuples(index=False))


def test_the_area_is_that_of_the_largest_single_object():
    notes = [note(area=9), note(area=25.5), note(area=400, iscrowd=1)]
    assert parse(small(annotations=notes), "s", "f").pairs["area"].tolist() == [25.5]


def test_an_area_that_is_not_annotated_is_the_boxs():
    notes = [{k: v for k, v in note().items() if k != "area"}]
    assert parse(small(annotations=notes), "s", "f").pairs["area"].tolist() == [12.0]


@pytest.mark.parametrize(
    "box", [None, [], [0, 0, None, 4], [0, 0, "3", 4], "box", [0, 0, 1e999, 1]]
)
def test_a_box_without_numbers_has_no_area(box):
    notes = [{"image_id": 0, "category_id": 0, "bbox": box}]
    assert parse(small(annotations=notes), "s", "f").pairs["area"].isna().all()


def test_a_pair_is_planted_as_its_easiest_object():
    def planted(*reasons: str) -> str:
        notes = [note(planted=r) for r in reasons]
        return parse(small(annotations=notes), "s", "f").pairs["planted"].iloc[0]

    assert planted("secondary", "canonical") == "canonical"
    assert planted("secondary", "variant: b", "variant: a") == "variant: a"
    assert planted("secondary") == "secondary"


def test_an_empty_planted_reason_is_no_reason():
    found = parse(small(annotations=[note(planted="")]), "s", "f")
    assert found.pairs["planted"].isna().all()


@pytest.mark.parametrize(
    "lost",
    [
        {"image_id": 5},
        {"category_id": 5},
        {"image_id": "0"},
        {"image_id": None},
        {"category_id": [0]},
        {"image_id": {"a": 1}},
    ],
)
def test_an_annotation_that_cannot_be_placed_is_a_named_problem(lost):
    found = parse(small(annotations=[note(), note(**lost)]), "s", "f")
    assert found.images["objects"].tolist() == [1]
    assert found.problems["subject"].tolist() == ["annotation 1"]
    assert found.problems["reason"].str.contains("is not listed").all()


@pytest.mark.parametrize("lost", [None, 3, "note", [1]])
def test_an_annotation_that_is_no_object_is_a_named_problem(lost):
    found = parse(small(annotations=[lost, note()]), "s", "f")
    assert found.problems["subject"].tolist() == ["annotation 0"]
    assert len(found.pairs) == 1


@pytest.mark.parametrize("section", ["images", "annotations", "categories"])
@pytest.mark.parametrize("wrong", [None, {}, "x"])
def test_a_missing_section_is_named(section, wrong):
    with pytest.raises(OodexpError, match=f"f.json: no list '{section}'"):
        parse(small(**{section: wrong}), "s", "f.json")


@pytest.mark.parametrize("wrong", [None, [], "text", 3])
def test_a_document_of_another_shape_is_refused(wrong):
    with pytest.raises(OodexpError, match=r"f\.json: no list 'images'"):
        parse(wrong, "s", "f.json")


@pytest.mark.parametrize(
    ("section", "rows", "said"),
    [
        ("images", [{"id": 1, "file_name": "a"}, {"id": 1, "file_name": "b"}], "id 1 is repeated"),
        ("images", [{"id": 1}], "entry 0 has no file_name"),
        ("images", [{"file_name": "a"}], "entry 0 has no id"),
        ("images", ["a.png"], "entry 0 has no id, file_name"),
        ("images", [{"id": [1], "file_name": "a"}], r"id \[1\]"),
        ("categories", [{"id": 1, "name": "a"}, {"id": 2, "name": "a"}], r"\['a'\] are repeated"),
        ("categories", [{"id": 1, "name": None}], "entry 0 has no name"),
    ],
)
def test_a_faulty_list_is_refused_by_name(section, rows, said):
    with pytest.raises(OodexpError, match=said):
        parse(small(**{section: rows}), "s", "f.json")


def test_ids_that_differ_in_type_only_are_refused():
    images = [{"id": 1, "file_name": "a.png"}, {"id": "1", "file_name": "b.png"}]
    with pytest.raises(OodexpError, match="'1'"):
        parse(small(images=images, annotations=[]), "s", "f.json")


def test_category_texts_are_kept_verbatim():
    names = ["Pushable/Pullable Object", " two  spaces", "{}", 'the "x"', "Ünï"]
    categories = [{"id": n, "name": name} for n, name in enumerate(names)]
    assert parse(small(categories=categories), "s", "f").categories == names


LICENSES = [
    {"id": 1, "name": "CC  BY\n4.0", "url": "by.example"}, {"id": 2, "name": "CC0"},
    {"id": 3, "url": 7}, {"id": [4], "name": "x"}, "none",
]  # fmt: skip


@pytest.mark.parametrize("from_file", [True, False])
def test_the_licence_of_an_image_is_that_which_its_number_names(from_file, tmp_path):
    document = made.coco_document(images=6)
    for image, license in zip(document["images"], [1, 2, 3, 4, None, "1"], strict=True):
        image["license"] = license
    document["licenses"] = LICENSES
    file = tmp_path / "instances.json"
    file.write_text(json.dumps(document))
    found = parse(file if from_file else document, "s", "w").licences
    ids = [str(image["id"]) for image in document["images"]]
    assert found == {ids[0]: "CC BY 4.0 by.example", ids[1]: "CC0"}


def test_a_document_without_licences_knows_none():
    assert parse(made.coco_document(), "s", "w").licences == {}
