"""A program that serves HTTP: started, asked whether it is up, ended."""

from __future__ import annotations

import os
import signal
import subprocess
import urllib.error
import urllib.request
from pathlib import Path
from sys import executable

from tests.peers.port import free_port, until

BIN = Path(executable).parent
"""Where the programs of the packages of this environment lie."""


class Server:
    """A program that can be ended and started again on the same port.

    Args:
        command: What is started; `{port}` stands for the port.
        log: Where its output goes.
        environment: Variables beside those of this process.
    """

    def __init__(self, command: list[str], log: Path, **environment: str) -> None:
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self._command = [word.replace("{port}", str(self.port)) for word in command]
        self._log, self._environment = log, os.environ | environment
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command, stdout=log, stderr=log, env=self._environment,
                start_new_session=True,
            )  # fmt: skip
        until(self._answers, f"{self._command[:2]} answers")

    def end(self, by: signal.Signals = signal.SIGTERM) -> None:
        """Ends it and all processes that it started."""
        if self._process is not None:
            os.killpg(self._process.pid, by)
            self._process.wait(60)
            self._process = None
            until(lambda: not self._listens(), "nobody listens any more")

    def _answers(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, self._log.read_text()[-2000:]
        return self._listens()

    def _listens(self) -> bool:
        try:
            urllib.request.urlopen(f"{self.address}/health", timeout=2).close()
        except (urllib.error.URLError, OSError):
            return False
        return True
