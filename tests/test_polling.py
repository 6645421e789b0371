"""Polling through the front door, after the main line and in its store."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd

FIXED = [
    "source.limit=48", "tracker=folder", "metric.resamples=200", "predict.accelerator=cpu",
    "predict.progress=false",
]  # fmt: skip


def run(runs: Path, experiment: str, *more: str) -> tuple[Path, str]:
    line = [sys.executable, "-m", "oodexp.run", f"experiment={experiment}", f"paths.runs={runs}"]
    done = subprocess.run([*line, *FIXED, *more], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (folder,) = (p.parent for p in (runs / "folder" / experiment).glob("*/tables"))
    return folder, done.stdout


def test_polling_asks_only_what_the_main_line_has_not_asked(tmp_path: Path) -> None:
    before, _ = run(tmp_path, "main")
    after, told = run(tmp_path, "polling")
    old, new = (pd.read_parquet(f / "tables/questions.parquet") for f in (before, after))
    prompts = [set(zip(q["image_id"], q["prompt"], strict=True)) for q in (old, new)]
    asked = json.loads((after / "metrics.json").read_text())["asked_questions"]
    assert asked == len(prompts[1] - prompts[0])
    assert 0 < asked < len(prompts[1]) < len(new)
    assert "Polling: missing and inventing" in told
    measured = pd.read_parquet(after / "tables/measurements.parquet")
    assert set(measured["kind"]) == {"polling"}
    theirs = pd.read_parquet(before / "tables/measurements.parquet").query(
        "convention == 'headline' and contrast == 'none' and group == 'all' and metric == 'recall'"
    )
    mine = measured.query(
        "convention == 'headline' and contrast == 'none' and metric == 'miss_rate' "
        "and group == 'strategy: present, as POPE asks'"
    )
    assert set(mine["split"]) == set(theirs["split"])
