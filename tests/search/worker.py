"""A program that searches a grid of 12 cells: `worker.py FOLDER NAME HANG WORKERS URL`.

URL is that of a database; empty: the journal.
It notes each evaluation in `FOLDER/evaluated.txt`. At its evaluation number HANG (from 1; 0: none)
it writes `FOLDER/NAME.hangs` and sleeps for good. With more than one worker it begins when a helper
process has evaluated something.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from oodexp.search.base import Outcome
from oodexp.search.helper import HELPER
from oodexp.search.space import Space
from oodexp.search.studies import Studies

SPACE = Space.of({"threshold": [0.05, 0.01, 0.005], "scorers": [["a"], ["a", "b"]], "n": [1, 2]})
OBJECTIVES = {"gap": "maximize", "pairs": "maximize"}


def note(path: Path, line: str) -> None:
    with path.open("a") as file:
        file.write(line + "\n")


def main() -> None:
    folder, name = Path(sys.argv[1]), sys.argv[2]
    hang, workers, url = int(sys.argv[3]), int(sys.argv[4]), sys.argv[5] or None
    alone = workers == 1 or HELPER in os.environ
    begun = 0

    def evaluate(number, settings):
        nonlocal begun
        begun += 1
        if begun == hang:
            note(folder / f"{name}.hangs", str(number))
            time.sleep(600)
        while not alone and not (folder / "evaluated.txt").exists():
            time.sleep(0.02)
        time.sleep(0.02)
        note(folder / "evaluated.txt", f"{os.getpid()} {SPACE.key(settings)}")
        values = {"gap": settings["threshold"] * settings["n"], "pairs": len(settings["scorers"])}
        return Outcome(values, run_id=f"run-{number}")

    studies = Studies(str(folder), url=url, workers=workers)
    trials = studies.search(folder.name, SPACE, OBJECTIVES, evaluate)
    states = [trial.state for trial in trials]
    note(folder / f"{name}.ended", f"{states.count('complete')} of {len(states)}")
    note(folder / f"{name}.ended", f"helpers {studies.join()}")


if __name__ == "__main__":
    main()
