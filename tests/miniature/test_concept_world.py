"""The file of the concept miniature: its table, its pictures, its size."""

from __future__ import annotations

import csv
import io
import zipfile
from collections import Counter
from dataclasses import asdict

import numpy as np
import pytest
from PIL import Image

from oodexp.miniature import concept_world
from oodexp.miniature.concept_idea import CALIBRATION, CONCEPTS
from oodexp.miniature.concept_world import (
    COLOURS,
    FILE,
    PARTS,
    TABLE,
    as_png,
    draw_part,
    number_of,
    write_concepts,
)
from oodexp.miniature.load import DATA


@pytest.fixture(scope="module")
def shipped():
    with zipfile.ZipFile(DATA / FILE) as archive:
        rows = list(csv.DictReader(io.StringIO(archive.read(TABLE).decode())))
        return rows, {row["image"]: archive.read(row["image"]) for row in rows}


def pixels(png: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"), int)


def test_the_file_is_below_two_megabytes():
    assert 0.5e6 < (DATA / FILE).stat().st_size < 2e6


@pytest.mark.parametrize("part", PARTS)
def test_shipped_pictures_are_what_the_package_draws(part, shipped):
    rows, pictures = shipped
    drawn = draw_part(part, "test")
    assert [asdict(one.row) for one in drawn] == [row for row in rows if row["part"] == part]
    for one in drawn[:: max(1, len(drawn) // 40)]:
        # Another version of Pillow may round differently, never draw something else.
        assert np.abs(pixels(one.png) - pixels(pictures[one.row.image])).mean() < 1.5


@pytest.mark.parametrize("part", ["id", "long_tail", "negatives"])
def test_dev_and_test_have_the_same_table_and_no_picture_in_common(part):
    dev, test = draw_part(part, "dev"), draw_part(part, "test")
    assert [one.row for one in dev] == [one.row for one in test]
    assert {one.png for one in dev}.isdisjoint(one.png for one in test)


def test_parts_have_their_numbers(shipped):
    counts = Counter(row["part"] for row in shipped[0])
    wanted = {p: sum(number_of(p, n) for n in range(len(i))) for p, i in CALIBRATION.items()}
    assert counts == {"concepts": sum(10 + 3 * n % 5 for n in range(len(CONCEPTS))), **wanted}
    assert counts == {"concepts": 840, "id": 264, "long_tail": 96, "negatives": 250}


def test_few_colours_change_little_and_the_bytes_not_at_all():
    rng = np.random.default_rng(0)
    drawn = np.repeat(np.repeat(rng.integers(0, 256, (8, 8, 3), np.uint8), 8, 0), 8, 1)
    assert as_png(drawn) == as_png(drawn)
    found = pixels(as_png(drawn))
    assert len(np.unique(found.reshape(-1, 3), axis=0)) <= COLOURS
    assert np.abs(found - drawn).mean() < 6


def test_the_file_is_the_same_however_often_it_is_written(tmp_path, monkeypatch):
    monkeypatch.setattr(concept_world, "PARTS", ("id", "long_tail"))
    for folder in ("one", "two"):
        write_concepts(tmp_path / folder)
    assert (tmp_path / "one" / FILE).read_bytes() == (tmp_path / "two" / FILE).read_bytes()
    with zipfile.ZipFile(tmp_path / "one" / FILE) as archive:
        assert len(archive.namelist()) == 1 + 264 + 96
