"""One run of one side in a process of its own: what it is asked, what it says."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class Task:
    """The work of a run; both sides get the same."""

    side: str
    """`oodexp`, `clip_benchmark` or `readme`."""
    images: str
    """Folder with one folder of images."""
    weights: list[str]
    """Checkpoints; one model each."""
    names: list[str]
    """Category names."""
    dtype: str
    """`float32` or `bfloat16`."""
    threads: int
    """Threads of torch."""
    workers: int = 0
    """Processes that decode."""
    batch: int = 64
    """Images at once."""
    store: str = ""
    """Folder of the store (oodexp)."""
    what: str = "score"
    """`score`, or `divide` for nine divisions of stored scores (oodexp)."""
    log: str = ""
    """File that gets a byte for each batch that is begun (oodexp)."""


class Told(NamedTuple):
    """What a run says."""

    cpu: float
    """Processor seconds of the work, its children's too, loading and first batch left out."""
    wall: float
    """Seconds by the clock of the same."""
    start: float
    """Processor seconds before it: imports, loading, a first batch."""
    memory: float
    """Peak resident memory in GB, of the largest process."""
    cosines: np.ndarray
    """(model, image, category)."""
    scored: int
    """Images that a model was run on."""


@dataclass(slots=True)
class Sides:
    """Starts runs.

    Args:
        folder: For what the runs write.
        python: Interpreter of each side.
    """

    folder: Path
    python: dict[str, str] = field(default_factory=dict)

    def run(self, task: Task) -> Told:
        """Runs a task to its end.

        Raises:
            RuntimeError: With the end of its output, if it fails.
        """
        with tempfile.TemporaryDirectory(dir=self.folder) as scratch:
            process = self.start(task, Path(scratch))
            output, _ = process.communicate()
            if process.returncode:
                raise RuntimeError(f"{task.side}: {output.decode(errors='replace')[-3000:]}")
            said = json.loads((Path(scratch) / "said.json").read_text())
            return Told(**said, cosines=np.load(Path(scratch) / "cosines.npy"))

    def start(self, task: Task, scratch: Path) -> subprocess.Popen[bytes]:
        """Starts a task and does not wait for it."""
        scratch.mkdir(parents=True, exist_ok=True)
        (scratch / "task.json").write_text(json.dumps(asdict(task)))
        python = self.python.get(task.side, sys.executable)
        command = [python, "-W", "ignore", "-m", "benchmarks.side", str(scratch)]
        return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def read(scratch: Path) -> Task:
    """The task that a process was given."""
    return Task(**json.loads((scratch / "task.json").read_text()))


def say(
    scratch: Path, cost: Sequence[float], start: float, memory: float, cosines: np.ndarray,
    scored: int,
) -> None:  # fmt: skip
    """Writes what `Sides.run` reads."""
    np.save(scratch / "cosines.npy", cosines)
    cpu, wall = cost
    said = {"cpu": cpu, "wall": wall, "start": start, "memory": memory, "scored": scored}
    (scratch / "said.json").write_text(json.dumps(said))
