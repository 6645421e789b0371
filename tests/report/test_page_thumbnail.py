"""Thumbnails of the report page: small, each once, and no more than there is room for."""

from __future__ import annotations

import base64
import io
import json

import numpy as np
import pytest
from PIL import Image as Picture

from oodexp.report import page as module
from oodexp.report.page import page
from oodexp.report.page_thumbnail import SIDE, shrink, thumbnails
from tests.report.page_run import META, Tree, drawing, make_tables, no_picture


@pytest.fixture(scope="module")
def tables():
    return make_tables()


def test_each_image_is_embedded_once_and_small(tables):
    tree = Tree(page(tables, META, lambda source, image: drawing(), {}))
    data = json.loads(tree.raw["cards"])
    lines = tree.raw["thumbnails-0"].split("\n")
    assert len(lines) == 4
    assert len(set(data["cards"]["thumbnail"])) == 4
    kind, _, coded = lines[0].partition(",")
    assert kind == "data:image/webp;base64"
    with Picture.open(io.BytesIO(base64.b64decode(coded))) as picture:
        assert picture.size == (96, 64)


def test_a_small_jpeg_is_kept_byte_for_byte_and_a_broken_file_is_told():
    small = drawing((SIDE, 10), "JPEG")
    files = {"a": small, "b": b"no image", "c": None}
    made = thumbnails([("s", name) for name in files], lambda _, name: files[name], 10**6)
    assert base64.b64decode(made.uris[0].partition(",")[2]) == small
    assert made.uris[0].startswith("data:image/jpeg")
    assert (made.uris[1:], made.unreadable) == (["", ""], 2)
    assert "Of 3 images, 2 could not be read" in made.note
    assert shrink(small) != small


def test_thumbnails_stop_where_there_is_no_room_and_the_page_says_so(tables, monkeypatch):
    asked = []
    noise = np.random.default_rng(0).integers(0, 256, (SIDE, SIDE, 3), dtype=np.uint8)
    kept = io.BytesIO()
    Picture.fromarray(noise).save(kept, format="PNG")

    def read(source, image):
        asked.append(image)
        return kept.getvalue()

    bare = page(tables, META, no_picture, {})
    one = len(thumbnails([("src", "0")], read, 10**6).uris[0])
    assert one > 2000
    asked.clear()
    most = len(bare.encode()) + 2 * one + 1000
    monkeypatch.setattr(module, "MOST_BYTES", most)
    made = page(tables, META, read, {})
    assert len(made.encode()) <= most
    lines = Tree(made).raw["thumbnails-0"].split("\n")
    assert [bool(line) for line in lines] == [True, True, False, False]
    assert "2 were left out to keep this file small" in made
    assert len(asked) == 3
