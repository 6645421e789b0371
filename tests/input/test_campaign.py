"""A few inputs of every kind, drawn and shrunk by Hypothesis; `make bad-input` tries thousands."""

from __future__ import annotations

import shutil
import time
import uuid
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from oodexp.error import OodexpError
from tests.input import kind as kinds
from tests.input.campaign import KINDS, campaign
from tests.input.kind import LONGEST, Kind, Tally, run, within

FEW = {"settings: command lines": 8, "completions, names: report page": 8, "names: figures": 8}
"""Examples of kinds that take longer than a few milliseconds each."""


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_input_comes_to_a_right_result_or_a_named_problem(kind, tmp_path):
    @settings(
        max_examples=FEW.get(kind.name, 40), derandomize=True, deadline=None, database=None,
        suppress_health_check=list(HealthCheck), phases=[Phase.generate, Phase.shrink],
    )  # fmt: skip
    @given(random=st.randoms(use_true_random=False))
    def attempt(random: Random) -> None:
        folder = tmp_path / uuid.uuid4().hex
        folder.mkdir()
        try:
            with within(kinds.SECONDS):
                kind.attempt(random, folder)
        except OodexpError as error:
            if not 0 < len(str(error)) <= LONGEST:
                raise AssertionError("a message that nobody can read") from error
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    attempt()


def test_the_same_seeds_come_to_the_same(tmp_path):
    few = [kind for kind in KINDS if kind.name.startswith(("annotations: coco", "files: labels"))]
    first, second = campaign(few, 30), campaign(few, 30)
    assert {n: (t.right, t.named) for n, t in first.items()} == {
        n: (t.right, t.named) for n, t in second.items()
    }
    assert all(tally.right and tally.named for tally in first.values())
    assert sum(tally.inputs for tally in first.values()) in range(28, 33)


def broken(random: Random, folder: Path) -> kinds.Result:
    raise ValueError("as any fault")


def endless(random: Random, folder: Path) -> kinds.Result:
    while True:
        try:
            time.sleep(0.01)
        except Exception:
            continue


def wordy(random: Random, folder: Path) -> kinds.Result:
    raise OodexpError("x" * (LONGEST + 1))


def silent(random: Random, folder: Path) -> kinds.Result:
    raise OodexpError("")


@pytest.mark.parametrize("attempt", [broken, endless, wordy, silent])
def test_a_fault_is_seen(tmp_path, monkeypatch, attempt):
    monkeypatch.setattr(kinds, "SECONDS", 1)
    tally = Tally()
    run(Kind("a kind", attempt), 7, tmp_path / "input", tally)
    assert (tally.right, tally.named, [seed for seed, _ in tally.faults]) == (0, 0, [7])


def test_a_named_error_and_a_right_result_are_counted(tmp_path):
    def named(random: Random, folder: Path) -> kinds.Result:
        raise OodexpError("f.json: not JSON")

    tally = Tally()
    run(Kind("a kind", named), 0, tmp_path / "a", tally)
    run(Kind("a kind", lambda *_: "right"), 0, tmp_path / "b", tally)
    assert (tally.right, tally.named, tally.faults) == (1, 1, [])
