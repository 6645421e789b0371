"""A PostgreSQL server of the tests: its own files, its own port, nothing of it left behind."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.peers.port import free_port, until

USER = "oodexp"
PROGRAMS = "postgres", "initdb", "createdb", "pg_isready"
PACKAGED = "/usr/lib/postgresql"
"""Where Debian keeps the programs, a folder a version; they are not on the path."""


class Postgres:
    """A cluster in a temporary folder."""

    def __init__(self) -> None:
        self._programs = _programs()
        self._as = _unprivileged()
        self.port = free_port()
        self._folder = Path(tempfile.mkdtemp(prefix="oodexp-postgres-"))
        if self._as:
            shutil.chown(self._folder, self._as["user"], self._as["group"])
        self._data = self._folder / "data"
        self._server: subprocess.Popen[bytes] | None = None
        self._run("initdb", "-D", self._data, "-U", USER, "--auth=trust", "-E", "UTF8", "-N")

    def url(self, database: str = "postgres") -> str:
        return f"postgresql+psycopg2://{USER}@127.0.0.1:{self.port}/{database}"

    def start(self) -> None:
        settings = ["fsync=off", "unix_socket_directories=", "listen_addresses=127.0.0.1"]
        options = [word for setting in settings for word in ("-c", setting)]
        with (self._folder / "log").open("ab") as log:
            self._server = subprocess.Popen(
                [self._programs / "postgres", "-D", self._data, "-p", str(self.port), *options],
                stdout=log, stderr=log, cwd=self._folder, **self._as,
            )  # fmt: skip
        until(self._answers, "PostgreSQL answers")

    def stop(self) -> None:
        """Ends it as its service is ended: every connection is cut off, what is committed stays."""
        if self._server is not None:
            self._server.send_signal(signal.SIGINT)
            self._server.wait(60)
            self._server = None

    def make(self, database: str) -> str:
        """A new empty database; its address."""
        self._run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", USER, database)
        return self.url(database)

    def rows(self, database: str, query: str) -> list[tuple[Any, ...]]:
        """What a query gives, asked with no library of ours in between."""
        import psycopg2

        connection = psycopg2.connect(self.url(database).replace("+psycopg2", ""))
        try:
            with connection.cursor() as cursor:
                cursor.execute(query)
                return cursor.fetchall()
        finally:
            connection.close()

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self._folder)

    def _answers(self) -> bool:
        assert self._server is not None
        assert self._server.poll() is None, (self._folder / "log").read_text()
        asked = [self._programs / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        return subprocess.run(asked, check=False).returncode == 0

    def _run(self, program: str, *arguments: str | Path) -> None:
        command = [self._programs / program, *arguments]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, cwd=self._folder, **self._as
        )
        assert done.returncode == 0, done.stderr


def _programs() -> Path:
    """The newest folder that holds all of the programs."""
    packaged = sorted(Path(PACKAGED).glob("*/bin"), key=lambda p: int(p.parent.name), reverse=True)
    on_path = shutil.which("initdb")
    for folder in ([Path(on_path).parent] if on_path else []) + packaged:
        if all((folder / name).exists() for name in PROGRAMS):
            return folder
    pytest.skip(f"PostgreSQL is not installed: {', '.join(PROGRAMS)}")


def _unprivileged() -> dict[str, Any]:
    """Whom to become: PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    name = next((n for n in ("postgres", "nobody") if n in known), None)
    if name is None:
        pytest.skip("PostgreSQL does not run as root, and there is nobody else here to run it")
    return {"user": name, "group": known[name].pw_gid, "extra_groups": []}
