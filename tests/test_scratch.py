"""Files that are whole or not there."""

from __future__ import annotations

import pytest

from oodexp.scratch import replacing


def test_a_file_takes_its_place_when_it_is_whole(tmp_path):
    path = tmp_path / "new" / "a.json"
    with replacing(path) as scratch:
        scratch.write_text("half")
        assert not path.exists()
        scratch.write_text("whole")
    assert path.read_text() == "whole"
    assert [p.name for p in path.parent.iterdir()] == ["a.json"]


def test_a_failure_leaves_what_was_there_and_nothing_beside_it(tmp_path):
    path = tmp_path / "a.json"
    path.write_text("before")

    def fail():
        with replacing(path) as scratch:
            scratch.write_text("half")
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        fail()
    assert path.read_text() == "before"
    assert [p.name for p in tmp_path.iterdir()] == ["a.json"]
