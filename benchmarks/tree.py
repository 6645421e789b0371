"""A command and all that it starts: time, processor time, and memory of all together."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from pathlib import Path
from typing import NamedTuple

EVERY = 0.1
"""Seconds between two looks."""


class Watched(NamedTuple):
    """What a command took."""

    wall_seconds: float
    """By the clock."""
    cpu_seconds: float
    """Of all processes, user and system."""
    peak_gb: float
    """Resident memory of all processes together, in 10^9 bytes."""
    status: int
    """Exit status."""


def watched(arguments: list[str], log: Path, folder: Path) -> Watched:
    """Runs a command to its end.

    Args:
        arguments: Program and arguments.
        log: File that its output goes to.
        folder: Where it runs.
    """
    start = time.perf_counter()
    with log.open("w") as sink:
        process = subprocess.Popen(arguments, stdout=sink, stderr=subprocess.STDOUT, cwd=folder)
        peak, ended = [0], threading.Event()
        looker = threading.Thread(target=_look, args=(process.pid, peak, ended), daemon=True)
        looker.start()
        _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    ended.set()
    looker.join()
    process.returncode = os.waitstatus_to_exitcode(status)
    most = max(peak[0], usage.ru_maxrss * 1024)
    return Watched(wall, usage.ru_utime + usage.ru_stime, most / 1e9, process.returncode)


def resident(root: int) -> int:
    """Bytes in memory of a process and all below it; pages that they share count in each."""
    below: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and (stat := _read(entry / "stat")):
            parent = int(stat.rpartition(")")[2].split()[1])
            below.setdefault(parent, []).append(int(entry.name))
    total, left = 0, [root]
    while left:
        one = left.pop()
        left += below.get(one, [])
        held = _read(Path(f"/proc/{one}/statm")).split()
        total += int(held[1]) * os.sysconf("SC_PAGE_SIZE") if held else 0
    return total


def _look(root: int, peak: list[int], ended: threading.Event) -> None:
    while not ended.wait(EVERY):
        peak[0] = max(peak[0], resident(root))


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:  # it has ended
        return ""
