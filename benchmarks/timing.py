"""Wall time, CPU time and peak memory of a command or a call."""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table


class Cost(NamedTuple):
    """What something took."""

    wall: float
    """Seconds by the clock; on a shared machine look at `cpu`."""
    cpu: float
    """Seconds of processor time, user and system, of all threads and children."""
    memory: float
    """Peak resident memory in GB (10^9 bytes) of the largest process; NaN for a call."""
    status: int
    """Exit status; 0 for a call."""


def of_command(arguments: list[str], log: Path) -> Cost:
    """Runs a command to its end, its output into a file.

    Args:
        arguments: Program and arguments.
        log: File that its output goes to.
    """
    start = time.perf_counter()
    with log.open("w") as sink:
        process = subprocess.Popen(arguments, stdout=sink, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - start
    unit = 1 if sys.platform == "darwin" else 1024
    memory = usage.ru_maxrss * unit / 1e9
    return Cost(wall, usage.ru_utime + usage.ru_stime, memory, process.returncode)


def of_call(call: Callable[[], object]) -> Cost:
    """Calls a function once."""
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF)
    call()
    after = resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(time.perf_counter() - start, cpu, float("nan"), 0)


def show(title: str, rows: Mapping[str, float], notes: str) -> None:
    """Prints figures as a table.

    Args:
        title: Of the table.
        rows: Figures by name.
        notes: Line below the table.
    """
    table = Table(title=title, caption=notes, title_justify="left", caption_justify="left")
    table.add_column("figure")
    table.add_column("value", justify="right")
    for name, value in rows.items():
        table.add_row(name, f"{value:,.3g}" if value < 1000 else f"{value:,.0f}")
    Console().print(table)


def publish(title: str, rows: Mapping[str, float], notes: str, description: str) -> None:
    """Prints figures as a table; with `--json FILE` on the command line writes them, too.

    Args:
        title: Of the table.
        rows: Figures by name.
        notes: Line below the table.
        description: For `--help`.
    """
    show(title, rows, notes)
    target = json_file(description)
    if target is not None:
        target.write_text(json.dumps(dict(rows), indent=1) + "\n")


def json_file(description: str) -> Path | None:
    """The file of `--json FILE`, if it was given."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures here")
    found: Path | None = parser.parse_args().json
    return found
