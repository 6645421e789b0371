"""A program that works on a study: `searcher.py URL LOCKS SHARED STUDY HANG`.

LOCKS is the folder of its lock files. It notes each evaluation in `SHARED/evaluated.txt` and what
it found in `SHARED/ended.txt`. With HANG it writes `SHARED/hangs` at its first evaluation and
sleeps for good; the others wait with their second one for the file `SHARED/go`.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from oodexp.search.base import Outcome
from oodexp.search.space import Space
from oodexp.search.studies import Studies

SPACE = Space.of({"threshold": [n / 100 for n in range(1, 13)], "rule": ["all", "mean"],
                  "cap": [10, 20, 30]})  # fmt: skip
OBJECTIVES = {"gap": "maximize", "pairs": "maximize"}


def values(settings) -> dict[str, float]:
    return {"gap": settings["threshold"] * settings["cap"], "pairs": len(settings["rule"])}


def note(path: Path, line: str) -> None:
    with path.open("a") as file:
        file.write(line + "\n")


def main() -> None:
    url, locks, shared, name, hang = sys.argv[1:]
    begun: list[int] = []

    def evaluate(number, settings):
        if hang == "hang":
            note(Path(shared) / "hangs", SPACE.key(settings))
            time.sleep(600)
        while begun and not (Path(shared) / "go").exists():
            time.sleep(0.02)
        begun.append(number)
        time.sleep(0.1)
        note(Path(shared) / "evaluated.txt", f"{os.getpid()} {SPACE.key(settings)}")
        return Outcome(values(settings), run_id=f"run-{number}")

    trials = Studies(locks, url=url).search(name, SPACE, OBJECTIVES, evaluate)
    states = [trial.state for trial in trials]
    note(Path(shared) / "ended.txt", f"{states.count('complete')} of {len(states)}")


if __name__ == "__main__":
    main()
