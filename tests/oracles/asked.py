"""Asks a library that lives in an environment of its own, or in this one where it is installed."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

VARIABLE = "OODEXP_ORACLES"
"""Environment variable: the Python interpreters of such environments, as PATH separates folders.
`make oracles` makes them."""

KEYS = ["kind", "source", "split", "contrast", "group", "convention", "metric"]
"""What names a measurement of an only VLM, whatever it is called."""


def run(runs: Path, experiment: str, *more: str) -> Path:
    """The folder of a small run of ours."""
    line = [
        sys.executable, "-m", "oodexp.run", f"experiment={experiment}", f"paths.runs={runs}",
        "source.limit=48", "tracker=folder", "metric.resamples=100", "predict.progress=false",
    ]  # fmt: skip
    done = subprocess.run([*line, *more], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return max((runs / "folder" / experiment).glob("*/config.yaml")).parent


def come_back(runs: Path, ours: Path, files: list[str], exported: Path) -> pd.DataFrame:
    """Our measurements, once those of the predictions that come back have been found equal.

    Args:
        runs: Where runs are kept.
        ours: Tables of our own run.
        files: What the other program wrote.
        exported: The export that it ran.
    """
    back = run(
        runs, "main", "vlm=recorded", f"vlm.predictions={json.dumps(files)}",
        f"vlm.index={exported}", "question.population=drawn",
    ) / "tables"  # fmt: skip
    expected = pd.read_parquet(ours / "measurements.parquet")
    both = expected.merge(pd.read_parquet(back / "measurements.parquet"), on=KEYS)
    assert len(both) == len(expected) > 0
    assert both["value_x"].equals(both["value_y"])
    return expected


def accuracies(measurements: pd.DataFrame) -> dict[str, float]:
    """The headline accuracy of an only VLM by split."""
    whole = measurements.query(
        "metric == 'accuracy' and group == 'all' and contrast == 'none' "
        "and convention == 'headline' and source == 'pooled'"
    )
    return dict(zip(whole["split"], whole["value"], strict=True))


def ask(package: str, script: str, *arguments: str) -> Any:
    """What a script prints last, as JSON; the test is skipped when no interpreter has the package.

    Args:
        package: Name that the script imports.
        script: Python source; the arguments are its `sys.argv[1:]`.
        arguments: Passed on.
    """
    done = subprocess.run(
        [_interpreter(package), "-W", "ignore", "-c", script, *arguments],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def _interpreter(package: str) -> str:
    if importlib.util.find_spec(package):
        return sys.executable
    look = f"import importlib.util as u, sys; sys.exit(u.find_spec({package!r}) is None)"
    for python in filter(None, os.environ.get(VARIABLE, "").split(os.pathsep)):
        if subprocess.run([python, "-c", look], check=False).returncode == 0:
            return python
    pytest.skip(f"no interpreter with {package}; name one in {VARIABLE}")
