"""The faults: each hits a run at a step of its own, and leaves all else to the next start."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tests.faults import kept
from tests.faults.warm import NOBODY, Forked

if TYPE_CHECKING:
    from tests.faults.bench import Bench

LONGEST = 240.0
"""Seconds after which a run hangs."""

TORCHRUN = 20.0
"""Seconds that a launcher gives the others, once a process has died."""

PATIENCE = {"MLFLOW_HTTP_REQUEST_MAX_RETRIES": "2"}
"""Lets a run give an MLflow server up after seconds."""


@dataclass
class Hit:
    """A run that was hit."""

    status: int | None
    """How it ended; None if it hung."""
    said: str
    what: str
    """What was done to it, in a few words."""
    dies: bool = True
    """Whether it could not end what it had begun."""
    told: bool = False
    """Whether it had to say what is wrong, in one line."""
    destroyed: set[str] = field(default_factory=set)
    """Keys of the answers that lay in what was damaged: they are to be asked for again."""


Fault = Callable[["Bench", np.random.Generator], Hit]


def sigkill(bench: Bench, rng: np.random.Generator) -> Hit:
    """Ends with SIGKILL, at a step or between two."""
    run, step = _stopped(bench, rng, signal.SIGKILL)
    return Hit(run.wait(LONGEST), run.said(), f"SIGKILL at {step}")


def sigterm(bench: Bench, rng: np.random.Generator) -> Hit:
    """Is asked to end."""
    run, step = _stopped(bench, rng, signal.SIGTERM)
    return Hit(run.wait(LONGEST), run.said(), f"SIGTERM at {step}", dies=False)


def disk_full(bench: Bench, rng: np.random.Generator) -> Hit:
    """Has no more room than a few pages from a step on."""
    step, pages = _step(bench, rng), int(rng.choice([0, 1, 3, 10, 40]))
    run = bench.start(step=step)
    if run.at_mark(LONGEST):
        bench.place.fill_up(pages)
    status = run.wait(LONGEST)
    bench.place.make_room()
    return Hit(status, run.said(), f"disk full at step {step}, {pages} pages left", told=True)


def read_only(bench: Bench, rng: np.random.Generator) -> Hit:
    """May not write any more from a step on."""
    step = _step(bench, rng, first=0)
    user = NOBODY if os.getuid() == 0 else None  # nothing is forbidden to root
    bench.place.allow(user)
    if step == 0:
        bench.place.forbid()
    run = bench.start(step=step, user=user)
    if step and run.at_mark(LONGEST):
        bench.place.forbid()
    status = run.wait(LONGEST)
    bench.place.allow()
    return Hit(status, run.said(), f"read-only from step {step}", told=True)


def torn_shard(bench: Bench, rng: np.random.Generator) -> Hit:
    """Is killed, and a shard of the store is damaged besides."""
    return _torn(bench, rng, "store/*/*/*.parquet")


def torn_table(bench: Bench, rng: np.random.Generator) -> Hit:
    """Is killed, and a table of the run is damaged besides."""
    return _torn(bench, rng, "**/tables/*.parquet")


def clock(bench: Bench, rng: np.random.Generator) -> Hit:
    """Sees the clock jump, and is killed a moment later, or goes on."""
    step = _step(bench, rng)
    jump = str(rng.choice(["-400d", "-3600", "-2", "+2", "+3600", "+400d"]))
    killed = bool(rng.random() < 0.5)
    bench.set_clock("+0")
    run = bench.start(step=step, clock=True)
    if run.at_mark(LONGEST):
        bench.set_clock(jump)
        if killed:
            time.sleep(float(rng.uniform(0, 0.3)))
            run.kill()
    status = run.wait(LONGEST)
    bench.set_clock("+0")
    then = ", then SIGKILL" if killed else ""
    return Hit(status, run.said(), f"clock {jump} at step {step}{then}", dies=killed)


def twice(bench: Bench, rng: np.random.Generator) -> Hit:
    """Is started a second time while it runs."""
    step = _step(bench, rng)
    run = bench.start(step=step)
    run.at_mark(LONGEST)
    other = bench.start(number=1)
    status, second = run.wait(LONGEST), other.wait(LONGEST)
    worse = status if status != 0 else second
    return Hit(worse, run.said() + other.said(), f"second run at step {step}", dies=False)


def server_away(bench: Bench, rng: np.random.Generator) -> Hit:
    """Finds its MLflow server gone for a while, or for good, or silent."""
    step, how = _step(bench, rng), str(rng.choice(["restarted", "gone", "silent"]))
    run = bench.start(step=step, environment=PATIENCE if how == "gone" else {})
    if run.at_mark(LONGEST):
        if how == "silent":
            bench.server.pause()
        else:
            bench.server.stop()
        time.sleep(float(rng.uniform(0.2, 2.0)))
        if how == "gone":
            run.wait(LONGEST)
        bench.server.go_on()
    status = run.wait(LONGEST)
    what = f"MLflow server {how} at step {step}"
    return Hit(status, run.said(), what, dies=how == "gone", told=how == "gone")


def dead_rank(bench: Bench, rng: np.random.Generator) -> Hit:
    """Loses one of the two processes that torchrun or srun would have started."""
    dead = int(rng.integers(2))
    step = int(rng.integers(1, bench.steps_of_ranks()[dead] + 1))
    runs = bench.start_ranks(killed=dead, step=step)
    other = 1 - dead
    runs[dead].wait(LONGEST)
    what = f"rank {dead} of 2 SIGKILLed at step {step}"
    if runs[other].wait(TORCHRUN) is None:
        runs[other].kill()  # as torchrun does in the end, and srun with --kill-on-bad-exit
        what += ", the other by its launcher"
    return Hit(runs[other].wait(LONGEST), runs[other].said(), what, told=True)


def dead_child(bench: Bench, rng: np.random.Generator) -> Hit:
    """Loses one of the two processes that it has spawned."""
    wait, which = float(rng.uniform(0, 12.0)), int(rng.integers(2))
    run = bench.start(more=("predict=ddp", "predict.devices=2", "predict.workers=0"))
    end = time.monotonic() + LONGEST
    while len(found := spawned(run.pid)) < 2 and run.poll() is None and time.monotonic() < end:
        time.sleep(0.02)
    if len(found) == 2:
        time.sleep(wait)
        with contextlib.suppress(ProcessLookupError):
            os.kill(found[which], signal.SIGKILL)
    status = run.wait(LONGEST)
    run.kill()
    what = f"spawned rank {which} SIGKILLed after {wait:.1f} s"
    return Hit(status, run.said(), what, told=True)


FAULTS: dict[str, Fault] = {
    "SIGKILL": sigkill, "SIGTERM": sigterm, "disk full": disk_full, "read-only store": read_only,
    "torn shard": torn_shard, "torn table": torn_table, "clock jumps": clock,
    "second run beside": twice, "MLflow away": server_away, "dead rank": dead_rank,
    "dead DDP process": dead_child,
}  # fmt: skip


def spawned(parent: int) -> list[int]:
    """Process numbers of the children that run a rank, in order."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError):
            above = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            if above == parent and b"spawn_main" in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
    return sorted(found)


