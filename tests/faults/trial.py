"""One trial: a run is hit, started again, and compared with an undisturbed one."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from tests.faults import kept
from tests.faults.bench import Bench, can_fake_time
from tests.faults.fault import FAULTS, Hit

EVERY = (
    "main", "main, sqlite", "served", "polling", "progression", "ablation", "export", "evidence",
)  # fmt: skip

PLAN: tuple[tuple[str, tuple[str, ...], int], ...] = (
    ("SIGKILL", EVERY, 5),
    ("SIGTERM", EVERY, 3),
    ("disk full", EVERY, 3),
    ("read-only store", ("main", "served", "polling", "ablation", "export"), 3),
    ("torn shard", ("main", "served", "polling", "export", "evidence"), 4),
    ("torn table", ("main", "main, sqlite", "ablation", "evidence"), 3),
    ("clock jumps", ("main", "main, sqlite", "served", "ablation"), 4),
    ("second run beside", EVERY, 2),
    ("MLflow away", ("main, server",), 12),
    ("dead rank", ("main", "served", "polling", "export"), 5),
    ("dead DDP process", ("main",), 6),
)
"""Fault, lines that it hits, and its share: a round has as many trials of each of these lines."""


@dataclass
class Trial:
    """What came of a trial."""

    number: int
    fault: str
    line: str
    what: str = ""
    """What was done."""
    ended: int | None = None
    """Exit status of the run that was hit; None if it hung."""
    again: int | None = None
    """Exit status of the second start; None if it hung."""
    differing: list[str] = field(default_factory=list)
    """Tables that are not those of an undisturbed run."""
    lost: int = 0
    """Rows that are missing in them."""
    repeated: int = 0
    """Questions that a server was asked again though their answers were kept."""
    in_flight: int = 0
    """Questions asked again whose answers had not been kept when the run died."""
    ghosts: list[str] = field(default_factory=list)
    """Runs and trials that nobody works on and nobody has ended."""
    untold: list[str] = field(default_factory=list)
    """What a person was not told in one line."""
    litter: list[str] = field(default_factory=list)
    """Files that nobody will look at again."""
    seconds: float = 0.0

    @property
    def recovered(self) -> bool:
        """Whether all is well."""
        wrong = (self.differing, self.lost, self.repeated, self.ghosts, self.untold)
        return self.again == 0 and self.ended is not None and not any(wrong)

    def plain(self) -> dict[str, Any]:
        """As JSON has it."""
        return {**asdict(self), "recovered": self.recovered}


def planned(number: int, bench: Bench | None = None) -> tuple[str, str]:
    """Fault and line of a trial: rounds that go through the whole plan."""
    cells = [
        (fault, line) for turn in range(12) for fault, lines, share in PLAN
        for line in lines if turn < share
    ]  # fmt: skip
    return cells[number % len(cells)]


def skipped(fault: str, bench: Bench) -> str:
    """Why a fault cannot be made on this machine; empty if it can."""
    if fault == "disk full" and not bench.place.mounted:
        return "no file system may be mounted here"
    if fault == "clock jumps" and not can_fake_time():
        return "libfaketime is not installed"
    return ""


def run_trial(bench: Bench, number: int, seed: int, planned: tuple[str, str]) -> Trial:
    """Makes the trial of a number."""
    fault, line = planned
    trial, start = Trial(number, fault, line), time.monotonic()
    bench.choose(line)
    hit = FAULTS[fault](bench, np.random.default_rng([seed, number]))
    trial.what, trial.ended = hit.what, hit.status
    before, stored = bench.asked(), kept.completions(bench.place.runs / "store")
    trial.untold += _untold(hit)
    trial.again, said = bench.again(ranks=fault == "dead rank")
    if trial.again != 0:
        trial.untold.append("second start: " + said[-1500:])
    _judge(trial, bench, hit)
    count(trial, bench, hit, before, stored)
    trial.seconds = round(time.monotonic() - start, 1)
    return trial


def _judge(trial: Trial, bench: Bench, hit: Hit) -> None:
    runs = bench.recorded()
    trial.ghosts += [run.run_id for run in runs if run.status == "RUNNING"]
    journal = bench.place.runs / "optuna" / "journal.log"
    trial.ghosts += [f"trial {n}" for n in kept.trials_left_running(journal)]
    ended = [run for run in runs if run.status == "FINISHED" and run.tables is not None]
    if not ended:
        trial.differing.append("no run was finished")
    for run in ended:
        assert run.tables is not None
        different, lost = compare(bench.whole.tables, kept.tables(run.tables))
        trial.differing += different
        trial.lost += lost
    trial.litter = kept.litter(bench.place.runs)


def compare(
    wanted: dict[str, pa.Table | bytes], found: dict[str, pa.Table | bytes]
) -> tuple[list[str], int]:
    """Names of the tables that are not equal, and the number of rows that are missing.

    Notes on shards that were set aside are left out: they are what should be there.
    """
    different = [name for name in wanted.keys() ^ found.keys() if name != "requests"]
    lost = 0
    for name in wanted.keys() & found.keys() - {"requests"}:
        mine, theirs = found[name], wanted[name]
        if name == "problems":
            mine, theirs = kept.without_notes(mine), kept.without_notes(theirs)
        if mine != theirs if isinstance(mine, bytes) else not mine.equals(theirs):
            different.append(name)
            lost += max(0, kept.rows_of(theirs) - kept.rows_of(mine))
    return sorted(different), lost


def count(trial: Trial, bench: Bench, hit: Hit, before: Counter[str], stored: set[str]) -> None:
    """Requests that came twice: in vain if the first answer was on disk, or the run did not die."""
    asked = bench.asked()
    for key, times in (asked - Counter(hit.destroyed)).items():
        in_vain = key in stored or not (hit.dies or hit.told) or before[key] > 1
        again = times - 1
        trial.repeated += again if in_vain else max(0, again - 1)
        trial.in_flight += 0 if in_vain else min(1, again)
    if bench.line.served:
        trial.lost += len(bench.whole.questions - asked.keys())
    if trial.in_flight > 4:  # questions in flight at a time
        trial.repeated += trial.in_flight - 4


def _untold(hit: Hit) -> list[str]:
    if hit.status is None:
        return ["hung: " + hit.said[-1500:]]
    if "Traceback" in hit.said and hit.status not in (143, -15):
        return ["traceback: " + hit.said[-3000:]]
    if hit.told and hit.status not in (0, -9) and "oodexp: " not in hit.said:
        return [f"status {hit.status} without a word: " + hit.said[-1500:]]
    if not hit.told and not hit.dies and hit.status not in (0, 143):
        return [f"status {hit.status}: " + hit.said[-1500:]]
    return []
