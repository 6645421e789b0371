"""The scoring benchmark in its small version, as it is called."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

KEYS = ["s1_float32", "s1_bf16", "s2", "s3", "s5", "peak_float32", "peak_bf16"]


@pytest.mark.slow
def test_the_small_version_gives_every_figure(tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    command = [sys.executable, "-m", "benchmarks.scoring", "--quick", "--json", str(file)]
    done = subprocess.run(
        command, cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stderr[-3000:]
    rows = json.loads(file.read_text())
    for name in KEYS:
        assert math.isfinite(rows[name]), name  # NaN where the answers of two sides differ
        assert rows[name] > 0, name
    assert rows["s1_float32_ours_from_float32"] <= 1e-5
    assert rows["s1_bf16_ours_from_float32"] <= 2e-3
    assert rows["s4_repeated_shards"] in (0, 1)
    assert 0 < rows["divide_seconds"] < 10
    assert 0 < rows["divide_gb"] < 4
