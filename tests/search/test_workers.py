"""Several processes on one study, and what is left of it when they are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from collections import Counter
from pathlib import Path

import optuna
import pytest

from oodexp.search.space import study_name
from oodexp.search.study import journal
from tests.search.worker import OBJECTIVES, SPACE

PROGRAM = Path(__file__).with_name("worker.py")
ROOT = Path(__file__).resolve().parents[2]
DATABASE = "OODEXP_TEST_DATABASE"
LONGEST = 60.0  # seconds on a busy machine


@pytest.fixture
def folder(tmp_path) -> Path:
    """A folder whose name, which is the study's too, was never used before."""
    made = tmp_path / uuid.uuid4().hex
    made.mkdir()
    return made


@pytest.fixture
def start(folder):
    """Starts a worker by name; kills what is left in the end."""
    begun: list[subprocess.Popen[bytes]] = []

    def begin(name: str, hang: int = 0, workers: int = 1, url: str = ""):
        told = [str(folder), name, str(hang), str(workers), url]
        begun.append(subprocess.Popen([sys.executable, str(PROGRAM), *told], cwd=ROOT))
        return begun[-1]

    yield begin
    for process in begun:
        process.kill()
        process.wait()


def appears(path: Path) -> None:
    until = time.monotonic() + LONGEST
    while not path.exists():
        assert time.monotonic() < until, f"{path.name} did not appear"
        time.sleep(0.02)


def evaluated(folder: Path) -> Counter[str]:
    lines = (folder / "evaluated.txt").read_text().splitlines()
    return Counter(line.partition(" ")[2] for line in lines)


def stored(folder: Path, url: str) -> list[optuna.trial.FrozenTrial]:
    name = study_name(folder.name, SPACE, OBJECTIVES, "")
    return optuna.load_study(study_name=name, storage=url or journal(folder)).trials


@pytest.fixture(params=["journal", "sqlite", "given"])
def url(request, folder) -> str:
    """Address of a database; empty for the journal."""
    if request.param == "given" and DATABASE not in os.environ:
        pytest.skip(f"{DATABASE} names no database")
    sqlite = f"sqlite:///{folder}/studies.db"
    return {"journal": "", "sqlite": sqlite}.get(request.param, os.environ.get(DATABASE, ""))


def test_workers_killed_in_turn_leave_every_cell_complete_once(start, folder, url):
    first, second = start("first", hang=2, url=url), start("second", hang=3, url=url)
    appears(folder / "first.hangs")
    appears(folder / "second.hangs")
    first.send_signal(signal.SIGKILL)
    first.wait()
    third = start("third", url=url)
    until = time.monotonic() + LONGEST
    while sum(evaluated(folder).values()) < 11:  # all but the cell of the second, who lives
        assert time.monotonic() < until
        time.sleep(0.02)
    with pytest.raises(subprocess.TimeoutExpired):
        third.wait(1.0)  # it waits for a living worker, so that its result is whole
    second.send_signal(signal.SIGKILL)
    second.wait()
    assert third.wait(LONGEST) == 0

    assert (folder / "third.ended").read_text().startswith("12 of 12")
    cells = [SPACE.key(cell) for cell in SPACE.cells()]
    assert evaluated(folder) == dict.fromkeys(cells, 1)
    trials = stored(folder, url)
    states = Counter(trial.state.name for trial in trials)
    assert states == {"COMPLETE": 12, "FAIL": 2}
    lost = [trial for trial in trials if trial.state.name == "FAIL"]
    assert all("ended without a word" in trial.user_attrs["reason"] for trial in lost)
    complete = [trial for trial in trials if trial.state.name == "COMPLETE"]
    assert all(t.user_attrs["run_id"] == f"run-{t.number}" for t in complete)

    assert start("again", url=url).wait(LONGEST) == 0
    assert (folder / "again.ended").read_text().startswith("12 of 12")
    assert sum(evaluated(folder).values()) == 12
    assert len(stored(folder, url)) == 14
    assert list((folder / "workers").glob("*.lock")) == []


def test_helper_processes_share_the_cells(start, folder):
    assert start("main", workers=2).wait(LONGEST) == 0
    told = (folder / "main.ended").read_text().splitlines()
    assert Counter(told) == {"12 of 12": 2, "helpers []": 2}  # a helper runs the whole command
    assert evaluated(folder) == {SPACE.key(cell): 1 for cell in SPACE.cells()}
    lines = (folder / "evaluated.txt").read_text().splitlines()
    assert len({line.partition(" ")[0] for line in lines}) == 2
