"""Values that no annotation should hold: each is counted rightly or named, and none is an error."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from oodexp.error import OodexpError
from oodexp.source.cells import empty
from oodexp.source.coco import Coco
from oodexp.source.document import MOST_CATEGORIES, Document
from oodexp.source.labels import Labels
from oodexp.source.manifest import Manifest
from tests.source.test_instances import note, small

DEEP = "[" * 100_000


def coco(folder: Path, text: str) -> Coco:
    (folder / "f.json").write_text(text)
    return Coco(str(folder / "f.json"), str(folder))


def found(folder: Path, document: dict[str, Any]) -> Coco:
    return coco(folder, json.dumps(document))


@pytest.mark.parametrize(
    ("fields", "area", "said"),
    [
        ({"area": 9}, 9.0, []),
        ({"area": float("nan")}, 12.0, ["area in square pixels"]),
        ({"area": float("inf")}, 12.0, ["area in square pixels"]),
        ({"area": -3}, 12.0, ["area in square pixels"]),
        ({"area": "9"}, 12.0, ["area in square pixels"]),
        ({"area": 10**400}, 12.0, ["area in square pixels"]),
        ({"area": None, "bbox": [0, 0, 1e5, 10**400]}, None, ["bbox as x, y, width, height"]),
        ({"area": None, "bbox": [0, 0, -3, 4]}, None, ["bbox as x, y, width, height"]),
        ({"area": None, "bbox": [0, 0, float("nan"), 4]}, None, ["bbox as x, y, width, height"]),
        ({"area": None, "bbox": [0, 0, 1e200, 1e200]}, None, ["bbox as x, y, width, height"]),
        ({"area": None, "bbox": "0 0 3 4"}, None, ["bbox as x, y, width, height"]),
        ({"iscrowd": "0"}, None, ["iscrowd as 0 or 1"]),
        ({"iscrowd": None}, 9.0, []),
    ],
)
def test_an_object_counts_whatever_its_size_and_a_size_that_is_none_is_noted(
    tmp_path, fields, area, said
):
    source = found(tmp_path, small(annotations=[note(**fields)]))
    pair = source.pairs().iloc[0]
    assert pair["count"] is pd.NA if fields.get("iscrowd") else pair["count"] == 1
    assert (None if pair["area"] != pair["area"] else pair["area"]) == area
    problems = source.problems()
    assert problems["subject"].tolist() == said
    assert problems["reason"].str.startswith("note: 1 are none (first: ").all()


@pytest.mark.parametrize("side", [10**30, -1, 0, "640", 1.5, True, float("nan"), [640]])
def test_a_width_that_is_none_is_noted_and_not_compared(tmp_path, side):
    image = {"id": 0, "file_name": "a.png", "width": side, "height": 6.0}
    source = found(tmp_path, small(images=[image]))
    assert source.images()[["width", "height"]].fillna(-1).to_numpy().tolist() == [[-1, 6]]
    assert source.problems()["subject"].tolist() == ["width in pixels"]


def test_doubts_are_told_once_with_their_number(tmp_path):
    source = found(tmp_path, small(annotations=[note(area=-n) for n in range(1, 6)]))
    assert source.problems()["reason"].tolist() == ["note: 5 are none (first: -1 of annotation 0)"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"images": [{"id": True, "file_name": "a.png"}]}, "images: entry 0 has id True"),
        ({"images": [{"id": 0, "file_name": "\ud800.png"}]}, "half of a surrogate pair"),
        ({"images": [{"id": "\ud800", "file_name": "a.png"}]}, "half of a surrogate pair"),
        ({"categories": [{"id": 0, "name": {"en": "dog"}}]}, r"has the name \{'en': 'dog'\}"),
        ({"categories": [{"id": 0, "name": "\udfff"}]}, "half of a surrogate pair"),
        ({"categories": [{"id": 0, "name": " "}]}, "the text ' ' is empty"),
        ({"categories": [{"id": [[0]], "name": "a"}]}, r"categories: entry 0 has id \[\[0\]\]"),
    ],
)
def test_what_no_table_could_hold_is_named(tmp_path, change, said):
    with pytest.raises(OodexpError, match=said):
        found(tmp_path, small(annotations=[], **change)).images()


@pytest.mark.parametrize(
    "where", ["", '{"images": ', '{"info": ', '{"annotations": [{"image_id": ']
)
def test_lists_within_lists_without_end_are_named(tmp_path, where):
    with pytest.raises(OodexpError, match=r"f\.json: .*lists within lists without end"):
        coco(tmp_path, where + DEEP).images()


def test_a_deep_annotation_that_can_be_read_is_told_in_short(tmp_path):
    deep = json.loads("[" * 800 + "]" * 800)
    source = found(
        tmp_path, small(annotations=[deep, {"image_id": deep, "category_id": "a" * 10**6}])
    )
    assert source.problems()["reason"].str.len().max() < 400
    assert len(source.problems()) == 2


def test_lines_of_a_table_that_are_too_deep_or_no_objects_are_named(tmp_path):
    for text in (DEEP, "[1]"):
        (tmp_path / "list.jsonl").write_text(text)
        with pytest.raises(OodexpError, match=r"list\.jsonl, line 1: (not JSON|\[1\]; expected)"):
            Manifest(str(tmp_path / "list.jsonl"), str(tmp_path)).images()


@pytest.mark.parametrize("text", ["2001-99-99: x", "? [a, b]\n: x", "a: " + DEEP])
def test_labels_that_are_odd_yaml_are_named(tmp_path, text):
    (tmp_path / "l.yaml").write_text(text)
    with pytest.raises(OodexpError, match=r"l\.yaml"):
        Labels.of(str(tmp_path / "l.yaml"))


def test_labels_with_a_field_of_a_megabyte_are_named(tmp_path):
    (tmp_path / "l.csv").write_text("name,text\na," + "b" * 10**6)
    with pytest.raises(OodexpError, match=r"l\.csv, line 2: field larger than field limit"):
        Labels.of(str(tmp_path / "l.csv"))


def test_more_categories_than_can_be_scored_are_refused_while_they_are_read():
    document = Document("f.json", "COCO", ("id", "file_name"))
    for number in range(MOST_CATEGORIES):
        document._name({"id": number, "name": str(number)})
    with pytest.raises(OodexpError, match="more than 1,048,576 categories"):
        document._name({"id": -1, "name": "one more"})


def test_a_matrix_that_does_not_fit_into_memory_is_refused():
    assert empty(10, 10, most=100).shape == (10, 10)
    with pytest.raises(OodexpError, match="10 images x 11 categories"):
        empty(10, 11, most=100)
    with pytest.raises(OodexpError, match="they take more than"):
        empty(10**9, 10**9)


@pytest.mark.parametrize("side", [10**400, float("nan"), float("inf"), "3", None])
def test_a_box_that_is_none_is_not_shown(tmp_path, side):
    source = found(tmp_path, small(annotations=[note(), note(id=1, bbox=[0, 0, side, 4])]))
    assert source.boxes("0", source.categories()[0]) == [(0.0, 0.0, 3.0, 4.0)]
