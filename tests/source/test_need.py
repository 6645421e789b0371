"""What a source needs on disk, and whether it is there."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from oodexp.source.need import Need, found


def folder(path: Path, files: int) -> Path:
    (path / "below").mkdir(parents=True)
    for n in range(files):
        (path / "below" / f"{n}.jpg").touch()
    return path


@pytest.mark.parametrize(
    ("files", "said"),
    [(2, "incomplete: 2 of 3 files"), (3, "ok"), (5, "ok, and 2 files more")],
)
def test_a_folder_is_judged_by_the_number_of_its_files(tmp_path, files, said):
    place = folder(tmp_path / "images", files)
    assert found(Need("images", "a page", str(place), files=3)) == said


def test_what_is_not_there_is_missing(tmp_path):
    assert found(Need("images", "a page", str(tmp_path / "no"), files=3)) == "missing"
    assert found(Need("a file", "a page", str(tmp_path / "no.json"))) == "missing"


def test_hidden_files_do_not_count(tmp_path):
    place = folder(tmp_path / "images", 2)
    (place / ".DS_Store").touch()
    assert found(Need("images", "a page", str(place), files=3)) == "incomplete: 2 of 3 files"


def test_a_file_is_judged_by_its_published_checksum(tmp_path):
    file = tmp_path / "a.json"
    file.write_bytes(b"{}")
    right = hashlib.md5(b"{}").hexdigest()
    assert found(Need("a file", "a page", str(file), md5=right)) == "ok"
    assert "checksum" in found(Need("a file", "a page", str(file), md5="0" * 32))
