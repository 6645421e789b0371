"""Pages of this machine are seen on this machine only."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MAKEFILE = (ROOT / "Makefile").read_text("utf-8").replace("\\\n", " ")
LOOPBACK = "0100007F"  # 127.0.0.1, as the kernel writes it


@pytest.mark.parametrize("server", ["mlflow ui", "optuna-dashboard --"])
def test_every_page_of_the_makefile_is_bound_to_this_machine(server):
    lines = [line for line in MAKEFILE.splitlines() if f"$(BIN)/{server}" in line]
    assert lines
    assert all(re.search(r"--host 127\.0\.0\.1( |$)", line) for line in lines)


def test_no_source_listens_on_all_addresses():
    for file in [
        *(ROOT / "oodexp").rglob("*.py"),
        ROOT / "Makefile",
        *(ROOT / "conf").rglob("*.yaml"),
    ]:
        text = file.read_text("utf-8")
        assert not re.search(r"0\.0\.0\.0|host=[\"']{2}|\(\"\", ?\w*port|INADDR_ANY", text), file


def free_port() -> int:
    with socket.socket() as mine:
        mine.bind(("127.0.0.1", 0))
        return int(mine.getsockname()[1])


def listening(port: int) -> Iterator[str]:
    """Addresses on which somebody listens at a port, as the kernel writes them."""
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            address, _, at = line.split()[1].rpartition(":")
            if int(at, 16) == port and line.split()[3] == "0A":
                yield address


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/net/tcp").is_file(), reason="no /proc")
def test_the_page_of_mlflow_is_not_seen_from_outside(tmp_path):
    (tmp_path / "mlruns").mkdir()
    port = free_port()
    page = subprocess.Popen(
        ["make", "-C", str(ROOT), "ui", f"PORT={port}", f"RUNS={tmp_path}/mlruns"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    try:
        found: list[str] = []
        until = time.monotonic() + 120
        while not found and time.monotonic() < until and page.poll() is None:
            time.sleep(0.5)
            found = list(listening(port))
        assert found
        assert set(found) == {LOOPBACK}
    finally:
        os.killpg(page.pid, signal.SIGTERM)
        page.wait(60)
