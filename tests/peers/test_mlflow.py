"""MLflow's server on PostgreSQL: many processes write at once, and the server goes and comes."""

from __future__ import annotations

import hashlib
import json
import signal
import threading
import time
from pathlib import Path

import pytest

from oodexp.error import OodexpError, Paused
from oodexp.tracker.mlflow import Mlflow
from tests.peers.port import free_port, until
from tests.peers.proxy import losing
from tests.peers.writer import DATASETS, METRICS, PARAMS, metrics, params, rows

pytestmark = pytest.mark.slow

WRITERS, CHILDREN = 8, 3
ALL = [(number, child) for number in range(WRITERS) for child in range(CHILDREN)]


def done(folder: Path) -> set[tuple[int, ...]]:
    path = folder / "done.txt"
    lines = path.read_text().splitlines() if path.exists() else []
    return {tuple(map(int, line.split()[:2])) for line in lines}


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGKILL], ids=["ended", "killed"])
def test_eight_processes_lose_nothing_while_the_server_goes_and_comes(
    postgres, mlflow_server, start, tmp_path, by
):
    name = f"mlflow_{by.name.lower()}"
    server = mlflow_server(postgres.make(name))
    server.start()
    writers = [start("writer", server.address, tmp_path, n, CHILDREN) for n in range(WRITERS)]
    until(lambda: len(done(tmp_path)) >= WRITERS, "a quarter of the children is written")
    server.end(by)
    before = done(tmp_path)
    assert len(before) < len(ALL)
    with pytest.raises(AssertionError):  # nobody gets on without it
        until(lambda: len(done(tmp_path)) > len(before), "one more", seconds=3.0)
    server.start()
    said = [writer.communicate(timeout=300)[1] for writer in writers]
    assert [writer.returncode for writer in writers] == [0] * WRITERS, "\n".join(said)
    assert not any("Traceback" in text for text in said)
    assert done(tmp_path) == set(ALL)

    def asked(query: str):
        return postgres.rows(name, query)

    # No run that nobody works on, and none twice.
    assert asked("SELECT status, count(*) FROM runs GROUP BY status") == [
        ("FINISHED", WRITERS + len(ALL))
    ]
    child = """SELECT w.value::int, substr(c.name, 7, 1)::int, c.run_uuid, c.artifact_uri
        FROM runs c JOIN tags p ON p.run_uuid = c.run_uuid AND p.key = 'mlflow.parentRunId'
        JOIN params w ON w.run_uuid = p.value AND w.key = 'writer' ORDER BY 1, 2"""
    children = asked(child)
    assert [(number, n) for number, n, *_ in children] == ALL
    for number, n, run_id, _ in children:
        kept = asked(f"SELECT key, value, step FROM metrics WHERE run_uuid = '{run_id}'")
        assert len(kept) == METRICS
        assert {key: value for key, value, _ in kept} == metrics(number, n)
        assert {step for *_, step in kept} == {0}
        kept = asked(f"SELECT key, value FROM params WHERE run_uuid = '{run_id}'")
        assert len(kept) == PARAMS
        assert dict(kept) == params(number, n)
        said = f"SELECT value FROM tags WHERE key = 'mlflow.note.content' AND run_uuid = '{run_id}'"
        assert asked(said) == [(f"{number} {n}",)]
        used = f"SELECT count(*) FROM inputs WHERE destination_id = '{run_id}'"
        assert asked(used) == [(2,)]
        check_table(tmp_path / "artifacts", run_id, number, n)
    assert asked("SELECT name FROM datasets ORDER BY name") == [("coco",), ("miniature",)]


def check_table(artifacts: Path, run_id: str, number: int, child: int) -> None:
    import pandas as pd

    (table,) = artifacts.glob(f"*/{run_id}/artifacts/tables/pairs.parquet")
    sums = json.loads((table.parents[1] / "checksums.json").read_text())
    assert sums == {"tables/pairs.parquet": hashlib.sha256(table.read_bytes()).hexdigest()}
    pd.testing.assert_frame_equal(pd.read_parquet(table), rows(number, child), check_dtype=False)


