"""What annotations show: every cell against painted pixels, groups, covered objects, damage."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from oodexp.record import ABSENT, PRESENT
from oodexp.source.cityscapes import Cityscapes
from oodexp.source.cityscapes_labels import OBJECTS, of
from tests.source.cityscapes_made import (
    CAR,
    HIDDEN,
    STEM,
    drawn,
    instance_ids,
    opened,
    painted,
    pairs,
    rectangle,
    write,
)


def twin(objects, min_pixels: int) -> dict[str, tuple]:
    """Count, reason and area of each visible class, from what lies on top at each pixel."""
    canvas = painted(objects)
    single, group, region = defaultdict(list), defaultdict(int), defaultdict(int)
    for number, entry in enumerate(objects, start=1):
        label, grouped = of(entry["label"])
        pixels = int((canvas == number).sum())
        if entry.get("deleted") or label.name not in OBJECTS:
            continue
        if not label.counted:
            region[label.name] += pixels
        elif grouped:
            group[label.name] += pixels
        elif pixels >= min_pixels:
            single[label.name].append(pixels)
    found = {name: (len(p), None, max(p)) for name, p in single.items()}
    for name, pixels in group.items():
        if pixels >= min_pixels:
            found[name] = (None, "group", max(single[name]) if single[name] else None)
    large = [name for name, pixels in region.items() if pixels >= min_pixels]
    return found | dict.fromkeys(large, (None, "not counted", None))


@pytest.mark.parametrize("min_pixels", [1, 40])
@pytest.mark.parametrize("ids", [True, False])
def test_every_cell_agrees_with_a_count_of_painted_pixels(tmp_path, ids, min_pixels):
    rng = np.random.default_rng(7)
    scenes = {f"ulm_000000_{n:06d}": drawn(rng) for n in range(30)}
    for stem, objects in scenes.items():
        write(tmp_path, stem, objects, ids=ids, polygons=not ids)
    source = Cityscapes(str(tmp_path), min_pixels=min_pixels)
    assert source.images()["image_id"].tolist() == list(scenes)
    table = source.pairs().astype(object).where(lambda t: t.notna(), None)
    for row, (stem, objects) in enumerate(scenes.items()):
        expected = twin(objects, min_pixels)
        mine = table[table["image_id"] == stem]
        found = {p.category: (p.count, p.count_reason, p.area) for p in mine.itertuples()}
        assert found == expected
        codes = [PRESENT if c in expected else ABSENT for c in source.categories()]
        assert source.presence()[row].tolist() == codes
    assert {"group", "not counted", None} == set(table["count_reason"])
    assert len(source.problems()) == 0


@pytest.mark.parametrize("ids", [True, False])
def test_the_objects_of_an_image_are_counted_with_groups(tmp_path, ids):
    group = rectangle("cargroup", (20, 4, 26, 12))
    road = rectangle("road", (30, 4, 36, 12))
    source = opened(tmp_path, [CAR, group, road], ids)
    assert source.images()["objects"].tolist() == [2]
    assert pairs(source) == {"car": (None, "group", 63.0)}


def test_small_groups_of_a_class_are_seen_together(tmp_path):
    groups = [rectangle("cargroup", (x, 4, x + 1, 6)) for x in (2, 10)]  # six pixels each
    for ids in (False, True):
        assert set(pairs(opened(tmp_path, groups, ids, min_pixels=12))) == {"car"}
        assert not pairs(opened(tmp_path, groups, ids, min_pixels=13))


def test_an_object_that_later_ones_cover_counts_unless_pixels_are_asked_for(tmp_path):
    objects = [HIDDEN, CAR]
    assert set(pairs(opened(tmp_path, objects))) == {"car", "rider"}
    assert set(pairs(opened(tmp_path, objects, min_pixels=1))) == {"car"}


def test_objects_of_dropped_classes_cover_others_too(tmp_path):
    source = opened(tmp_path, [CAR, rectangle("sky", (2, 4, 7, 12))], min_pixels=1)
    assert pairs(source) == {"car": (1, None, 9.0)}


def test_a_license_plate_covers_nothing(tmp_path):
    source = opened(tmp_path, [CAR, rectangle("license plate", (2, 4, 8, 12))])
    assert pairs(source) == {"car": (1, None, 63.0)}
    assert len(source.problems()) == 0


def test_the_instance_image_goes_before_the_polygons(tmp_path):
    write(tmp_path, STEM, [CAR], ids=True)
    write(tmp_path, STEM, [HIDDEN])
    assert set(pairs(Cityscapes(str(tmp_path)))) == {"car"}


def test_a_deleted_object_is_not_there(tmp_path):
    assert pairs(opened(tmp_path, [CAR | {"deleted": 1}, HIDDEN | {"deleted": 0}])).keys() == {
        "rider"
    }


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (rectangle("ufo", (0, 0, 1, 1)), "label 'ufo' is no label of Cityscapes"),
        ({"polygon": []}, "label None is no label"),
        ({"label": 3}, "label 3 is no label"),
        ("car", "label None is no label"),
        ({"label": "car"}, "car: expected polygon"),
        ({"label": "car", "polygon": [[0, 0], [1, 1]]}, "car: expected polygon"),
        ({"label": "car", "polygon": [[0, 0], [1, 1], [2]]}, "car: expected polygon"),
        ({"label": "car", "polygon": [[0, 0], [1, 1], ["2", 2]]}, "car: expected polygon"),
        ({"label": "car", "polygon": [[0, 0], [1, 1], [1e400, 2]]}, "car: expected polygon"),
    ],
)
def test_an_object_that_cannot_be_read_is_a_named_problem(tmp_path, entry, said):
    source = opened(tmp_path, [CAR, entry])
    problem = source.problems().iloc[0]
    assert problem["image_id"] == STEM
    assert problem["subject"] == f"ulm/{STEM}_gtFine_polygons.json: object 1"
    assert said in problem["reason"]
    assert pairs(source) == {"car": (1, None, 63.0)}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"{", "not JSON"),
        (b"\xff", "not JSON"),
        (b"[]", "expected imgWidth, imgHeight and the list objects"),
        (b'{"imgWidth": 9, "imgHeight": 9, "objects": {}}', "expected imgWidth"),
        (b'{"imgWidth": 0, "imgHeight": 9, "objects": []}', "imgWidth 0 and imgHeight 9"),
        (b'{"imgWidth": 99999, "imgHeight": 99999, "objects": []}', "imgWidth 99999"),
    ],
)
def test_a_polygon_file_that_cannot_be_read_leaves_its_image_out_by_name(tmp_path, content, said):
    write(tmp_path, "ulm_000000_000001", [CAR])
    write(tmp_path, STEM, [])
    (tmp_path / f"gtFine/val/ulm/{STEM}_gtFine_polygons.json").write_bytes(content)
    source = Cityscapes(str(tmp_path))
    assert source.images()["image_id"].tolist() == ["ulm_000000_000001"]
    problem = source.problems().iloc[0]
    assert problem["subject"] == f"ulm/{STEM}_gtFine_polygons.json"
    assert problem["reason"].startswith(f"left out: {said}")


def broken(tmp_path: Path, image: Image.Image | bytes) -> str:
    write(tmp_path, STEM, [CAR], ids=True)
    file = tmp_path / f"gtFine/val/ulm/{STEM}_gtFine_instanceIds.png"
    if isinstance(image, bytes):
        file.write_bytes(image)
    else:
        image.save(file)
    source = Cityscapes(str(tmp_path))
    assert len(source.images()) == 0
    assert source.problems()["subject"].tolist() == [f"ulm/{STEM}_gtFine_instanceIds.png"]
    return str(source.problems()["reason"].iloc[0])


def test_an_instance_image_that_cannot_be_read_leaves_its_image_out_by_name(tmp_path):
    assert "not a readable PNG" in broken(tmp_path, b"no image")
    assert "mode RGB, 4 x 2; expected a 16-bit grey PNG" in broken(
        tmp_path, Image.new("RGB", (4, 2))
    )
    whole = (tmp_path / f"leftImg8bit/val/ulm/{STEM}_leftImg8bit.png").read_bytes()
    assert "not a readable PNG" in broken(tmp_path, whole[:40])


@pytest.mark.parametrize("value", [34, 999, 7001, 34000, 65535])
def test_a_value_of_no_class_is_a_named_problem(tmp_path, value):
    write(tmp_path, STEM, [CAR], ids=True)
    file = tmp_path / f"gtFine/val/ulm/{STEM}_gtFine_instanceIds.png"
    values = instance_ids([CAR])
    values[0, :5] = value
    Image.fromarray(values.astype(np.uint16)).save(file)
    source = Cityscapes(str(tmp_path))
    problem = source.problems().iloc[0]
    assert problem["subject"].endswith(f"instanceIds.png: value {value}")
    assert problem["reason"] == "5 pixels of no known class"
    assert pairs(source) == {"car": (1, None, 63.0)}
