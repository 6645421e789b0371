"""Programs of others that oodexp works with, as they are: started here, ended here."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.peers.postgres import Postgres
from tests.peers.server import BIN, Server

ROOT = Path(__file__).resolve().parents[2]

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    made = Postgres()
    try:
        made.start()
        yield made
    finally:
        made.remove()


@pytest.fixture
def mlflow_server(tmp_path: Path) -> Iterator[Callable[[str], Server]]:
    """Makes a server, not started yet, that keeps runs in the database of an address."""
    made: list[Server] = []

    def make(database: str) -> Server:
        command = [
            str(BIN / "mlflow"), "server", "--host", "127.0.0.1", "--port", "{port}", "--workers",
            "2", "--backend-store-uri", database, "--artifacts-destination",
            str(tmp_path / "artifacts"),
        ]  # fmt: skip
        quiet = {"MLFLOW_DISABLE_TELEMETRY": "true", "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"}
        made.append(Server(command, tmp_path / "server.log", **quiet))
        return made[-1]

    yield make
    for server in made:
        server.end(signal.SIGKILL)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a program of this folder; what still runs in the end is killed."""
    begun: list[subprocess.Popen[str]] = []

    def begin(program: str, *arguments: object) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", f"tests.peers.{program}", *map(str, arguments)]
        begun.append(subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True))
        return begun[-1]

    yield begin
    for process in begun:
        process.kill()
        with suppress(ValueError):  # it was read to its end already
            process.communicate()
