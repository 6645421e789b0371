"""Requests a second of the client for served VLMs, and its processor time a request.

A local server (`growth_server`) answers after 1 s; so N questions in flight could be N requests a
second. Ours is the whole of asking: an image read and encoded, the request, the ledger before and
after it, the reply on disk. `rate_N` is measured from the first question to the last with N in
flight, of so many questions that N are in flight for 20 s; `cpu_ms_N` is the client's processor
time a request, the server's not counted. Both run on this machine and share its cores.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.growth_world import make
from benchmarks.timing import show

FLIGHTS = (100, 500)
SECONDS = 1.0
TURNS = 20


def main() -> None:
    """Asks with each number in flight."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures here")
    target = parser.parse_args().json
    rows: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="oodexp-api-") as name:
        for flight in FLIGHTS:
            rows |= measure(Path(name) / str(flight), flight)
    show("Asking a served VLM that answers after 1 s", rows, "rate in requests a second")
    if target:
        target.write_text(json.dumps(rows, indent=1) + "\n")


def measure(folder: Path, flight: int) -> dict[str, float]:
    """Rate and processor time with so many questions in flight.

    Args:
        folder: For what is written.
        flight: Most questions in flight.
    """
    make(folder, flight * TURNS)
    server = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.growth_server", str(SECONDS)],
        cwd=Path(__file__).resolve().parents[1], stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert server.stdout is not None
        wall, cpu, asked = _ask(folder, f"http://127.0.0.1:{int(server.stdout.readline())}", flight)
    finally:
        server.terminate()
        server.wait()
    return {f"rate_{flight}": asked / wall, f"cpu_ms_{flight}": 1000 * cpu / asked}


def _ask(folder: Path, address: str, flight: int) -> tuple[float, float, int]:
    """Wall and processor seconds, and number of questions."""
    import pandas as pd

    from oodexp import table
    from oodexp.predict.answering import answer
    from oodexp.predict.content import scan
    from oodexp.predict.loop import Loop
    from oodexp.predict.store import Store
    from oodexp.question.base import Known
    from oodexp.question.existence import Existence
    from oodexp.record import Membership
    from oodexp.source.coco import Coco
    from oodexp.vlm.openai_api import OpenAIApi

    source = Coco(str(folder / "annotations.json"), str(folder / "images"), "coco")
    pairs = source.pairs()
    members = pairs[["source", "image_id", "category"]].assign(
        present=True, split="ID", flags=0, scorers=1, drawn=True, reason=None
    )
    templates = {"present": "Does this image contain a {}?", "absent": "Is there no {} in it?"}
    known = Known(table.check(Membership, pd.DataFrame(members)), pairs, [])
    questions = Existence(templates).ask(known)
    images = scan(source.images(), source.read).images
    vlm: Any = OpenAIApi("stub", f"{address}/v1", concurrency=flight)
    loop, store = Loop("cpu", progress=False), Store(str(folder / "store"))
    import oodexp.predict.module  # noqa: F401 - Lightning, imported at the first loop else

    start, before = time.perf_counter(), time.process_time()
    done = answer("stub", vlm, questions, images, source.read, store, loop)
    wall, cpu = time.perf_counter() - start, time.process_time() - before
    assert (done.completions["status"] == "ok").all()
    return wall, cpu, done.asked_questions


if __name__ == "__main__":
    main()
