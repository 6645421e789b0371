"""Lightning's DDP over gloo: a main run that is killed goes on with fewer or more ranks."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.peers.port import until
from tests.test_several import CUT, assert_equal_to_the_byte, command, only_run, run, spawned

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    runs = tmp_path_factory.mktemp("undisturbed")
    done = run(*command(runs, *CUT))
    assert done.returncode == 0, done.stderr
    return runs


def shards(runs: Path, kind: str) -> int:
    return len(list((runs / "store" / kind).glob("*/*.parquet")))


def kill_in(runs: Path, kind: str, after: int) -> int:
    """Kills all processes of a run on two ranks after so many shards; gives their number."""
    started = command(runs, *CUT, "predict=ddp", "predict.devices=2")
    with subprocess.Popen(
        [sys.executable, *started], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    ) as process:  # fmt: skip
        try:
            until(lambda: shards(runs, kind) >= after or process.poll() is not None, kind, 400)
            assert len(spawned(process.pid)) == 2, "two ranks are at it"
        finally:
            os.killpg(process.pid, signal.SIGKILL)
    return shards(runs, kind)


@pytest.mark.parametrize(("kind", "after"), [("vectors", 2), ("completions", 4)])
def test_a_run_that_is_killed_on_two_ranks_goes_on_with_one_and_with_three(
    undisturbed, tmp_path, kind, after
):
    kept = kill_in(tmp_path / "killed", kind, after)
    assert after <= kept < shards(undisturbed, kind)
    tables = only_run(undisturbed) / "tables"
    metrics = json.loads((tables.parent / "metrics.json").read_text())
    for ranks in (1, 3):
        runs = tmp_path / f"on-{ranks}"
        shutil.copytree(tmp_path / "killed", runs)
        done = run(*command(runs, *CUT, "predict=ddp", f"predict.devices={ranks}"))
        assert done.returncode == 0, done.stderr
        (ended,) = [f for f in (runs / "folder/main").iterdir() if status(f) == "FINISHED"]
        assert_equal_to_the_byte(ended / "tables", tables)
        assert shards(runs, kind) == shards(undisturbed, kind)  # nothing was computed again
        mine = json.loads((ended / "metrics.json").read_text())
        measured = {n: v for n, v in metrics.items() if "/" in n and "seconds" not in n}
        assert len(measured) > 50
        assert {n: mine.get(n) for n in measured} == measured


def status(run: Path) -> str:
    return str(json.loads((run / "run.json").read_text())["status"])
