"""Studies in a database: sqlite always, another one when OODEXP_TEST_DATABASE names it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import uuid
from collections import Counter

import optuna
import pytest
from optuna.storages._cached_storage import _CachedStorage
from sqlalchemy.exc import OperationalError

from oodexp.error import OodexpError, Paused
from oodexp.search.base import Outcome
from oodexp.search.space import Space, study_name
from oodexp.search.studies import Studies

GRID = Space.of({"threshold": [0.05, 0.01, 0.005], "scorers": [["a"], ["a", "b"]]})
UP = {"gap": "maximize"}


@pytest.fixture(params=["sqlite", "given"])
def url(request, tmp_path) -> str:
    """Address of a database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/studies.db"
    if "OODEXP_TEST_DATABASE" not in os.environ:
        pytest.skip("OODEXP_TEST_DATABASE names no database")
    return os.environ["OODEXP_TEST_DATABASE"]


@pytest.fixture
def name() -> str:
    """A name that no study of an earlier test has."""
    return uuid.uuid4().hex


def test_a_grid_in_a_database_is_evaluated_once(tmp_path, url, name):
    asked = []

    def evaluate(number, settings):
        asked.append(settings)
        return Outcome({"gap": settings["threshold"]}, run_id=f"run-{number}")

    for _ in range(2):
        trials = Studies(str(tmp_path), url=url).search(name, GRID, UP, evaluate)
    assert asked == list(GRID.cells()) == [t.settings for t in trials]
    assert all(t.run_id == f"run-{t.number}" for t in trials)


def test_workers_that_see_no_lock_of_each_other_evaluate_nothing_twice(tmp_path, url, name):
    if url.startswith("sqlite"):
        pytest.skip("an sqlite file has its locks beside it")
    asked, results = [], []

    def evaluate(number, settings):
        asked.append(GRID.key(settings))
        return Outcome({"gap": settings["threshold"]})

    def work(n):
        studies = Studies(str(tmp_path / str(n)), url=url)
        results.append(studies.search(name, GRID, UP, evaluate))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Counter(asked) == {GRID.key(cell): 1 for cell in GRID.cells()}
    assert [len(trials) for trials in results] == [6] * 4


@pytest.mark.parametrize("call", ["create_new_trial", "set_trial_state_values"])
def test_what_is_kept_although_the_databases_word_of_it_is_lost_holds_nobody_up(
    tmp_path, monkeypatch, call, name
):
    url, asked, lost = f"sqlite:///{tmp_path}/studies.db", [], []
    real = getattr(_CachedStorage, call)

    def lose(self, *args, **kwargs):
        made = real(self, *args, **kwargs)
        if len(lost) < 2:
            lost.append(made)
            raise OperationalError("COMMIT", {}, Exception("server closed the connection"))
        return made

    def evaluate(number, settings):
        asked.append(settings)
        return Outcome({"gap": settings["threshold"]})

    monkeypatch.setattr(_CachedStorage, call, lose)
    trials = Studies(str(tmp_path), url=url).search(name, GRID, UP, evaluate)
    assert asked == list(GRID.cells()) == [t.settings for t in trials]
    assert {t.state for t in trials} == {"complete"}
    stored = optuna.load_study(study_name=study_name(name, GRID, UP, ""), storage=url).trials
    assert Counter(t.state.name for t in stored)["RUNNING"] == 0


def test_a_database_that_stays_away_pauses_the_search_and_the_next_start_goes_on(tmp_path, name):
    url, asked = f"sqlite:///{tmp_path}/studies.db", []

    def evaluate(number, settings):
        asked.append(settings)
        if len(asked) == 3:
            (tmp_path / "studies.db").rename(tmp_path / "away.db")
            (tmp_path / "studies.db").mkdir()
        return Outcome({"gap": settings["threshold"]})

    with pytest.raises(Paused, match=r"database of studies sqlite:.*give the same command again"):
        Studies(str(tmp_path), url=url, outage=1.0).search(name, GRID, UP, evaluate)
    (tmp_path / "studies.db").rmdir()
    (tmp_path / "away.db").rename(tmp_path / "studies.db")
    trials = Studies(str(tmp_path), url=url).search(name, GRID, UP, evaluate)
    assert [t.settings for t in trials] == list(GRID.cells())
    assert len(asked) == len(trials) + 1  # the one whose end could not be recorded


def test_a_killed_workers_trial_is_tried_once_more(shared, tmp_path):
    case = shared / "cases/g36-dead-worker"
    expected = json.loads((case / "expected.json").read_text())
    made, url = tmp_path / "made.db", f"sqlite:///{tmp_path}/studies.db"
    subprocess.run([sys.executable, case / "make_study.py", made], check=True)
    space = Space.of({"T": {"low": 0.001, "high": 0.1}})
    full = study_name("s", space, UP, "")
    optuna.copy_study(
        from_study_name="s", from_storage=f"sqlite:///{made}", to_storage=url, to_study_name=full
    )

    def states():
        trials = optuna.load_study(study_name=full, storage=url).trials
        return Counter(trial.state.name for trial in trials), trials

    assert states()[0] == expected["before_resume"]
    target = expected["resume_with_target"]
    for _ in range(2):
        studies = Studies(str(tmp_path), url=url, sampler="tpe", trials=target)
        found = studies.search("s", space, UP, lambda _, s: Outcome({"gap": s["T"]}))
    counts, trials = states()
    assert counts == {k: n for k, n in expected["after"].items() if n}
    (lost,) = [trial for trial in trials if trial.state.name == "FAIL"]
    assert sum(trial.params == lost.params for trial in trials) == 2
    assert max(t.values["gap"] for t in found) >= expected["best_at_least"]
    assert len(found) == target


@pytest.mark.parametrize(
    "address",
    [
        "nothing",
        "postgresql+psycopg2://user:secret@127.0.0.1:1/none",
        "nosuch://user:secret@host/name",
    ],
)
def test_a_database_that_cannot_be_opened_is_told_without_the_password(tmp_path, address):
    with pytest.raises(OodexpError, match="studies cannot be kept in") as caught:
        Studies(str(tmp_path), url=address).search("s", GRID, UP, lambda *_: Outcome({}))
    assert "secret" not in str(caught.value)
