"""Optuna's studies on PostgreSQL: many workers, one is killed, and the database goes and comes."""

from __future__ import annotations

import signal
import subprocess
from collections import Counter
from pathlib import Path

import optuna
import pytest

from oodexp.search.space import study_name
from tests.peers.port import until
from tests.peers.searcher import OBJECTIVES, SPACE, values

pytestmark = pytest.mark.slow

WORKERS = 8
STUDY = "peers"


def evaluated(folder: Path) -> Counter[str]:
    path = folder / "evaluated.txt"
    lines = path.read_text().splitlines() if path.exists() else []
    return Counter(line.partition(" ")[2] for line in lines)


@pytest.mark.parametrize("machines", [1, WORKERS], ids=["one_machine", "a_machine_each"])
def test_eight_workers_evaluate_every_cell_once_while_the_database_goes_and_comes(
    postgres, start, tmp_path, machines
):
    url = postgres.make(f"optuna_{machines}")

    def work(n: int, hang: str = "works") -> subprocess.Popen[str]:
        locks = tmp_path / f"machine-{n % machines}"
        return start("searcher", url, locks, tmp_path, STUDY, hang)

    victim = work(0, "hang")
    until((tmp_path / "hangs").exists, "the first worker has a trial")
    others = [work(n) for n in range(1, WORKERS)]
    until(lambda: evaluated(tmp_path).total() == len(others), "each has evaluated something")
    (tmp_path / "go").touch()
    until(lambda: len(evaluated(tmp_path)) > SPACE.size / 4, "a quarter of the cells")
    postgres.stop()
    victim.send_signal(signal.SIGKILL)
    before = evaluated(tmp_path).total()
    assert before < SPACE.size - WORKERS
    with pytest.raises(AssertionError):  # what they were at is all that can still end
        until(lambda: evaluated(tmp_path).total() > before + len(others), "more", seconds=3.0)
    postgres.start()
    said = [worker.communicate(timeout=300)[1] for worker in others]
    assert [worker.returncode for worker in others] == [0] * len(others), "\n".join(said)
    assert not any("Traceback" in text for text in said)

    ended = (tmp_path / "ended.txt").read_text().splitlines()
    assert ended == [f"{SPACE.size} of {SPACE.size}"] * len(others)
    cells = {SPACE.key(cell): cell for cell in SPACE.cells()}
    assert evaluated(tmp_path) == dict.fromkeys(cells, 1)
    check_trials(url, (tmp_path / "hangs").read_text().strip())


def check_trials(url: str, of_the_victim: str) -> None:
    """What Optuna itself reads: each cell complete once, the victim's trial lost, none running."""
    full = study_name(STUDY, SPACE, OBJECTIVES, "")
    trials = optuna.load_study(study_name=full, storage=url).trials
    complete = [t for t in trials if t.state.name == "COMPLETE"]
    assert {t.state.name for t in trials} == {"COMPLETE", "FAIL"}
    named = [{n: d.read(t.params[n]) for n, d in SPACE.dimensions.items()} for t in complete]
    assert sorted(map(SPACE.key, named)) == sorted(SPACE.key(cell) for cell in SPACE.cells())
    for trial, settings in zip(complete, named, strict=True):
        assert trial.values == pytest.approx(list(values(settings).values()))
        assert trial.user_attrs["run_id"] == f"run-{trial.number}"
    lost = [t for t in trials if t.user_attrs.get("state") == "lost"]
    assert len(lost) == 1
    named = {n: d.read(lost[0].params[n]) for n, d in SPACE.dimensions.items()}
    assert SPACE.key(named) == of_the_victim
