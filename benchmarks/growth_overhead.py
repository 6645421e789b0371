"""What store and tracking take of a run whose model takes 20 ms a question.

Both sides ask one stub the same 2,500 questions about the same 500 images in the same batches; it
sleeps 20 ms a question, as a process does that waits for a GPU. The bare loop reads and decodes
each image once a batch, asks, and keeps nothing. Ours is the stage `ask` of a real run (what is
known and what is missing, the predict loop, a shard a batch, the completions read back, checked,
kept as a table and an artifact) and every other call of the tracker in that run but the first,
which imports MLflow and makes its database: `overhead_open_seconds`, once a run, whatever its size.
Runs are made in turn. `overhead` = 1 - bare / ours, by the clock: a disk that is waited for is part
of it. `overhead_whole` sets the whole command beside the same bare loop: start, scoring, metrics,
report page of so short a run.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.growth_stub import Vlm
from benchmarks.growth_tracker import OPEN
from benchmarks.growth_world import make
from benchmarks.tree import watched

QUESTIONS = 2500
SECONDS = 0.02
BATCH = 64
PAIRS = 3
WITHIN = "within ask"
IN_ASK = ("questions", "completions", "fingerprints/growth.json")
"""Calls of the tracker whose time the stage `ask` holds already."""


def overhead(folder: Path, command: Callable[..., list[str]]) -> dict[str, float]:
    """Runs both sides in turn.

    Args:
        folder: For what they write.
        command: Gives the command line of a run on a data set, with more settings.
    """
    make(folder, QUESTIONS)
    shares, wholes, bares, opens = [], [], [], []
    for n in range(PAIRS):
        told = folder / f"told-{n}.json"
        settings = (
            f"vlm.growth.seconds={SECONDS}", "tracker=growth", f"tracker.told={told}",
            f"paths.runs={folder}/runs-{n}",
        )  # fmt: skip
        log = folder / "log"
        cost = watched(command(folder, *settings), log, Path(__file__).resolve().parents[1])
        if cost.status != 0:
            sys.exit(log.read_text()[-3000:])
        bare = _bare(folder)
        said = json.loads(told.read_text())
        took = {OPEN: 0.0, WITHIN: 0.0, "": 0.0}
        for call in said["calls"]:
            name = WITHIN if call["call"] in IN_ASK else OPEN if call["call"] == OPEN else ""
            took[name] += call["seconds"]
        ours = said["ask"] + took[""]
        bares.append(bare)
        opens.append(took[OPEN])
        shares.append(1 - bare / ours)
        wholes.append(1 - bare / cost.wall_seconds)
    return {
        "overhead_open_seconds": statistics.median(opens),
        "overhead": statistics.median(shares),
        "overhead_most": max(shares),
        "overhead_whole": statistics.median(wholes),
        "overhead_bare_seconds": statistics.median(bares),
    }


def _bare(folder: Path) -> float:
    """Seconds that the questions take without anything around them."""
    from oodexp.pixel import decode

    document = json.loads((folder / "annotations.json").read_text())
    names = {c["id"]: c["name"] for c in document["categories"]}
    files = {i["id"]: folder / "images" / i["file_name"] for i in document["images"]}
    asked = [
        (note["image_id"], f"Does this image {word} a {names[note['category_id']]}? (yes or no)")
        for note in document["annotations"]
        for word in ("contain", "not contain")
    ]
    vlm, start = Vlm(SECONDS), time.perf_counter()
    for at in range(0, len(asked), BATCH):
        some = asked[at : at + BATCH]
        images = {i: decode(files[i].read_bytes()) for i in dict.fromkeys(i for i, _ in some)}
        vlm.complete([images[i] for i, _ in some], [prompt for _, prompt in some])
    return time.perf_counter() - start
