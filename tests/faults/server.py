"""A real MLflow server that can be stopped, and started again."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

LONGEST = 240.0
"""Seconds after which a server has not come up."""


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


class Server:
    """A real `mlflow server` that can be stopped and started again.

    Args:
        root: Where its database and files lie.
    """

    def __init__(self, root: Path) -> None:
        self.root, self.port = root, free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.root.mkdir(parents=True)
        self._process: subprocess.Popen[bytes] | None = None

    def go_on(self) -> None:
        """Starts it, or lets it go on; waits until it answers."""
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGCONT)
        else:
            self._process = self._started()
        end = time.monotonic() + LONGEST
        while not self._answers() and time.monotonic() < end:
            time.sleep(0.1)

    def pause(self) -> None:
        """Lets it answer no more, its connections open."""
        assert self._process is not None
        os.killpg(self._process.pid, signal.SIGSTOP)

    def stop(self) -> None:
        """Ends it at once."""
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None

    def _started(self) -> subprocess.Popen[bytes]:
        call = [sys.executable, "-m", "mlflow", "server", "--host", "127.0.0.1", "--port",
                str(self.port), "--workers", "1", "--backend-store-uri",
                f"sqlite:///{self.root}/mlflow.db", "--artifacts-destination",
                str(self.root / "artifacts")]  # fmt: skip
        env = {**os.environ, "MLFLOW_DISABLE_TELEMETRY": "true",
               "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"}  # fmt: skip
        with (self.root / "server.txt").open("ab") as said:
            return subprocess.Popen(
                call, env=env, stdout=said, stderr=said, start_new_session=True
            )  # fmt: skip

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/health", timeout=2) as reply:
                return bool(reply.status == 200)
        except OSError:
            return False
