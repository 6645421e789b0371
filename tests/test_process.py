"""Settling in: what `oodexp.process.settle` does to a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

FAULTS = """
import resource, sys
import numpy as np
from oodexp.process import settle
if sys.argv[1] == "settled":
    settle()
np.ones(8_000_000)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(20):
    np.ones(8_000_000)  # 64 MB, freed at once
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def in_a_process(program: str, *arguments: str, **environment: str) -> str:
    clean = {k: v for k, v in os.environ.items() if k != "OMP_WAIT_POLICY"}
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        check=True, capture_output=True, text=True, env=clean | environment,
    ).stdout.strip()  # fmt: skip


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's malloc")
def test_freed_memory_is_used_again_without_new_pages():
    assert int(in_a_process(FAULTS, "settled")) < int(in_a_process(FAULTS, "as it is")) / 10


@pytest.mark.parametrize(("given", "kept"), [({}, "passive"), ({"OMP_WAIT_POLICY": "ac"}, "ac")])
def test_waiting_threads_sleep_unless_the_environment_says_otherwise(given, kept):
    program = "import os; from oodexp.process import settle; settle(); "
    assert in_a_process(program + "print(os.environ['OMP_WAIT_POLICY'])", **given) == kept
