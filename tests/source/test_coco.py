"""A COCO file with its image folder; paths that lead out of it are never opened."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from oodexp.error import OodexpError
from oodexp.pixel import decode
from oodexp.source.coco import Coco

PNG = bytes.fromhex("89504e470d0a1a0a")


@pytest.fixture
def escape(shared: Path, tmp_path: Path) -> Coco:
    """The case g05 with real links: one that leads out of the folder, one that stays inside."""
    case = tmp_path / "case"
    shutil.copytree(shared / "cases/g05-path-escape", case, copy_function=shutil.copyfile)
    case.chmod(0o755)
    for folder in (case / "images", case / "images/sub"):
        folder.chmod(0o755)
    link = case / "images/sub/link.png"
    link.unlink()
    link.symlink_to(case / "secret.png")
    (case / "images/sub/stays.png").symlink_to(case / "images/ok2.png")
    document = json.loads((case / "instances.json").read_text())
    for name in ("sub/stays.png", "sub", "", "https://example.org/a.png"):
        document["images"].append({"id": len(document["images"]) + 1, "file_name": name})
    notes = [{"image_id": i["id"], "category_id": 1} for i in document["images"]]
    (case / "listed.json").write_text(json.dumps(document | {"annotations": notes}))
    return Coco(str(case / "listed.json"), str(case / "images"), "case")


def test_only_paths_that_stay_in_the_folder_are_accepted(escape, shared):
    expected = json.loads((shared / "cases/g05-path-escape/expected.json").read_text())
    accepted = set(escape.images()["file"])
    assert set(expected["accepted"]) | {"sub/stays.png"} <= accepted
    refused = set(escape.problems()["subject"])
    assert refused == {r.partition(" (")[0] for r in expected["rejected"]}
    assert not accepted & refused


def test_each_refused_path_is_named_with_its_reason(escape):
    reasons = dict(escape.problems()[["subject", "reason"]].itertuples(index=False))
    assert reasons == {
        "../secret.png": "path leads out of the image folder",
        "/etc/hostname": "absolute path",
        "..\\secret.png": "path with a backslash or a null character",
        "sub/link.png": "path leads out of the image folder by a link; links=anywhere of the "
        "source allows that",
    }


def test_the_rows_of_all_tables_are_those_of_accepted_images(escape):
    images = escape.images()
    assert len(escape.presence()) == len(images)
    assert set(escape.pairs()["image_id"]) == set(images["image_id"])


def test_no_refused_file_is_ever_opened(escape, monkeypatch):
    opened = []
    real = os.open
    monkeypatch.setattr(
        "oodexp.escape.os.open",
        lambda path, *rest: opened.append(Path(path)) or real(path, *rest),
    )
    for image_id in escape.images()["image_id"]:
        try:
            assert escape.read(image_id).startswith(PNG)
        except OSError:
            continue  # a folder, a file that is not there
    for image_id in ("2", "3", "5", "6"):
        with pytest.raises(KeyError):
            escape.read(image_id)
    names = {path.resolve().name for path in opened}
    assert {"ok.png", "ok2.png"} <= names
    assert not names & {"secret.png", "hostname"}


def test_a_link_that_leads_to_itself_is_refused_and_the_rest_is_read(tmp_path):
    (tmp_path / "loop.png").symlink_to(tmp_path / "loop.png")
    images = [{"id": 1, "file_name": "loop.png"}, {"id": 2, "file_name": "a.png"}]
    document = {"images": images, "categories": [], "annotations": []}
    (tmp_path / "f.json").write_text(json.dumps(document))
    found = Coco(str(tmp_path / "f.json"), str(tmp_path))
    assert found.images()["file"].tolist() == ["a.png"]
    assert found.problems()["subject"].tolist() == ["loop.png"]


def test_an_image_folder_that_is_itself_a_link_is_accepted(world, tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "world/images")
    linked = Coco(str(tmp_path / "world/instances.json"), str(tmp_path / "link"))
    assert linked.images()["file"].tolist() == world.images()["file"].tolist()
    assert linked.read("0") == world.read("0")


def test_the_same_file_name_in_two_folders_is_two_images(shared):
    case = shared / "cases/g06-same-basename"
    expected = json.loads((case / "expected.json").read_text())
    found = Coco(str(case / "instances.json"), str(case / "images"))
    images = found.images()
    files = dict(images[["image_id", "file"]].itertuples(index=False))
    pairs = [[files[p.image_id], p.category] for p in found.pairs().itertuples()]
    assert pairs == expected["pairs"]
    assert images["image_id"].nunique() == expected["distinct_image_keys"]
    for image_id, file in files.items():
        pixel = decode(found.read(image_id)).getpixel((0, 0))
        assert list(pixel) == expected["first_pixel"][file]


def test_a_missing_file_or_folder_is_named_at_once(tmp_path):
    (tmp_path / "f.json").write_text("{}")
    with pytest.raises(OodexpError, match=r"annotations=nowhere\.json: no such file"):
        Coco("nowhere.json", str(tmp_path))
    with pytest.raises(OodexpError, match=r"images=nowhere: no such folder"):
        Coco(str(tmp_path / "f.json"), "nowhere")


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe\x00"])
def test_a_file_that_is_no_json_is_named(tmp_path, content):
    (tmp_path / "f.json").write_bytes(content)
    with pytest.raises(OodexpError, match=r"f\.json: not JSON"):
        Coco(str(tmp_path / "f.json"), str(tmp_path)).images()


def test_a_missing_image_is_an_os_error(world, tmp_path):
    (tmp_path / "world/images/one.png").unlink()
    with pytest.raises(FileNotFoundError):
        world.read("0")
