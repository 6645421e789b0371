"""The training script."""

from __future__ import annotations

import subprocess
import sys
from hashlib import sha256

import pytest

from oodexp.miniature.train import main, parse


def test_the_command_line_explains_itself():
    done = subprocess.run(
        [sys.executable, "-m", "oodexp.miniature.train", "--help"],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    for word in (
        "--only",
        "--out",
        "--seed",
        "open_clip",
        "blip2",
        "fastvlm",
        "lit",
        "fastvlm_weak",
        "data",
    ):
        assert word in done.stdout


def test_without_options_everything_is_made():
    asked = parse([])
    assert asked.only is None
    assert asked.steps is None


@pytest.mark.slow
@pytest.mark.parametrize("part", ["open_clip", "blip2", "fastvlm", "lit", "fastvlm_weak"])
def test_training_twice_from_one_seed_gives_the_same_weights(part, tmp_path):
    found = []
    for name, seed in (("one", "3"), ("two", "3"), ("other", "4")):
        main(
            [
                *f"--only {part} --seed {seed} --scenes 96 --steps 3 --workers 1".split(),
                *("--out", str(tmp_path / name)),
            ]
        )
        (weights,) = (tmp_path / name / "models" / part).glob("*.safetensors")
        found.append(sha256(weights.read_bytes()).hexdigest())
    assert found[0] == found[1]
    assert found[0] != found[2]
