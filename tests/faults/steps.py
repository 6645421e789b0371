"""What a run does with the files below its runs folder, counted: a moment that can be met again."""

from __future__ import annotations

import atexit
import os
import sys
from pathlib import Path
from typing import Any

STEPS = ("open", "os.rename", "os.remove", "os.mkdir", "fcntl.flock", "sqlite3.connect",
         "socket.connect", "http.client.connect", "tempfile.mkdtemp")  # fmt: skip
"""Audit events of Python that are a step, if they name no file or one below the runs folder."""


class Steps:
    """Counts what this process does with files below a folder."""

    def __init__(self, folder: str, step: int, sign: int, out: Path) -> None:
        self._folder, self._step, self._sign = folder, step, sign
        self._mark = str(out.with_suffix(".mark"))
        self._sum = str(out.with_suffix(".steps"))
        self._count = 0

    def count(self) -> None:
        """Begins to count; the sum is kept when the process ends."""
        sys.addaudithook(self._hook)
        atexit.register(self._keep)

    def _hook(self, event: str, args: tuple[Any, ...]) -> None:
        if event not in STEPS:
            return
        if event in ("open", "os.rename", "os.remove", "os.mkdir"):
            try:
                name = os.fspath(args[0])
            except TypeError:
                return
            if isinstance(name, bytes) or not name.startswith(self._folder):
                return
        self._count += 1
        if self._count == self._step:
            os.close(os.open(self._mark, os.O_WRONLY | os.O_CREAT))
            if self._sign:
                os.kill(os.getpid(), self._sign)

    def _keep(self) -> None:
        with open(self._sum, "w") as file:  # noqa: PTH123 - a path of its own would count
            file.write("\n".join([str(self._count), *sys.modules]))
