"""Searches from the outside: what is evaluated, what is remembered."""

from __future__ import annotations

import json
import math
import platform

import optuna
import pytest

from oodexp.error import OodexpError, Paused
from oodexp.search.base import Outcome
from oodexp.search.claim import Worker, Workers
from oodexp.search.history import standing
from oodexp.search.shift import Shift, lacking
from oodexp.search.space import Space, study_name
from oodexp.search.studies import Studies
from oodexp.search.study import Study, journal

GRID = Space.of({"threshold": [0.05, 0.01, 0.005], "criterion": ["score", "either"]})
WIDE = Space.of({"clip": {"low": 1e-3, "high": 0.1, "log": True}, "cap": {"low": 10, "high": 90}})
UP = {"gap": "maximize"}
BOTH = {"gap": "maximize", "pairs": "maximize"}


class Counted:
    """An objective that notes what it was asked."""

    def __init__(self, value=lambda settings: float(settings["threshold"])):
        self.value, self.asked = value, []

    def __call__(self, number, settings):
        self.asked.append((number, dict(settings)))
        return Outcome({"gap": self.value(settings), "pairs": 1.0}, run_id=f"run-{number}")


def wide(settings):
    return -abs(math.log(settings["clip"] / 0.02)) - abs(settings["cap"] - 40) / 40


def test_a_grid_is_evaluated_once_and_in_order(tmp_path):
    objective = Counted()
    trials = Studies(str(tmp_path)).search("s", GRID, BOTH, objective)
    assert [t.settings for t in trials] == list(GRID.cells())
    assert objective.asked == list(enumerate(GRID.cells()))
    assert all(t.state == "complete" and t.values["pairs"] == 1.0 for t in trials)


def test_trial_and_run_name_each_other(tmp_path):
    objective = Counted()
    for trial in Studies(str(tmp_path)).search("s", GRID, BOTH, objective):
        assert trial.run_id == f"run-{trial.number}"
    stored = optuna.load_study(
        study_name=study_name("s", GRID, BOTH, ""), storage=journal(tmp_path)
    )
    assert all(t.user_attrs["run_id"] == f"run-{t.number}" for t in stored.trials)
    assert stored.metric_names == ["gap", "pairs"]


@pytest.mark.parametrize("sampler", ["grid", "tpe"])
def test_a_finished_search_evaluates_nothing_more(tmp_path, sampler):
    first = Studies(str(tmp_path), sampler=sampler).search("s", GRID, UP, Counted())
    again = Counted()
    assert Studies(str(tmp_path), sampler=sampler).search("s", GRID, UP, again) == first
    assert again.asked == []


def test_another_fingerprint_is_evaluated_anew(tmp_path):
    studies = Studies(str(tmp_path))
    studies.search("s", GRID, UP, Counted(), fingerprint="data 1")
    objective = Counted()
    studies.search("s", GRID, UP, objective, fingerprint="data 2")
    assert len(objective.asked) == 6


def test_the_same_settings_are_not_evaluated_again_and_again(shared, tmp_path):
    case = json.loads((shared / "cases/g35-duplicate-trials/expected.json").read_text())
    objective = Counted(lambda settings: float(ord(settings["template"])))
    studies = Studies(str(tmp_path), sampler="tpe", trials=case["n_trials"])
    trials = studies.search("s", Space.of(case["space"]), UP, objective)
    assert len(objective.asked) == case["evaluations_of_the_objective"]
    assert sorted(t.settings["template"] for t in trials) == case["space"]["template"]


@pytest.mark.parametrize("seed", range(3))
def test_tpe_uses_a_finite_space_up_without_duplicates(tmp_path, seed):
    space = Space.of({"a": {"low": 0.0, "high": 1.0, "step": 0.1}, "b": ["x", "y", "z"]})
    objective = Counted(lambda settings: -settings["a"])
    studies = Studies(str(tmp_path), sampler="tpe", trials=1000, seed=seed)
    studies.search("s", space, UP, objective)
    keys = [space.key(settings) for _, settings in objective.asked]
    assert sorted(keys) == sorted(space.key(cell) for cell in space.cells())


@pytest.mark.parametrize("directions", [UP, BOTH])
def test_a_seed_repeats_and_another_does_not(tmp_path, directions):
    asked = []
    for n, seed in enumerate((1, 1, 2)):
        objective = Counted(wide)
        studies = Studies(str(tmp_path / str(n)), sampler="tpe", trials=25, seed=seed)
        studies.search("s", WIDE, directions, objective)
        asked.append(objective.asked)
    assert asked[0] == asked[1] != asked[2]


