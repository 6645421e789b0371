"""Rows on disk one by one."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import stat
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pytest

from oodexp.predict.journal import Journal, fold_left, rows
from oodexp.predict.store import Store

SCHEMA = pa.schema([("key", pa.string()), ("reason", pa.string()), ("n", pa.int64())])


def row(n: int) -> dict:
    return {"key": f"k{n}", "reason": None, "n": n, "more": "left out"}


def keys(shelf) -> list[str]:
    return sorted(shelf.rows()["key"].to_pylist())


@pytest.fixture
def shelf(tmp_path):
    return Store(str(tmp_path)).shelf("kind", {"a": 1}, SCHEMA)


def test_a_row_is_seen_by_others_as_soon_as_it_is_appended(shelf, tmp_path):
    journal = shelf.journal()
    for n in range(3):
        journal.append(row(n))
        other = Store(str(tmp_path)).shelf("kind", {"a": 1}, SCHEMA)
        assert keys(other) == [f"k{i}" for i in range(n + 1)]
        assert other.missing(["k0", f"k{n}", "k9"]) == ["k9"]
    journal.fold()


def test_folded_rows_are_a_shard_and_no_journal(shelf):
    journal = shelf.journal()
    for n in range(3):
        journal.append(row(n))
    journal.fold()
    assert keys(shelf) == ["k0", "k1", "k2"]
    assert not list(shelf.folder.glob("*.jsonl"))
    assert shelf.read(["k2", "k0"])["n"].to_pylist() == [2, 0]


def test_the_journal_of_a_living_writer_is_left_alone(shelf):
    journal = shelf.journal()
    journal.append(row(0))
    assert fold_left(shelf.folder, SCHEMA) == []
    assert journal.path.exists()
    journal.fold()


def _die(folder) -> None:
    journal = Journal(folder, SCHEMA)
    for n in range(4):
        journal.append(row(n))
    with journal.path.open("ab") as file:
        file.write(b'{"key": "torn", "rea')
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_killed_writers_rows_are_kept_and_its_cut_line_is_named(shelf, tmp_path):
    shelf.folder.mkdir(parents=True)
    child = multiprocessing.get_context("spawn").Process(target=_die, args=(shelf.folder,))
    child.start()
    child.join()
    store = Store(str(tmp_path))
    assert keys(store.shelf("kind", {"a": 1}, SCHEMA)) == ["k0", "k1", "k2", "k3"]
    assert [name for name in store.torn() if "journal" in name]
    assert not list(shelf.folder.glob("*.jsonl"))


def test_text_of_any_kind_comes_back_as_it_was(shelf):
    schema = pa.schema([("key", pa.string()), ("text", pa.string())])
    journal = Journal(shelf.folder, schema)
    text = 'line\nbreak\r\n "quoted" \\ 漢字 \u2028 \x00 end'
    journal.append({"key": "k", "text": text})
    assert rows(journal.path, schema)[0]["text"].to_pylist() == [text]
    journal.fold()


def test_a_shelf_without_a_schema_has_no_journal(tmp_path):
    with pytest.raises(ValueError, match="without a schema"):
        Store(str(tmp_path)).shelf("kind", {}).journal()


def test_a_line_that_was_cut_off_in_the_middle_costs_that_row_alone(shelf):
    journal = shelf.journal()
    journal.append(row(0))
    whole = journal._file

    class Full:
        """A disk that takes half a line, then none."""

        def __init__(self) -> None:
            self.taken = False

        def write(self, data) -> int:
            if self.taken:
                raise OSError(28, "No space left on device")
            self.taken = True
            return whole.write(data[: len(data) // 2])

    journal._file = Full()
    with pytest.raises(OSError, match="No space"):
        journal.append(row(1))
    journal._file = whole
    journal.append(row(2))
    table, torn = rows(journal.path, SCHEMA)
    assert table["key"].to_pylist() == ["k0", "k2"]
    assert torn
    journal.fold()
    assert keys(shelf) == ["k0", "k2"]


def test_a_short_write_is_gone_on_with(shelf):
    journal = shelf.journal()
    journal.append(row(0))
    whole = journal._file

    class Slow:
        """Takes three bytes at a time."""

        def write(self, data) -> int:
            return whole.write(data[:3])

        def fileno(self) -> int:
            return whole.fileno()

    journal._file = Slow()
    journal.append(row(1))
    journal._file = whole
    journal.fold()
    assert keys(shelf) == ["k0", "k1"]


def test_a_journal_that_another_run_took_for_a_left_one_is_made_anew(shelf, monkeypatch):
    """Between opening and locking, `fold_left` of another process takes the empty file away."""
    import fcntl

    lock, taken = fcntl.flock, []

    def late(file, how) -> None:
        if not taken and how == fcntl.LOCK_EX:
            taken.append(fold_left(shelf.folder, SCHEMA))
        lock(file, how)

    monkeypatch.setattr(fcntl, "flock", late)
    journal = shelf.journal()
    journal.append(row(0))
    assert taken == [[]]
    assert keys(shelf) == ["k0"]
    journal.fold()
    assert keys(shelf) == ["k0"]


def test_no_row_is_missed_while_another_process_folds(shelf, tmp_path, monkeypatch):
    """A fold that falls between any two looks of a reader hides nothing from it."""
    for moment in ("journals", "shards"):
        mine = Store(str(tmp_path)).shelf(moment, {"a": 1}, SCHEMA)
        journal = mine.journal()
        journal.append(row(0))
        look = mine._journals

        def between(columns, moment=moment, journal=journal, look=look):
            if moment == "journals":
                journal.fold()
            found = look(columns)
            if moment == "shards":
                journal.fold()
            return found

        monkeypatch.setattr(mine, "_journals", between)
        assert mine.missing(["k0"]) == []


def test_rows_that_wait_for_the_disk_share_a_flush(shelf, monkeypatch):
    flushed: list[int] = []
    journal = shelf.journal()
    journal.append(row(0))

    def slow(file: int) -> None:
        lines = journal.path.read_bytes().count(b"\n")  # at least these are on the disk then
        time.sleep(0.02)
        flushed.append(lines)

    monkeypatch.setattr(os, "fsync", slow)
    after: dict[int, int] = {}

    def append(n: int) -> None:
        journal.append(row(n))
        after[n] = max(flushed)

    with ThreadPoolExecutor(40) as pool:
        list(pool.map(append, range(1, 41)))
    monkeypatch.undo()
    order = [int(key[1:]) for key in keys_written(journal)]
    assert all(after[n] > order.index(n) for n in range(1, 41))  # its own line was among them
    assert len(flushed) < 20
    journal.fold()


def keys_written(journal: Journal) -> list[str]:
    return [json.loads(line)["key"] for line in journal.path.read_bytes().splitlines()]


def test_a_journal_longer_than_a_part_is_folded_whole(shelf, monkeypatch):
    monkeypatch.setattr("oodexp.predict.journal.LINES", 3)
    journal = shelf.journal()
    for n in range(10):
        journal.append(row(n), flush=False)
    with journal.path.open("ab") as file:
        file.write(b'{"key": "torn')
    assert rows(journal.path, SCHEMA)[0].num_rows == 10
    assert rows(journal.path, SCHEMA)[1]
    journal.fold()
    assert keys(shelf) == [f"k{n}" for n in range(10)]


def test_the_name_of_a_shard_is_on_disk_before_its_journal_goes(shelf, monkeypatch):
    """A power cut between the two must leave one of them; only the order can be tested."""
    done = []
    sync, unlink = os.fsync, Path.unlink

    def noted(number):
        if stat.S_ISDIR(os.fstat(number).st_mode):
            done.append(f"{len(list(shelf.folder.glob('*.parquet')))} shards named")
        sync(number)

    def gone(path, missing_ok=False):
        if path.suffix == ".jsonl":
            done.append("journal gone")
        unlink(path, missing_ok)

    journal = shelf.journal()
    journal.append(row(0))
    monkeypatch.setattr(os, "fsync", noted)
    monkeypatch.setattr(Path, "unlink", gone)
    journal.fold()
    assert done == ["1 shards named", "journal gone"]
