"""The verdict file: appended, whole after a kill, of one sample, with one writer."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from oodexp.error import OodexpError
from oodexp.review import journal
from oodexp.review.journal import Journal


def line(number: int, sample: str = "s" * 20) -> dict[str, object]:
    return {"id": f"id-{number}", "sample": sample, "n": number}


def bare(lines: list[dict[str, object]]) -> list[dict[str, object]]:
    return [{k: v for k, v in one.items() if k != "where"} for one in lines]


def test_a_line_is_on_the_disk_when_append_returns(tmp_path: Path) -> None:
    with Journal(tmp_path / "new" / "j.jsonl", "s" * 20) as opened:
        for number in range(3):
            assert opened.append(line(number))
            held = opened.path.read_text().splitlines()
            assert [json.loads(text)["n"] for text in held] == list(range(number + 1))


def test_the_disk_is_told_to_keep_each_line(tmp_path: Path, monkeypatch) -> None:
    told: list[int] = []
    monkeypatch.setattr(journal.os, "fsync", lambda file: told.append(1))
    with Journal(tmp_path / "j.jsonl", "s" * 20) as opened:
        before = len(told)
        opened.append(line(0))
        opened.append(line(1))
    assert len(told) - before == 2


def test_the_same_line_sent_twice_is_written_once_also_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    with Journal(path, "s" * 20) as opened:
        assert opened.append(line(1))
        assert not opened.append(line(1))
    with Journal(path, "s" * 20) as opened:
        assert not opened.append(line(1))
        assert opened.append(line(2))
    assert len(path.read_text().splitlines()) == 2


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_a_line_cut_off_by_a_kill_is_left_out_and_the_next_is_whole(
    tmp_path: Path, cut: int
) -> None:
    path = tmp_path / "j.jsonl"
    with Journal(path, "s" * 20) as opened:
        opened.append(line(0))
        whole = path.read_bytes()
        opened.append(line(1))
    path.write_bytes(whole + path.read_bytes()[len(whole) :][:cut])
    with Journal(path, "s" * 20) as opened:
        kept = len(bare(opened.lines))
        opened.append(line(2))
    found = journal.read(path)
    assert kept in (1, 2)  # a line that lacks its end alone is whole
    assert [one["n"] for one in found.whole] == [0, *([1] if kept == 2 else []), 2]
    assert found.torn == ([2] if kept == 1 else [])


def test_threads_do_not_cut_each_other_off(tmp_path: Path) -> None:
    with Journal(tmp_path / "j.jsonl", "s" * 20) as opened, ThreadPoolExecutor(8) as pool:
        assert all(pool.map(lambda n: opened.append(line(n)), range(200)))
    found = journal.read(tmp_path / "j.jsonl")
    assert sorted(one["n"] for one in found.whole) == list(range(200))
    assert found.torn == []


def test_another_sample_is_refused_with_what_may_have_changed(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    with Journal(path, "s" * 20) as opened:
        opened.append(line(0))
    with pytest.raises(OodexpError, match=r"line 1 .* sample ssssssssssss, expected tttttttttttt"):
        Journal(path, "t" * 20)
    assert len(path.read_text().splitlines()) == 1
    with Journal(path, "s" * 20):
        pass  # a refused start holds no lock


def test_a_second_process_may_not_write_to_it(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    program = textwrap.dedent(
        f"""
        from pathlib import Path
        from oodexp.error import OodexpError
        from oodexp.review.journal import Journal
        try:
            Journal(Path({str(path)!r}), "s" * 20)
        except OodexpError as error:
            print(error)
        """
    )
    with Journal(path, "s" * 20):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "another review of the same sample is open" in done.stdout, done.stderr
