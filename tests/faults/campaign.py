"""The fault campaign: `python -m tests.faults.campaign --trials 205 --seed 0 --json FILE`.

Each trial has a number that says all about it: `--only 17` makes that one again.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from tests.faults.bench import Bench
from tests.faults.trial import PLAN, Trial, planned, run_trial, skipped

COLUMNS = ("fault", "trials", "recovered", "differing tables", "lost", "repeated requests",
           "in flight", "ghosts", "untold", "hung", "litter")  # fmt: skip


def main(words: Sequence[str] | None = None) -> int:
    """Makes trials and prints a line for each and a table in the end; 0 if all went well."""
    asked = _asked(words)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # leaves no mount behind
    numbers = asked.only or range(asked.start, asked.start + asked.trials)
    done: list[Trial] = []
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="faults-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)  # a run of another user goes through it
        with Bench(Path(folder) / "bench") as bench:
            for number in numbers:
                what = planned(number)
                if (asked.fault and what[0] not in asked.fault) or skipped(what[0], bench):
                    continue
                if asked.seconds and time.monotonic() - begin > asked.seconds:
                    print(f"time is over before trial {number}", flush=True)
                    break
                trial = run_trial(bench, number, asked.seed, what)
                done.append(trial)
                _tell(trial, asked.json)
    print(table(done))
    return int(not all(trial.recovered for trial in done))


def table(trials: Iterable[Trial]) -> str:
    """A row a fault, and one for all."""
    rows = [COLUMNS]
    found = list(trials)
    for fault in (*(fault for fault, _, _ in PLAN), "all"):
        mine = [t for t in found if fault in (t.fault, "all")]
        if mine:
            rows.append((fault, *map(str, _sums(mine))))
    widths = [max(len(row[n]) for row in rows) for n in range(len(COLUMNS))]
    return "\n".join(
        "  ".join(text.ljust(w) if n == 0 else text.rjust(w)
                  for n, (text, w) in enumerate(zip(row, widths, strict=True)))
        for row in rows
    )  # fmt: skip


def _sums(mine: list[Trial]) -> tuple[int, ...]:
    return (
        len(mine), sum(t.recovered for t in mine), sum(len(t.differing) for t in mine),
        sum(t.lost for t in mine), sum(t.repeated for t in mine), sum(t.in_flight for t in mine),
        sum(len(t.ghosts) for t in mine), sum(bool(t.untold) for t in mine),
        sum(t.ended is None or t.again is None for t in mine), sum(len(t.litter) for t in mine),
    )  # fmt: skip


def _tell(trial: Trial, path: Path | None) -> None:
    well = "ok " if trial.recovered else "BAD"
    print(f"{well} {trial.number:3} {trial.line}: {trial.what} -> {trial.ended}, {trial.again} "
          f"({trial.seconds} s)", flush=True)  # fmt: skip
    if not trial.recovered:
        for name in ("differing", "lost", "repeated", "ghosts", "untold"):
            if value := getattr(trial, name):
                print(f"    {name}: {value}", flush=True)
    if path is not None:
        with path.open("a") as file:
            file.write(json.dumps(trial.plain()) + "\n")


def _asked(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.campaign", description=__doc__)
    parser.add_argument("--trials", type=int, default=205, help="how many")
    parser.add_argument("--start", type=int, default=0, help="number of the first")
    parser.add_argument("--seed", type=int, default=0, help="of all random choices")
    parser.add_argument("--json", type=Path, help="a line a trial is added to this file")
    parser.add_argument("--only", type=int, nargs="*", help="numbers of single trials")
    parser.add_argument("--fault", nargs="*", help="these faults only")
    parser.add_argument("--seconds", type=float, help="begin no trial after so long")
    parser.add_argument("--table", type=Path, nargs="*", help="the table of such files; no trial")
    asked = parser.parse_args(words)
    if asked.table:
        lines = [json.loads(line) for path in asked.table for line in path.read_text().splitlines()]
        latest = {line["number"]: line for line in lines}
        print(table(Trial(**{k: v for k, v in t.items() if k != "recovered"})
                    for t in latest.values()))  # fmt: skip
        sys.exit(0)
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    return asked


if __name__ == "__main__":
    sys.exit(main())
