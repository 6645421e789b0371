"""Files of every source: where they may lie, and what is never waited for."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from oodexp.error import OodexpError
from oodexp.escape import escape, read_file
from oodexp.source.annotated import Below
from oodexp.source.cityscapes import Cityscapes
from oodexp.source.coco import Coco
from oodexp.source.concepts import Concepts
from oodexp.source.hub import Hub
from oodexp.source.lvis import Lvis
from oodexp.source.manifest import Manifest
from oodexp.source.nuscenes import NuScenes
from tests.input.kind import within
from tests.source import test_concepts
from tests.source.test_contract import MADE

SECRET = b"a file of this machine"

Opened = Callable[..., Below]


def _of_files(kind: Any, listed: str) -> Opened:
    return lambda folder, **more: kind(str(folder / listed), str(folder / "images"), **more)


OPENED: dict[str, Opened] = {
    "coco": _of_files(Coco, "annotations.json"),
    "lvis": _of_files(Lvis, "annotations.json"),
    "manifest": _of_files(Manifest, "list.csv"),
    "concepts": _of_files(Concepts, "list.csv"),
    "nuscenes": lambda folder, **more: NuScenes(str(folder), **more),
    "cityscapes": lambda folder, **more: Cityscapes(str(folder), **more),
}


@pytest.fixture(params=OPENED)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Opened, Path, str, Path]:
    """How a source is opened, its folder, an image's id and file."""
    folder = tmp_path / "set"
    made = MADE[request.param] if request.param != "concepts" else test_concepts.made
    made(folder)
    source = OPENED[request.param](folder)
    first = source.images().iloc[0]
    return OPENED[request.param], folder, first["image_id"], source._root / first["file"]


def test_a_link_out_of_the_folder_is_a_named_problem_unless_allowed(place, tmp_path):
    opened, folder, image, file = place
    (tmp_path / "secret").write_bytes(SECRET)
    file.unlink()
    file.symlink_to(tmp_path / "secret")
    closed = opened(folder)
    assert image not in closed.images()["image_id"].tolist()
    with pytest.raises(KeyError):
        closed.read(image)
    reasons = closed.problems().query("image_id == @image")["reason"].tolist()
    assert any("by a link; links=anywhere" in reason for reason in reasons)
    assert opened(folder, links="anywhere").read(image) == SECRET


def test_a_setting_of_links_that_is_neither_is_refused(place):
    with pytest.raises(OodexpError, match="links=all: expected inside or anywhere"):
        place[0](place[1], links="all")


def test_a_pipe_in_the_place_of_an_image_is_not_waited_for(place):
    opened, folder, image, file = place
    file.unlink()
    os.mkfifo(file)
    with within(5), pytest.raises(OSError, match="no regular file"):
        opened(folder).read(image)


def test_a_folder_and_a_dangling_link_are_errors_of_the_system(place):
    opened, folder, image, file = place
    file.unlink()
    file.mkdir()
    with pytest.raises(IsADirectoryError):
        opened(folder).read(image)
    file.rmdir()
    file.symlink_to("nowhere.png")
    with pytest.raises(FileNotFoundError):
        opened(folder).read(image)


def test_a_socket_is_an_error_of_the_system(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the name of a socket must be short
    with socket.socket(socket.AF_UNIX) as mine:
        mine.bind("s")
        with within(5), pytest.raises(OSError, match="No such device"):
            read_file(Path("s"))


def test_a_file_that_is_larger_than_any_image_is_not_read(tmp_path):
    with (tmp_path / "huge.png").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(OSError, match="bytes, more than"):
        read_file(tmp_path / "huge.png")


@pytest.mark.parametrize(
    "file",
    ["../a", "a/../../b", "/etc/passwd", "..\\a", "a\0b", "a/../../set/../b", "\ud800.png"],
)
@pytest.mark.parametrize("links", ["inside", "anywhere"])
def test_a_path_that_leads_out_by_itself_is_refused_whatever_the_setting(tmp_path, file, links):
    home = tmp_path / "set"
    home.mkdir()
    assert escape(file, home, home, links) is not None


@pytest.mark.parametrize("path", ["../secret", "/secret", "link.png"])
def test_an_image_that_a_hub_row_names_by_path_stays_in_the_folder(tmp_path, path):
    home = tmp_path / "set"
    home.mkdir()
    (tmp_path / "secret").write_bytes(SECRET)
    (home / "link.png").symlink_to(tmp_path / "secret")
    objects = {"category": ["dog"]}
    row = {"image": {"bytes": None, "path": path}, "objects": objects}
    pq.write_table(pa.Table.from_pylist([row]), home / "train.parquet")
    source = Hub(str(home))
    image = source.images()["image_id"].iloc[0]
    with pytest.raises(OSError, match=r"absolute path|leads out"):
        source.read(image)
    if path == "link.png":
        assert Hub(str(home), links="anywhere").read(image) == SECRET
