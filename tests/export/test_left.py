"""What a killed run left of an export."""

from __future__ import annotations

import hashlib

import pytest

from oodexp.export.left import clear, finished, sums, sums_beside


@pytest.fixture
def folder(tmp_path):
    home = tmp_path / "run" / "pope"
    (home / "images").mkdir(parents=True)
    (home / "images" / "a b.png").write_bytes(b"pixels")
    (home / "part.jsonl").write_bytes(b"{}\n")
    return home


def files(folder):
    return [folder / "images/a b.png", folder / "part.jsonl"]


def test_sums_are_those_of_the_files(folder):
    expected = f"{hashlib.sha256(b'pixels').hexdigest()}  images/a b.png\n"
    assert sums(folder, files(folder)).startswith(expected)


def test_an_export_is_whole_when_its_sums_lie_beside_it_and_hold(folder):
    assert finished(folder) is None
    text = sums(folder, files(folder))
    sums_beside(folder).write_text(text)
    assert finished(folder) == text
    (folder / "part.jsonl").write_bytes(b"{ }\n")
    assert finished(folder) is None
    (folder / "part.jsonl").unlink()
    assert finished(folder) is None


def test_half_of_an_export_is_removed(folder):
    clear(folder)
    assert not folder.exists()
    clear(folder)


def test_what_may_be_a_whole_export_is_put_aside_with_all_that_was_added(folder):
    for number in (1, 2):
        folder.mkdir(exist_ok=True)
        (folder / "index.jsonl").write_text(f"{number}")
        (folder / "predictions.jsonl").write_text("of a person")
        clear(folder)
        assert not folder.exists()
        aside = folder.with_name(f"pope.{number}")
        assert (aside / "predictions.jsonl").read_text() == "of a person"
        assert (aside / "index.jsonl").read_text() == f"{number}"
