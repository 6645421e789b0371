"""A program that keeps a run with children in MLflow: `writer.py URI FOLDER NUMBER CHILDREN`.

After each child it writes a line to `FOLDER/done.txt`. What it keeps follows from NUMBER, so that
whoever reads it back knows what must be there.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pandas as pd

from oodexp.tracker.base import Dataset
from oodexp.tracker.mlflow import Mlflow

EXPERIMENT = "peers"
METRICS, PARAMS = 40, 15
DATASETS = [
    Dataset("miniature", "a" * 32, {"images": 6, "pairs": 9, "categories": 3}),
    Dataset("coco", "b" * 32, {"images": 60, "pairs": 90, "categories": 30}),
]


def metrics(number: int, child: int) -> dict[str, float]:
    return {f"split/m{n}": number + child / 8 + n / 1024 for n in range(METRICS)}


def params(number: int, child: int) -> dict[str, str]:
    return {f"part.p{n}": f"{number} {child} {n}" for n in range(PARAMS)}


def rows(number: int, child: int) -> pd.DataFrame:
    return pd.DataFrame({"pair": [f"{number}/{child}/{n}" for n in range(500)]})


def main() -> None:
    uri, folder = sys.argv[1], Path(sys.argv[2])
    number, children = int(sys.argv[3]), int(sys.argv[4])
    tracker = Mlflow(folder / f"runs-{number}", uri=uri)
    with tracker.open(experiment=EXPERIMENT, config={"writer": number}) as run:
        run.datasets(DATASETS)
        for n in range(children):
            with run.child(f"child {n}", {"child": str(n)}) as child:
                child.params(params(number, n))
                child.datasets(DATASETS)
                for name, value in metrics(number, n).items():
                    child.metrics({name: value})
                child.table("pairs", rows(number, n))
                child.describe(f"child {n}", f"{number} {n}")
            with (folder / "done.txt").open("a") as done:
                done.write(f"{number} {n} {os.getpid()}\n")
        run.metrics({"children": children})


if __name__ == "__main__":
    main()
