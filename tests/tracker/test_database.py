"""A database that is whole or not there."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap

import pytest

from oodexp.tracker.database import make_whole


def fill(address: str) -> sqlite3.Connection:
    """Two steps, and the connection stays open, as MLflow's does."""
    path = address.removeprefix("sqlite:///").replace("%25", "%").replace("%3F", "?")
    database = sqlite3.connect(path)
    database.execute("create table a (n int)")
    database.execute("insert into a values (7)")
    database.commit()
    return database


def test_it_has_its_name_and_its_rows_once_it_is_whole(tmp_path):
    path, still_open = tmp_path / "mlflow.db", []
    make_whole(path, lambda address: still_open.append(fill(address)))
    with sqlite3.connect(path) as database:
        assert database.execute("select n from a").fetchall() == [(7,)]
    database.close()
    still_open[0].close()
    assert [p.name for p in tmp_path.iterdir()] == ["mlflow.db"]


def test_one_that_is_there_is_left_alone(tmp_path):
    (tmp_path / "mlflow.db").write_text("something")
    make_whole(tmp_path / "mlflow.db", lambda _: pytest.fail("made anew"))
    assert (tmp_path / "mlflow.db").read_text() == "something"


def test_a_failure_on_the_way_leaves_nothing(tmp_path):
    def fail(address):
        fill(address).close()
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        make_whole(tmp_path / "mlflow.db", fail)
    assert list(tmp_path.iterdir()) == []


KILLED = """
    import os, signal, sys
    from pathlib import Path
    from oodexp.tracker.database import make_whole
    from tests.tracker.test_database import fill

    def die(address):
        fill(address)
        os.kill(os.getpid(), signal.SIGKILL)

    make_whole(Path(sys.argv[1]), die)
"""


def test_what_a_killed_process_left_is_removed_and_made_anew(tmp_path, request):
    path = tmp_path / "mlflow.db"
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(KILLED), str(path)], check=False,
        cwd=request.config.rootpath, env=dict(os.environ),
    )  # fmt: skip
    assert done.returncode == -signal.SIGKILL
    assert not path.exists()
    assert list(tmp_path.iterdir())
    make_whole(path, lambda address: fill(address).close())
    assert [p.name for p in tmp_path.iterdir()] == ["mlflow.db"]