def test_a_search_in_two_parts_ends_as_an_unbroken_one(tmp_path):
    whole, parts = Counted(wide), Counted(wide)
    Studies(str(tmp_path / "a"), sampler="tpe", trials=30).search("s", WIDE, UP, whole)
    for trials in (13, 30):
        Studies(str(tmp_path / "b"), sampler="tpe", trials=trials).search("s", WIDE, UP, parts)
    assert parts.asked == whole.asked


def test_tpe_finds_better_settings_than_its_random_start(tmp_path):
    best = []
    for seed in range(5):
        studies = Studies(str(tmp_path / str(seed)), sampler="tpe", trials=40, seed=seed)
        found = [t.values["gap"] for t in studies.search("s", WIDE, UP, Counted(wide))]
        best.append((max(found[:10]), max(found[10:])))
    assert all(later > start for start, later in best)


def broken(settings):
    """No value for one threshold, an error for another."""
    if settings["threshold"] == 0.01:
        return math.nan
    if settings["criterion"] == "either" and settings["threshold"] == 0.05:
        raise ValueError("no pair is left")
    return 1.0


def test_what_has_no_value_is_recorded_with_its_reason_and_left_alone(tmp_path):
    trials = Studies(str(tmp_path)).search("s", GRID, UP, Counted(broken))
    assert [(t.state, t.reason, t.values["gap"]) for t in trials] == [
        ("complete", "", 1.0),
        ("failed", "ValueError: no pair is left", None),
        ("undefined", "gap is nan", None),
        ("undefined", "gap is nan", None),
        ("complete", "", 1.0),
        ("complete", "", 1.0),
    ]
    again = Counted(broken)
    assert Studies(str(tmp_path)).search("s", GRID, UP, again) == trials
    assert again.asked == []


def test_what_failed_is_evaluated_once_more_on_request(tmp_path):
    Studies(str(tmp_path)).search("s", GRID, UP, Counted(broken))
    mended = Counted()
    trials = Studies(str(tmp_path), retry=True).search("s", GRID, UP, mended)
    assert len(mended.asked) == 3
    assert all(t.state == "complete" for t in trials)
    assert trials[1].earlier == (1,)
    still = Counted(broken)
    Studies(str(tmp_path), retry=True).search("s", GRID, UP, still, fingerprint="2")
    assert len(still.asked) == 6  # not for ever within one command


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        (Outcome({"gap": 1.0, "pairs": 0.0, "more": None}), ""),
        (Outcome({"gap": None, "pairs": 1.0}, "no OOD-H pair"), "gap is None: no OOD-H pair"),
        (Outcome({"gap": math.inf}), "gap is inf, pairs is missing"),
    ],
)
def test_what_an_outcome_lacks_is_said(outcome, said):
    assert lacking(outcome, BOTH) == said


def test_trials_without_value_do_not_steer(tmp_path):
    study = Study(journal(tmp_path), "s", WIDE, UP)
    here = Worker("w", platform.node())
    rng = __import__("random").Random(0)
    for _ in range(20):
        cell = {"clip": rng.uniform(0.001, 0.1), "cap": rng.randint(10, 90)}
        study.finish(study.begin(cell, here, "test"), "complete", {"gap": wide(cell)})
    before = study.propose(study.attempts(), 7)
    for cap in range(10, 90):
        study.finish(
            study.begin({"clip": 0.05, "cap": cap}, here, "t"), "undefined", {"gap": None}, "x"
        )
    fresh = Study(journal(tmp_path), "s", WIDE, UP)
    assert len(fresh.attempts()) == 100
    assert fresh.propose(fresh.attempts(), 7) == before


@pytest.mark.parametrize(
    "stop",
    [Paused("no budget"), KeyboardInterrupt(), OSError(28, "No space left on device", "/runs/a")],
)
def test_an_interrupted_trial_is_open_again(tmp_path, stop):
    def stopped(settings):
        if settings["threshold"] == 0.005:
            raise stop
        return 1.0

    for _ in range(3):
        with pytest.raises(type(stop)):
            Studies(str(tmp_path)).search("s", GRID, UP, Counted(stopped))
    objective = Counted()
    trials = Studies(str(tmp_path)).search("s", GRID, UP, objective)
    assert len(objective.asked) == 2
    assert [t.state for t in trials] == ["complete"] * 6
    assert trials[4].earlier == (4, 5, 6)


def gone() -> Worker:
    return Worker("/gone/w.lock", platform.node())


