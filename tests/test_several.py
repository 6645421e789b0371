"""The main line in several processes: one tracked run, the tables of one process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

pytestmark = pytest.mark.slow

SMALL = [
    "experiment=main", "source.limit=24", "tracker=folder", "metric.resamples=100",
    "predict.accelerator=cpu", "predict.progress=false", "predict.threads=1",
    "predict.workers=0",
]  # fmt: skip
CUT = ["predict.scoring_batch=8", "predict.answering_batch=8"]


def command(runs: Path, *more: str) -> list[str]:
    return ["-m", "oodexp.run", *SMALL, f"paths.runs={runs}", *more]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, timeout=540
    )


def only_run(runs: Path) -> Path:
    (folder,) = (runs / "folder/main").iterdir()
    return folder


def assert_equal_to_the_byte(mine: Path, theirs: Path) -> None:
    names = sorted(str(p.relative_to(theirs)) for p in theirs.rglob("*.parquet"))
    assert names == sorted(str(p.relative_to(mine)) for p in mine.rglob("*.parquet"))
    for name in names:
        if name != "completions.parquet":
            assert (mine / name).read_bytes() == (theirs / name).read_bytes(), name
    left, right = (pd.read_parquet(f / "completions.parquet") for f in (mine, theirs))
    pd.testing.assert_frame_equal(left.drop(columns="seconds"), right.drop(columns="seconds"))


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    runs = tmp_path_factory.mktemp("alone")
    done = run(*command(runs, *CUT))
    assert done.returncode == 0, done.stderr
    return only_run(runs) / "tables"


@pytest.mark.parametrize("cut", [CUT, ["predict.scoring_batch=64", "predict.answering_batch=8"]])
def test_two_processes_of_torchrun_keep_one_run_with_the_tables_of_one(
    alone: Path, tmp_path: Path, cut: list[str]
) -> None:
    if cut != CUT:  # all images are one chunk: rank 1 has nothing to score
        done = run(*command(tmp_path / "alone", *cut))
        assert done.returncode == 0, done.stderr
        alone = only_run(tmp_path / "alone") / "tables"
    torchrun = ["-m", "torch.distributed.run", "--nproc-per-node", "2"]
    done = run(*torchrun, *command(tmp_path / "two", *cut, "predict=slurm"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Division of") == 1
    assert "oodexp" not in done.stderr
    assert_equal_to_the_byte(only_run(tmp_path / "two") / "tables", alone)


def test_a_killed_process_of_ddp_ends_the_run_with_a_message_and_the_next_start_does_the_rest(
    alone: Path, tmp_path: Path
) -> None:
    started = command(tmp_path, *CUT, "predict=ddp", "predict.devices=2")
    with subprocess.Popen(
        [sys.executable, *started], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    ) as process:
        try:
            # The first: it has read what it was sent, else there would be no second one yet.
            os.kill(asking(process)[0], signal.SIGKILL)
            told = process.communicate(timeout=200)[1]
        finally:
            process.kill()
    assert process.returncode == 2
    assert "a worker died" in told
    assert "Start the same command again" in told
    assert "Traceback" not in told
    done = run(*command(tmp_path, *CUT))
    assert done.returncode == 0, done.stderr
    ended = sorted((tmp_path / "folder/main").iterdir(), key=lambda p: p.stat().st_mtime)
    assert_equal_to_the_byte(ended[-1] / "tables", alone)
    assert json.loads((ended[-1] / "metrics.json").read_text())["scored_images"] == 0


def asking(process: subprocess.Popen[str]) -> list[int]:
    """Process numbers of the ranks of the second loop, as soon as they are there."""
    first: set[int] = set()
    deadline = time.monotonic() + 400
    while time.monotonic() < deadline:
        assert process.poll() is None, "the run ended before a process could be killed"
        now = spawned(process.pid)
        first = first or (set(now) if len(now) == 2 else first)
        if first and len(now) == 2 and not first & set(now):
            return now
        time.sleep(0.1)
    raise AssertionError("the second loop did not begin")


def spawned(parent: int) -> list[int]:
    """Process numbers of the children that run a rank, in order."""
    listed = subprocess.run(
        ["ps", "-ww", "--ppid", str(parent), "-o", "pid=,args="], capture_output=True, text=True,
        check=False,
    ).stdout.splitlines()  # fmt: skip
    return sorted(int(line.split()[0]) for line in listed if "spawn_main" in line)


def test_a_shard_that_cannot_be_read_is_noted_in_problems(alone: Path, tmp_path: Path) -> None:
    (tmp_path / "store").symlink_to(alone.parents[3] / "store")
    shard = sorted((tmp_path / "store/vectors").glob("*/*.parquet"))[0]
    shard.write_bytes(shard.read_bytes()[:100])
    done = run(*command(tmp_path, *CUT))
    assert done.returncode == 0, done.stderr
    problems = pd.read_parquet(only_run(tmp_path) / "tables/problems.parquet")
    (row,) = problems[problems["stage"] == "store"].itertuples()
    assert row.subject == f"vectors/{shard.parent.name}/{shard.name}"
    assert row.reason.startswith("note: could not be read")
