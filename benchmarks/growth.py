"""How time and memory grow with the questions: 10^4, 10^5, 10^6, on up to 200,000 images.

`python -m oodexp.run experiment=main` as a user starts it, from image files to the report page and
MLflow, with models that answer at once (`growth_stub`), so that all that is measured is our own.
Images are real files (`growth_world`), small ones: decoding large ones costs the same at every size
and belongs to the models' side. All pairs are drawn (`division.cap=null`): every question counts in
the metrics. Each size is a process of its own; `peak_gb` is the largest sum of resident memory of
the process and all that it started, sampled, or the kernel's own peak where that is more.

`memory_ratio` is the peak at 10^6 questions over that at 10^5; target: <= 1.5. `overhead` is the
share of a run that store and tracking take where a question takes the model 20 ms (see
`growth_overhead`); target: <= 0.05. `--figure FILE.png` draws the curve.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

from benchmarks.growth_figure import draw
from benchmarks.growth_overhead import overhead
from benchmarks.growth_world import make
from benchmarks.timing import show
from benchmarks.tree import Watched, watched

ROOT = Path(__file__).resolve().parents[1]
SIZES = (10_000, 100_000, 1_000_000)
PARTS = (
    "scorer=[growth_one,growth_two]", "vlm=[growth]", "division.cap=null",
    "division.id_size=all", "predict.accelerator=cpu", "predict.progress=false",
)  # fmt: skip


def main() -> None:
    """Measures each size, then the overhead."""
    options = _options()
    rows: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="oodexp-growth-", dir=options.folder) as name:
        folder = Path(name)
        for questions in options.sizes:
            cost = run(folder / str(questions), questions)
            kept = {k: v for k, v in cost._asdict().items() if k != "status"}
            rows |= {f"{what}_{questions}": value for what, value in kept.items()}
        if not options.no_overhead:
            rows |= overhead(folder / "overhead", command)
    first, last = (rows.get(f"peak_gb_{n}") for n in SIZES[1:])
    if first and last:
        rows["memory_ratio"] = last / first
    show("Growth of experiment=main with models that take no time", rows, "GB are 10^9 bytes")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")
    if options.figure:
        draw(rows, options.figure)


def run(folder: Path, questions: int) -> Watched:
    """Makes a data set, runs the main line on it, and takes both away again.

    Args:
        folder: Where to.
        questions: Their number.
    """
    import shutil

    make(folder, questions)
    log = folder / "log"
    cost = watched(command(folder), log, ROOT)
    if cost.status != 0:
        sys.exit(log.read_text()[-3000:])
    shutil.rmtree(folder)
    return cost


def command(folder: Path, *settings: str) -> list[str]:
    """The command line of a run on a data set of `growth_world`.

    Args:
        folder: The data set; `runs/` below it gets the run.
        settings: More settings.
    """
    return [
        sys.executable, "-m", "oodexp.run", "experiment=main", "source=coco",
        f"source.coco.images={folder}/images",
        f"source.coco.annotations={folder}/annotations.json", *PARTS, f"paths.runs={folder}/runs",
        *settings, "--config-dir", str(ROOT / "benchmarks/growth_conf"),
    ]  # fmt: skip


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures here")
    parser.add_argument("--figure", type=Path, metavar="FILE", help="draw the curve")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="numbers of questions")
    parser.add_argument("--no-overhead", action="store_true", help="leave out the overhead")
    parser.add_argument("--folder", default=None, help="for 2 GB of files, removed at the end")
    found = parser.parse_args()
    os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"
    return found


if __name__ == "__main__":
    main()
