"""What the machine refuses is told in one line; all else keeps its traceback."""

from __future__ import annotations

import errno
import os
import resource
import signal
import sqlite3
from contextlib import contextmanager

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import requests

from oodexp.command import USAGE, clean_exit
from oodexp.refused import AGAIN, refused
from oodexp.table import write_arrow


def raised(do):
    with pytest.raises(BaseException) as caught:
        do()
    return caught.value


@contextmanager
def small_files():
    """No file of this process may pass 4,096 bytes: not that of its output either, so be brief."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)


def big() -> pa.Table:
    return pa.table({"a": [f"{n * 2654435761}" for n in range(5000)]})


def test_a_full_disk_is_told_with_its_file_where_the_system_names_it():
    full = os.open("/dev/full", os.O_WRONLY)
    error = raised(lambda: os.write(full, b"x"))
    os.close(full)
    assert refused(error) == (
        f"a file could not be read or written: No space left on device. {AGAIN}"
    )
    named = OSError(errno.EROFS, "Read-only file system", "/runs/a.parquet")
    assert refused(named) == f"/runs/a.parquet: Read-only file system. {AGAIN}"


def test_an_arrow_file_that_finds_no_room_is_told(tmp_path):
    with small_files():
        told = refused(raised(lambda: pq.write_table(big(), tmp_path / "a.parquet")))
        ours = raised(lambda: write_arrow(big(), tmp_path / "b.parquet"))
    assert told is not None
    assert "File too large" in told
    assert "File too large" in (refused(ours) or "")
    assert not list(tmp_path.glob(".b.parquet*"))


def test_a_database_that_may_not_be_written_is_told_and_a_wrong_statement_is_not(tmp_path):
    sqlite3.connect(tmp_path / "a.db").execute("create table t (n int)")
    locked = sqlite3.connect(f"file:{tmp_path}/a.db?mode=ro", uri=True)
    told = refused(raised(lambda: locked.execute("insert into t values (1)")))
    assert told == f"the database: attempt to write a readonly database. {AGAIN}"
    assert refused(raised(lambda: locked.execute("select * from nothing"))) is None


def test_a_server_that_is_gone_is_told_by_its_address():
    error = raised(lambda: requests.get("http://127.0.0.1:9/api?key=secret", timeout=2))
    told = refused(RuntimeError("wrapped"))
    assert told is None
    wrapped = RuntimeError("wrapped")
    wrapped.__cause__ = error
    assert refused(wrapped) == f"http://127.0.0.1:9/api does not answer. {AGAIN}"


def test_an_error_that_hides_what_it_came_from_is_none():
    def fail():
        try:
            raise PermissionError(13, "no", "/x")
        except PermissionError:
            raise ValueError("a mistake of the program") from None

    assert refused(raised(fail)) is None
    assert refused(FileNotFoundError(2, "none", "/x")) is None


def test_the_command_ends_with_one_line_and_its_status(capsys):
    def full():
        with clean_exit():
            raise RuntimeError from OSError(28, "No space left on device", "/runs/a.parquet")

    end = raised(full)
    assert isinstance(end, SystemExit)
    assert end.code == USAGE
    told = f"oodexp: /runs/a.parquet: No space left on device. {AGAIN}\n"
    assert capsys.readouterr().err == told
