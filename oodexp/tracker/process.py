"""Whether the process that opened a run is still there."""

from __future__ import annotations

import getpass
import os
import platform
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

HOST, PID, STARTED = "oodexp.host", "oodexp.pid", "oodexp.pid_started"
"""Tags of a run that name its process."""


@dataclass(frozen=True, slots=True)
class Process:
    """A process, told apart from a later one that was given the same number."""

    host: str
    """Name of the machine."""
    pid: int
    """Its number on that machine."""
    started: str
    """Mark of its start (boot and clock ticks since, or the date); empty when unknown."""

    def tags(self) -> dict[str, str]:
        """The process as tags of a run."""
        return {HOST: self.host, PID: str(self.pid), STARTED: self.started}


def current() -> Process:
    """This process."""
    return Process(platform.node(), os.getpid(), _start(os.getpid()) or "")


def user() -> str:
    """Name of the person at this machine, or `unknown`."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "unknown"


def owner(tags: Mapping[str, str]) -> Process | None:
    """The process that a run's tags name; None when they name none, or not legibly."""
    pid = tags.get(PID, "")
    if HOST not in tags or not pid.isdecimal():
        return None
    return Process(tags[HOST], int(pid), tags.get(STARTED, ""))


def is_here(process: Process | None) -> bool:
    """Whether the process is, or was, one of this machine's."""
    return process is not None and process.host == platform.node()


def is_dead(process: Process | None) -> bool:
    """Whether the process is known to have ended.

    False for an unknown process and for another machine's: from here it cannot be known.
    """
    if process is None or not is_here(process):
        return False
    start = _start(process.pid)
    return start is None or (process.started != "" and start != process.started)


def _start(pid: int) -> str | None:
    """Mark of a living process's start; None when no such process lives."""
    if Path("/proc/self/stat").exists():
        return _start_from_proc(pid)
    return _start_from_ps(pid)


def _start_from_proc(pid: int) -> str | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return None
    # The command stands in brackets and may hold brackets and blanks itself.
    fields = stat.rpartition(")")[2].split()
    state, ticks = fields[0], fields[19]
    return None if state in "ZX" else f"{boot}/{ticks}"


def _start_from_ps(pid: int) -> str | None:
    clock = {**os.environ, "LC_ALL": "C", "TZ": "UTC"}
    call = ["ps", "-p", str(pid), "-o", "stat=", "-o", "lstart="]
    reply = subprocess.run(call, env=clock, capture_output=True, text=True, check=False).stdout
    state, _, date = reply.strip().partition(" ")
    return None if not state or state.startswith("Z") else " ".join(date.split())