def test_settings_of_a_dead_worker_are_tried_once_more_not_twice(tmp_path):
    cells = list(GRID.cells())
    study = Study(journal(tmp_path), study_name("s", GRID, UP, ""), GRID, UP)
    study.begin(cells[0], gone(), "grid")
    study.finish(study.begin(cells[1], gone(), "grid"), "lost", {"gap": None}, "killed")
    study.begin(cells[1], gone(), "grid")
    objective = Counted()
    trials = Studies(str(tmp_path)).search("s", GRID, UP, objective)
    assert [settings for _, settings in objective.asked] == [cells[0], *cells[2:]]
    assert [t.state for t in trials] == ["complete", "lost", *["complete"] * 4]
    assert (trials[0].number, trials[0].earlier) == (3, (0,))
    assert "ended without a word" in trials[1].reason


def test_settings_that_another_took_a_moment_earlier_are_not_evaluated(tmp_path):
    cell = next(iter(GRID.cells()))
    study = Study(journal(tmp_path), "s", GRID, UP)
    workers = Workers(tmp_path / "workers", True, 0)

    class Late:
        label = "late"
        named = False

        def next(self, study, attempts, now):
            """What is taken already, as if it had not been seen in time."""
            first, self.named = not self.named, True
            return cell if first else None

        def order(self, trials):
            return list(trials)

    with workers.enter() as worker:
        study.finish(study.begin(cell, worker, "first"), "complete", {"gap": 2.0})
        objective = Counted()
        shift = Shift(study, Late(), workers, worker, tmp_path / "lock", UP, 0.0)
        (trial,) = shift.work(objective)
    assert objective.asked == []
    assert (trial.number, trial.values, trial.earlier) == (0, {"gap": 2.0}, (1,))
    states = [(a.state, a.reason) for a in study.attempts()]
    assert states[1] == ("reused", "trial 0 took the same settings a moment earlier")
    assert standing(study.attempts()).again == {}


def test_a_trial_given_up_for_lost_is_not_recorded_afterwards(tmp_path):
    study = Study(journal(tmp_path), "s", GRID, UP)
    number = study.begin(next(iter(GRID.cells())), gone(), "grid")
    assert study.finish(number, "lost", {"gap": None}, "killed")
    assert not study.finish(number, "complete", {"gap": 1.0}, run_id="r")
    assert [a.state for a in study.attempts()] == ["lost"]


def test_a_trial_that_a_person_put_in_the_queue_is_left_there(tmp_path):
    Studies(str(tmp_path)).search("s", GRID, UP, Counted())
    full = study_name("s", GRID, UP, "")
    optuna.load_study(study_name=full, storage=journal(tmp_path)).enqueue_trial({"threshold": 9})
    trials = Studies(str(tmp_path)).search("s", GRID, UP, Counted())
    assert [t.state for t in trials] == ["complete"] * 6


def test_a_journal_torn_by_a_power_cut_goes_on(tmp_path):
    Studies(str(tmp_path)).search("s", GRID, UP, Counted())
    with (tmp_path / "journal.log").open("ab") as file:
        file.write(b'{"op_code": 4, "wor')
    objective = Counted()
    assert len(Studies(str(tmp_path)).search("s", GRID, UP, objective)) == 6
    assert objective.asked == []
    assert len(Studies(str(tmp_path)).search("t", GRID, UP, objective)) == 6


def test_a_line_that_another_worker_could_not_write_whole_spoils_nothing(tmp_path):
    """Its disk was full; this worker has the study open and goes on when there is room."""

    def beside_another(settings):
        with (tmp_path / "journal.log").open("ab") as file:
            file.write(b'{"op_code": 4, "wor')
        return float(settings["threshold"])

    trials = Studies(str(tmp_path)).search("s", GRID, UP, Counted(beside_another))
    assert [t.state for t in trials] == ["complete"] * 6
    objective = Counted()
    again = Studies(str(tmp_path)).search("s", GRID, UP, objective)
    assert [t.values for t in again] == [t.values for t in trials]
    assert objective.asked == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"trials": 0}, "search.trials=0: expected a whole number from 1"),
        ({"workers": 0}, "search.workers=0"),
        ({"seed": -1}, "search.seed=-1"),
        ({"sampler": "random"}, "search.sampler=random: expected grid or tpe"),
    ],
)
def test_options_out_of_range_are_refused(tmp_path, options, said):
    with pytest.raises(OodexpError, match=said):
        Studies(str(tmp_path), **options)


def test_a_grid_that_is_too_large_is_refused(tmp_path):
    space = Space.of({"a": {"low": 1, "high": 1000}, "b": {"low": 1, "high": 1000}})
    with pytest.raises(OodexpError, match="a grid of 1000000 cells"):
        Studies(str(tmp_path)).search("s", space, UP, Counted())