def test_what_is_done_although_its_reply_is_lost_is_done_once(postgres, mlflow_server, tmp_path):
    server = mlflow_server(postgres.make("lost"))
    server.start()
    with losing(server.port) as proxy:
        first = Mlflow(tmp_path / "runs", uri=proxy.address).open(experiment="lost", config={})
        with pytest.raises(KeyError), first:
            raise KeyError("so that its tag of a failure is taken away later")
        again = Mlflow(tmp_path / "runs", uri=proxy.address, resume=first.run_id)
        with again.open(experiment="lost", config={}) as run, run.child("a", {}) as child:
            child.params(params(0, 0))
            child.metrics(metrics(0, 0))
            child.datasets(DATASETS)
            child.table("pairs", rows(0, 0))
            child.describe("a", "b")
    assert sum(proxy.asked.values()) > len(proxy.asked) > 8
    assert "POST /api/2.0/mlflow/runs/create" in proxy.asked

    def asked(query: str):
        return postgres.rows("lost", query)

    states = asked("SELECT run_uuid, status FROM runs ORDER BY start_time")
    assert states == [(run.run_id, "FINISHED"), (child.run_id, "FINISHED")]
    assert asked("SELECT count(*) FROM metrics") == [(METRICS,)]
    assert asked("SELECT count(*) FROM params") == [(PARAMS,)]
    assert asked("SELECT count(*) FROM inputs") == [(2,)]
    assert asked("SELECT count(*) FROM tags WHERE key = 'failure'") == [(0,)]
    check_table(tmp_path / "artifacts", child.run_id, 0, 0)


def test_a_run_that_is_kept_without_a_server_outlives_a_restart_of_its_database(postgres, tmp_path):
    def restart() -> None:
        until(lambda: len(written) > 10, "ten metrics are written")
        postgres.stop()
        time.sleep(2.0)
        postgres.start()
        restarted.set()

    written: list[str] = []
    restarted = threading.Event()
    other = threading.Thread(target=restart)
    tracker = Mlflow(tmp_path / "runs", uri=postgres.make("direct"))
    with tracker.open(experiment="direct", config={}) as run, run.child("a", {}) as child:
        other.start()
        while not restarted.is_set() or len(written) < 40:
            name = f"m{len(written)}"
            child.metrics({name: 0.5})
            written.append(name)
    other.join()
    kept = postgres.rows("direct", f"SELECT key FROM metrics WHERE run_uuid = '{child.run_id}'")
    assert sorted(key for (key,) in kept) == sorted(written)
    assert postgres.rows("direct", "SELECT status FROM runs") == [("FINISHED",)] * 2


def test_a_server_that_stays_away_ends_a_run_in_one_line_and_only_one_of_its_calls_waits(
    postgres, mlflow_server, tmp_path
):
    server = mlflow_server(postgres.make("away"))
    server.start()

    def cut_off() -> None:
        with tracker.open(experiment="away", config={}) as run, run.child("a", {}) as child:
            child.metrics({"before": 1.0})
            server.end(signal.SIGKILL)
            ended.append(time.monotonic())
            child.metrics({"after": 2.0})

    tracker, ended = Mlflow(tmp_path / "runs", uri=server.address, outage=5.0), []
    with pytest.raises(Paused) as caught:
        cut_off()
    assert 5 <= time.monotonic() - ended[0] < 15  # both runs have tags and a status to record
    assert f"the MLflow server {server.address} does not answer for 5 s" in str(caught.value)
    assert "give the same command again" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert postgres.rows("away", "SELECT DISTINCT status FROM runs") == [("RUNNING",)]


def test_a_server_that_is_not_there_is_named_at_the_start(tmp_path, monkeypatch):
    monkeypatch.setattr("oodexp.tracker.steady.AT_THE_START", 1.0)
    address = f"http://127.0.0.1:{free_port()}"
    with pytest.raises(OodexpError, match=rf"server {address} does not answer.*`tracker\.uri`"):
        Mlflow(tmp_path, uri=address).open(experiment="e", config={})