def damage(path: Path, rng: np.random.Generator) -> str:
    """Cuts a file off, clears a part of it or changes a letter; in a few words."""
    whole = path.read_bytes()
    at = int(rng.integers(len(whole)))
    how = str(rng.choice(["cut off", "cleared", "changed"]))
    end = {"cut off": len(whole), "cleared": at + 512, "changed": at + 1}[how]
    part = whole[at:end]
    new = {"cut off": b"", "cleared": bytes(len(part)), "changed": bytes(b ^ 0x41 for b in part)}
    path.write_bytes(whole[:at] + new[how] + whole[end:])
    return f"{path.name} {how} at byte {at} of {len(whole)}"


def _step(bench: Bench, rng: np.random.Generator, first: int = 1) -> int:
    return int(rng.integers(first, bench.steps() + 1))


def _stopped(bench: Bench, rng: np.random.Generator, sign: int) -> tuple[Forked, str]:
    """The run, and where it got the signal: at a step exactly, or a moment later."""
    step, exactly = _step(bench, rng), bool(rng.random() < 0.5)
    later = float(rng.uniform(0, 0.3))
    run = bench.start(step=step, sign=sign if exactly else 0)
    if not exactly and run.at_mark(LONGEST):
        time.sleep(later)
        run.kill(sign)
    return run, f"step {step}" + ("" if exactly else f" and {1000 * later:.0f} ms")


def _torn(bench: Bench, rng: np.random.Generator, pattern: str) -> Hit:
    step = int(rng.integers(bench.steps() // 3, bench.steps() + 1))
    run = bench.start(step=step, sign=signal.SIGKILL)
    status, said = run.wait(LONGEST), run.said()
    found = sorted(bench.place.runs.glob(pattern))
    if not found:
        return Hit(status, said, f"SIGKILL at step {step}, nothing to tear yet")
    path = found[int(rng.integers(len(found)))]
    before = kept.completions(bench.place.runs / "store")
    done, whole = damage(path, rng), path.with_suffix(".whole")
    path.rename(whole)
    destroyed = before - kept.completions(bench.place.runs / "store")
    whole.rename(path)
    return Hit(status, said, f"SIGKILL at step {step}, {done}", destroyed=destroyed)
