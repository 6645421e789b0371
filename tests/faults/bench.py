"""Where trials are made: the warm processes, the place, the servers, and undisturbed runs."""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from tests.faults import kept
from tests.faults.fault import LONGEST
from tests.faults.line import LINES, Line
from tests.faults.place import Place
from tests.faults.server import Server, free_port
from tests.faults.warm import Forked, Warm
from tests.served.stub import Said, completion, question, serving

FAKETIME = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1")
RANKS = ("predict=slurm", "predict.workers=0")


@dataclass
class Whole:
    """What an undisturbed run of a line gave."""

    steps: int
    tables: dict[str, pa.Table | bytes]
    questions: set[str]
    """What a server was asked, by the keys of the store."""
    template: Path | None
    """What lies in the runs folder before a trial."""
    ranks: list[int] = field(default_factory=list)
    """Steps of each of two ranks."""


class Bench:
    """Makes runs of one line at a time.

    Args:
        root: A folder that is not there yet.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True)
        root.chmod(0o777)
        self.line: Line = LINES["main"]
        self._whole: dict[str, Whole] = {}
        self._stack = ExitStack()
        self._composed: set[tuple[bool, tuple[str, ...]]] = set()
        self._warm: dict[bool, Warm] = {}
        self._server: Server | None = None
        self._modules: list[str] = []
        self._before: set[str] = set()

    def __enter__(self) -> Bench:
        self.place = Place(self.root / "place")
        self.place.runs.parent.chmod(0o777)
        self._stack.callback(self.place.close)
        self.stub = self._stack.enter_context(serving(_reply))
        self._warm[False] = self._stack.enter_context(Warm())
        return self

    def __exit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.stop()
        self._stack.close()

    @property
    def server(self) -> Server:
        """The MLflow server; started when first asked for."""
        if self._server is None:
            self._server = Server(self.root / "server")
            self._server.go_on()
        return self._server

    def choose(self, name: str) -> None:
        """Puts everything as it is before a run of a line."""
        self.line = LINES[name]
        self._forget()
        if name not in self._whole:
            self._whole[name] = self._undisturbed(name)
        self.place.clear(self.whole.template)
        self._forget()

    @property
    def whole(self) -> Whole:
        """The undisturbed run of this line."""
        return self._whole[self.line.name]

    def steps(self) -> int:
        """Steps of an undisturbed run."""
        return self.whole.steps

    def steps_of_ranks(self) -> list[int]:
        """Steps of each of two ranks."""
        if not self.whole.ranks:
            runs = self.start_ranks()
            ended = [run.wait(LONGEST) for run in runs]
            assert ended == [0, 0], runs[0].said() + runs[1].said()
            self.whole.ranks = [_steps(run)[0] for run in runs]
            self.place.clear(self.whole.template)
            self._forget()
        return self.whole.ranks

    def start(
        self, *, step: int = 0, sign: int = 0, number: int = 0, clock: bool = False,
        environment: Mapping[str, str] | None = None, user: int | None = None,
        more: Sequence[str] = (),
    ) -> Forked:  # fmt: skip
        """Starts a run of the line (see `Warm.start`).

        Args:
            step: The step that leaves a mark.
            sign: The signal that it then sends to itself.
            number: Tells runs at the same time apart.
            clock: Whether its clock can be moved.
            environment: More variables.
            user: The user that it runs as.
            more: More words of the command line.
        """
        place = {"url": self.stub.url}
        if self.line.tracked == "server":
            place["mlflow"] = self.server.url
        words = [word.format(**place) for word in self.line.words]
        words = [*words, *more, f"paths.runs={self.place.runs}"]
        warm = self._get_warm(clock)
        if (clock, tuple(words)) not in self._composed:
            warm.ask({"do": "compose", "words": words})
            self._composed.add((clock, tuple(words)))
        out = self.root / f"out-{number}.txt"
        out.unlink(missing_ok=True)
        out.with_suffix(".steps").unlink(missing_ok=True)
        return warm.start(
            words, self.place.runs, out, step=step, sign=sign, environment=environment, user=user
        )

    def start_ranks(self, killed: int | None = None, step: int = 0) -> list[Forked]:
        """Starts the two processes of a run as torchrun does; one may die at a step."""
        common = {"WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1",
                  "MASTER_PORT": str(free_port()), "TORCHELASTIC_RUN_ID": "faults",
                  "GROUP_RANK": "0"}  # fmt: skip
        return [
            self.start(
                number=n, more=RANKS, environment={**common, "RANK": str(n), "LOCAL_RANK": str(n)},
                step=step if n == killed else 0, sign=9 if n == killed else 0,
            )
            for n in range(2)
        ]  # fmt: skip

    def again(self, ranks: bool) -> tuple[int | None, str]:
        """Starts the same command without a fault; how it ended, and what it said."""
        runs = self.start_ranks() if ranks else [self.start()]
        ended = [run.wait(LONGEST) for run in runs]
        for run in runs:
            run.kill()
        return ended[0] if ranks is False or ended[0] != 0 else ended[1], runs[0].said()

    def set_clock(self, jump: str) -> None:
        """Moves the clock of runs that were started for it."""
        scratch = self.root / "clock.new"
        scratch.write_text(jump + "\n")
        scratch.replace(self.root / "clock")

    def recorded(self) -> list[kept.Recorded]:
        """Tracked runs of this trial."""
        if self.line.tracked == "folder":
            return kept.in_folder(self.place.runs)
        home = self.server.root if self.line.tracked == "server" else self.place.runs
        found = kept.in_database(home / "mlflow.db", home / "artifacts")
        return [run for run in found if run.run_id not in self._before]

    def asked(self) -> Counter[str]:
        """How often each question has come since the trial began, by the keys of the store."""
        return Counter(map(kept.key, self.stub.bodies))

    def _forget(self) -> None:
        self._before = set()
        if self.line.tracked == "server":
            self._before = {run.run_id for run in self.recorded()}
        self.stub.bodies.clear()

    def _get_warm(self, clock: bool) -> Warm:
        if clock not in self._warm:
            self.set_clock("+0")
            faked = {
                "LD_PRELOAD": str(FAKETIME), "FAKETIME_NO_CACHE": "1", "NO_FAKE_STAT": "1",
                "FAKETIME_TIMESTAMP_FILE": str(self.root / "clock"),
                "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            }  # fmt: skip
            self._warm[clock] = self._stack.enter_context(Warm(faked))
            self._warm[clock].ask({"do": "import", "names": self._modules})
        return self._warm[clock]

    def _undisturbed(self, name: str) -> Whole:
        self.place.clear()
        template = self._filled() if self.line.filled else None
        self.place.clear(template)
        self._forget()
        self._whole[name] = Whole(0, {}, set(), template)
        run = self.start()
        assert run.wait(LONGEST) == 0, run.said()
        steps, modules = _steps(run)
        if not set(modules) <= set(self._modules):
            self._modules = list(dict.fromkeys([*self._modules, *modules]))
            self._warm[False].ask({"do": "import", "names": modules})
        (tables,) = (found.tables for found in self.recorded() if found.tables is not None)
        assert tables is not None
        return Whole(steps, kept.tables(tables), set(self.asked()), template)

    def _filled(self) -> Path:
        """A folder with the store of a run of the line."""
        run = self.start()
        assert run.wait(LONGEST) == 0, run.said()
        folder = self.root / "templates" / hashlib.sha256(self.line.name.encode()).hexdigest()[:8]
        shutil.copytree(self.place.runs / "store", folder / "store")
        return folder


def _steps(run: Forked) -> tuple[int, list[str]]:
    first, *modules = run.out.with_suffix(".steps").read_text().split("\n")
    return int(first), modules


def _reply(body: dict[str, Any], _: int) -> Said:
    """The same to the same question, after a moment."""
    time.sleep(0.003)
    digest = hashlib.sha256(question(body).encode()).digest()
    return completion("Yes" if digest[0] % 3 else "No", new=digest[1] % 5 + 1)


def can_fake_time() -> bool:
    """Whether libfaketime is installed."""
    return FAKETIME.exists() and os.name == "posix"
