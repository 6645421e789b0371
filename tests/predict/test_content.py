"""Every file read once, before anything expensive."""

from __future__ import annotations

import hashlib

import pytest

from oodexp import table
from oodexp.predict.content import scan
from oodexp.record import Image
from tests.world import annotated


def images(*rows: tuple[str, int | None, int | None]):
    return table.frame(Image, [Image("s", i, i, None, w, h, 0) for i, w, h in rows])


def test_every_file_is_hashed(world):
    found = scan(world.images(), world.read)
    for row in found.images.itertuples():
        assert row.sha256 == hashlib.sha256(world.read(row.image_id)).hexdigest()
    assert len(found.problems) == 0


def test_every_file_is_read_once(world):
    seen = []
    scan(world.images(), lambda i: seen.append(i) or world.read(i))
    assert sorted(seen) == sorted(world.images()["image_id"])


def test_the_other_columns_and_the_order_stay(world):
    before = world.images()
    after = scan(before, world.read).images
    assert after.drop(columns="sha256").equals(before.drop(columns="sha256"))


def test_a_missing_file_is_named_and_the_others_are_read(world, tmp_path):
    (tmp_path / "world/images/two.png").unlink()
    found = scan(world.images(), world.read)
    assert found.images["sha256"].isna().tolist() == [False, True] + [False] * 4
    (problem,) = found.problems.itertuples()
    assert (problem.stage, problem.image_id, problem.subject) == ("decode", "1", "two.png")
    assert problem.reason == "unreadable: No such file or directory"


def test_files_that_are_no_whole_image_are_listed(shared):
    folder = shared / "cases/g10-truncated"
    names = ["whole.jpg", "cut.jpg", "zero.jpg", "page.jpg"]
    found = scan(images(*((n, None, None) for n in names)), lambda i: (folder / i).read_bytes())
    # A cut file has a whole header: only decoding it tells.
    assert set(found.problems["image_id"]) == {"zero.jpg", "page.jpg"}
    assert found.problems["reason"].str.startswith("unreadable: ").all()
    assert found.images["sha256"].isna().tolist() == [False, False, True, True]


def test_a_turned_photograph_is_noted_and_not_refused(shared):
    data = (shared / "cases/g09-exif/o6.jpg").read_bytes()
    found = scan(images(("a", 24, 16)), lambda _: data)
    (note,) = found.problems["reason"]
    assert note.startswith("note: shown 16 x 24")
    assert "raw size" in note
    assert found.images["sha256"].notna().all()


def test_a_size_annotated_as_shown_needs_no_note(shared):
    data = (shared / "cases/g09-exif/o6.jpg").read_bytes()
    assert len(scan(images(("a", 16, 24)), lambda _: data).problems) == 0


@pytest.mark.parametrize("size", [(None, None), (None, 32), (32, None)])
def test_a_size_that_is_not_annotated_needs_no_note(world, size):
    assert len(scan(images(("0", *size)), world.read).problems) == 0


def test_an_image_of_another_size_than_annotated_is_noted(world):
    (note,) = scan(images(("0", 640, 480)), world.read).problems["reason"]
    assert note.startswith("note: annotated as 640 x 480, the file is 32 x 32")


def test_a_folder_in_place_of_a_file_is_unreadable(world, tmp_path):
    document = {"images": [{"id": 1, "file_name": "sub"}], "categories": [], "annotations": []}
    source = annotated(tmp_path / "other", document, tmp_path / "world/images")
    (problem,) = scan(source.images(), source.read).problems["reason"]
    assert problem == "unreadable: Is a directory"


def test_nothing_to_scan_gives_empty_tables():
    found = scan(images(), lambda _: b"")
    assert len(found.images) == len(found.problems) == 0
