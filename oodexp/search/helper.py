"""More processes with the command line of this one."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

HELPER = "OODEXP_SEARCH_HELPER"
"""Set for a helper process: when the command that started it began, in seconds since 1970."""


class Helpers:
    """Processes with the command line of this one.

    A helper runs the whole command, in a tracked run of its own, and finds the work of the
    others in the study. Its output is kept in a file beside the lock files.
    """

    def __init__(self, count: int) -> None:
        self.since = float(os.environ.get(HELPER) or time.time())
        self._count = 0 if HELPER in os.environ else count
        self._started: list[tuple[subprocess.Popen[bytes], Path]] = []

    def start(self, folder: Path) -> None:
        """Starts them, the first time it is called."""
        for n in range(self._count):
            said = folder / f"helper-{os.getpid()}-{n}.txt"
            said.parent.mkdir(parents=True, exist_ok=True)
            with said.open("wb") as output:
                self._started.append((self._process(output), said))
        self._count = 0

    def join(self) -> list[str]:
        """Waits for them; one line for each that failed."""
        ended = [(process.wait(), said) for process, said in self._started]
        self._started.clear()
        return [f"a helper process ended with status {s}; see {said}" for s, said in ended if s]

    def _process(self, output: IO[bytes]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, *sys.orig_argv[1:]],
            env={**os.environ, HELPER: repr(self.since)},
            stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
        )  # fmt: skip
