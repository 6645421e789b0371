"""Boxes of COCO-like sources: against the annotation file, entry by entry."""

from __future__ import annotations

import gzip
import json
from importlib import resources
from pathlib import Path

from oodexp.source.base import Outlined
from oodexp.source.boxes import Boxes
from oodexp.source.coco import Coco
from oodexp.source.manifest import Manifest
from oodexp.source.miniature import Miniature
from tests.world import CATEGORIES, SCENES


def test_boxes_of_the_drawn_scenes_are_where_they_were_painted(world: Coco) -> None:
    assert isinstance(world, Outlined)
    for number, shapes in enumerate(SCENES.values()):
        for category in CATEGORIES:
            painted = [
                (left, top, right - left + 1, bottom - top + 1)
                for name, _, (left, top, right, bottom), _ in shapes
                if name == category
            ]
            assert world.boxes(str(number), category) == painted


def test_every_pair_of_the_miniature_has_its_boxes() -> None:
    source = Miniature(limit=40)
    data = resources.files("oodexp.miniature") / "data" / "test.json.gz"
    document = json.loads(gzip.decompress(data.read_bytes()))
    names = {c["id"]: c["name"] for c in document["categories"]}
    for pair in source.pairs().itertuples():
        expected = [
            tuple(note["bbox"]) for note in document["annotations"]
            if (str(note["image_id"]), names[note["category_id"]]) == (pair.image_id, pair.category)
        ]  # fmt: skip
        assert source.boxes(pair.image_id, pair.category) == expected
        assert len(expected) >= 1


def coco(folder: Path, **labels: str | None) -> Coco:
    notes = [
        {"image_id": 1, "category_id": 5, "bbox": [1, 2, 3, 4], "iscrowd": 0},
        {"image_id": 1, "category_id": 6, "bbox": [5.5, 6, 7, 8], "iscrowd": 1},
        {"image_id": 1, "category_id": 7, "bbox": [9, 9, 9, 9]},
        {"image_id": 2, "category_id": 5, "bbox": None},
        {"image_id": 2, "category_id": 5, "bbox": [1, 2, "3", 4]},
        {"image_id": 2, "category_id": 5, "bbox": [1, 2, 3, 1e999]},
    ]
    names = {5: "cat", 6: "lynx", 7: "cup"}
    document = {
        "annotations": notes,
        "categories": [{"id": n, "name": name} for n, name in names.items()],
        "images": [{"id": n, "file_name": f"{n}.png"} for n in (1, 2)],
    }  # fmt: skip
    file = folder / "notes.json"
    file.write_text(json.dumps(document).replace("Infinity", "1e999"))
    return Coco(str(file), str(folder), labels=labels or None)


def test_merged_and_dropped_categories_have_the_boxes_of_their_names(tmp_path: Path) -> None:
    source = coco(tmp_path, cat="feline", lynx="feline", cup=None)
    assert source.boxes("1", "feline") == [(1, 2, 3, 4), (5.5, 6, 7, 8)]
    assert source.boxes("1", "cup") == []
    assert source.boxes("1", "cat") == []


def test_annotations_without_a_whole_box_have_none(tmp_path: Path) -> None:
    source = coco(tmp_path)
    assert source.boxes("2", "cat") == []
    assert source.boxes("no such image", "cat") == []


def test_ids_that_look_alike_are_two_categories() -> None:
    document = {
        "categories": [{"id": 1, "name": "cat"}, {"id": "1", "name": "dog"}],
        "annotations": [
            {"image_id": 3, "category_id": 1, "bbox": [1, 1, 1, 1]},
            {"image_id": 3, "category_id": "1", "bbox": [2, 2, 2, 2]}, "no object",
        ],
    }  # fmt: skip
    found = Boxes(document, {"cat": "cat", "dog": "dog"})
    assert found.of("3", "cat") == [(1, 1, 1, 1)]
    assert found.of("3", "dog") == [(2, 2, 2, 2)]


def test_sources_without_boxes_say_so_by_having_no_such_method() -> None:
    assert not issubclass(Manifest, Outlined)
