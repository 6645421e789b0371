"""A few trials of the fault campaign, and that its judge sees what is wrong."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.faults import kept
from tests.faults.bench import Bench
from tests.faults.campaign import table
from tests.faults.fault import FAULTS, Hit, damage
from tests.faults.line import LINES
from tests.faults.trial import PLAN, Trial, compare, count, planned, run_trial, skipped


@pytest.fixture(scope="module")
def bench():
    with tempfile.TemporaryDirectory(prefix="faults-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)  # a run of another user goes through it
        with Bench(Path(folder) / "bench") as made:
            yield made


FEW = [
    ("SIGKILL", "main"), ("SIGKILL", "served"), ("SIGTERM", "served"), ("disk full", "main"),
    ("read-only store", "served"), ("torn shard", "main"), ("second run beside", "served"),
    ("dead rank", "export"),
]  # fmt: skip
"""What every test run makes; the campaign makes the rest."""


@pytest.mark.parametrize(("fault", "line"), FEW)
def test_nothing_is_lost_and_nothing_asked_twice(bench, fault, line):
    if reason := skipped(fault, bench):
        pytest.skip(reason)
    trial = run_trial(bench, FEW.index((fault, line)), 2026, (fault, line))
    assert trial.recovered, trial.plain()


@pytest.mark.slow
def test_a_round_of_the_campaign(bench):
    numbers = [n for n in range(56) if not skipped(planned(n)[0], bench)]
    trials = [run_trial(bench, n, 1, planned(n)) for n in numbers]
    assert all(t.recovered for t in trials), [t.plain() for t in trials if not t.recovered]


def test_every_fault_and_every_line_is_planned_and_a_number_names_one():
    assert {fault for fault, _, _ in PLAN} == set(FAULTS)
    assert {line for _, lines, _ in PLAN for line in lines} == set(LINES)
    total = sum(len(lines) * share for _, lines, share in PLAN)
    assert total >= 200
    made = Counter(planned(n) for n in range(total))
    assert made == {(f, line): share for f, lines, share in PLAN for line in lines}
    assert planned(total) == planned(0)


def written(folder, **tables):
    for name, rows in tables.items():
        folder.mkdir(exist_ok=True, parents=True)
        pq.write_table(pa.table(rows), folder / f"{name}.parquet")
    return kept.tables(folder)


def test_a_table_that_differs_by_one_value_or_row_is_seen_and_times_are_not(tmp_path):
    whole = {"a": {"n": [1, 2]}, "completions": {"n": [1, 2], "seconds": [0.1, 0.2]}}
    wanted = written(tmp_path / "wanted", **whole)
    same = written(tmp_path / "s", a={"n": [1, 2]}, completions={"n": [1, 2], "seconds": [9, 9]})
    assert compare(wanted, same) == ([], 0)
    other = written(tmp_path / "o", a={"n": [1, 3]}, completions={"n": [1], "seconds": [0.1]})
    assert compare(wanted, other) == (["a", "completions"], 1)
    assert compare(wanted, {"a": wanted["a"]}) == (["completions"], 0)


def test_a_trial_that_was_lost_moves_no_other(tmp_path):
    def study(numbers, extra):
        named = zip(["x", *extra, "y"], numbers, strict=True)
        rows = [{"study": "s", "trial": n, "settings": k, "run_id": f"r{n}"} for k, n in named]
        return {name: [row[name] for row in rows] for name in rows[0]}

    one = written(tmp_path / "one", trials=study([0, 1], []))
    other = written(tmp_path / "two", trials=study([0, 2], []))
    assert compare(one, other) == ([], 0)
    third = written(tmp_path / "three", trials=study([0, 1, 2], ["z"]))
    assert compare(one, third)[0] == ["trials"]


def counted(times, stored, hit, before=None):
    trial = Trial(0, "SIGKILL", "served")
    bench = SimpleNamespace(
        asked=lambda: Counter(times), line=LINES["served"],
        whole=SimpleNamespace(questions={"a", "b"}),
    )  # fmt: skip
    count(trial, bench, hit, Counter(before or {}), stored)
    return trial.repeated, trial.in_flight, trial.lost


def test_only_a_question_in_flight_at_a_death_may_come_twice():
    died, ended = Hit(-9, "", ""), Hit(143, "", "", dies=False)
    assert counted({"a": 1, "b": 1}, {"a"}, died) == (0, 0, 0)
    assert counted({"a": 2, "b": 1}, {"b"}, died) == (0, 1, 0)
    assert counted({"a": 2, "b": 1}, {"a"}, died) == (1, 0, 0)
    assert counted({"a": 2, "b": 1}, set(), ended) == (1, 0, 0)
    assert counted({"a": 3, "b": 1}, set(), died) == (1, 1, 0)
    assert counted({"a": 2, "b": 1}, set(), died, {"a": 2}) == (1, 0, 0)
    assert counted({"a": 1}, set(), died) == (0, 0, 1)
    torn = Hit(-9, "", "", destroyed={"a", "b"})
    assert counted({"a": 2, "b": 1}, {"a", "b"}, torn) == (0, 0, 0)
    assert counted({"a": 3, "b": 1}, {"a", "b"}, torn) == (1, 0, 0)


def test_runs_that_nobody_ended_are_seen_in_both_trackers(tmp_path):
    run = tmp_path / "folder" / "main" / "r1"
    (run / "children" / "c").mkdir(parents=True)
    (run / "run.json").write_text(json.dumps({"run_id": "r1", "status": "FINISHED"}))
    (run / "children/c/run.json").write_text(json.dumps({"run_id": "r1/c", "status": "RUNNING"}))
    assert [(r.run_id, r.status) for r in kept.in_folder(tmp_path)] == [
        ("r1/c", "RUNNING"), ("r1", "FINISHED"),
    ]  # fmt: skip
    with sqlite3.connect(tmp_path / "mlflow.db") as database:
        database.execute("create table runs (run_uuid text, status text)")
        database.executemany("insert into runs values (?, ?)", [("a", "RUNNING"), ("b", "KILLED")])
    database.close()
    for name in "ab":
        (tmp_path / "artifacts" / name / "artifacts" / "tables").mkdir(parents=True)
    found = kept.in_database(tmp_path / "mlflow.db", tmp_path / "artifacts")
    assert [(r.run_id, r.status) for r in found] == [("a", "RUNNING"), ("b", "KILLED")]
    assert [r.tables.parents[1].name for r in found] == ["a", "b"]


def test_damage_changes_a_file_and_is_the_same_for_the_same_seed(tmp_path):

    for seed in range(20):
        made = []
        for name in ("a", "b"):
            path = tmp_path / name
            path.write_bytes(bytes(range(1, 256)) * 8)
            damage(path, np.random.default_rng(seed))
            made.append(path.read_bytes())
        assert made[0] == made[1] != bytes(range(1, 256)) * 8


def test_the_table_has_a_row_a_fault_and_one_for_all():
    trials = [Trial(0, "SIGKILL", "main", ended=-9, again=0), Trial(1, "SIGTERM", "main", lost=3)]
    rows = [line.split() for line in table(trials).splitlines()]
    assert [row[0] for row in rows] == ["fault", "SIGKILL", "SIGTERM", "all"]
    assert rows[-1][1:5] == ["2", "1", "0", "3"]
