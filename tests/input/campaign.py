"""Puts thousands of inputs with mistakes to the program and prints what came of each kind.

    python -m tests.input.campaign --inputs 10000

Exit status 1 if an input came to neither a right result nor a named problem.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
import warnings
from pathlib import Path

from oodexp.report.layout import console, grid
from oodexp.text import printable
from tests.input import annotations, files, images, served, settings, texts
from tests.input.kind import Kind, Tally, run

KINDS: list[Kind] = [
    kind for group in (annotations, files, images, texts, served, settings) for kind in group.KINDS
]


def campaign(kinds: list[Kind], inputs: int, start: int = 0) -> dict[str, Tally]:
    """Tries about so many inputs, in proportion to the shares of the kinds."""
    whole = sum(kind.share for kind in kinds)
    tallies = {kind.name: Tally() for kind in kinds}
    home = Path(tempfile.mkdtemp(prefix="oodexp-campaign-"))
    try:
        for kind in kinds:
            for seed in range(start, start + max(1, round(inputs * kind.share / whole))):
                folder = home / "input"
                run(kind, seed, folder, tallies[kind.name])
                shutil.rmtree(folder, ignore_errors=True)
    finally:
        shutil.rmtree(home, ignore_errors=True)
    return tallies


def short(fault: str) -> str:
    """The end of a traceback."""
    lines = fault.splitlines()
    return printable("\n".join(line[:300] for line in lines[-9:]))


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--inputs", type=int, default=10_000)
    parser.add_argument("--start", type=int, default=0, help="first seed")
    parser.add_argument("--kind", default="", help="only kinds whose name holds this")
    parser.add_argument("--show", type=int, default=1, help="tracebacks of a kind that are shown")
    asked = parser.parse_args()
    warnings.simplefilter("error")
    warnings.filterwarnings("ignore", category=DeprecationWarning)
    kinds = [kind for kind in KINDS if asked.kind in kind.name]
    begun = time.monotonic()
    tallies = campaign(kinds, asked.inputs, asked.start)
    table = grid(
        f"Inputs with mistakes, {time.monotonic() - begun:.0f} s",
        ("kind of input", "inputs", "right result", "named problem", "traceback or hang"), 1,
    )  # fmt: skip
    total = Tally()
    for name, tally in tallies.items():
        for seed, fault in tally.faults[: asked.show]:
            sys.stdout.write(f"--- {name}, seed {seed}\n{short(fault)}\n")
        table.add_row(name, *map(str, (tally.inputs, tally.right, tally.named, len(tally.faults))))
        total.right += tally.right
        total.named += tally.named
        total.faults += tally.faults
    table.add_section()
    table.add_row("all", *map(str, (total.inputs, total.right, total.named, len(total.faults))))
    console().print(table)
    sys.exit(bool(total.faults))


if __name__ == "__main__":
    main()
