"""A process that has imported everything and forks runs: a start costs milliseconds, not seconds.

A forked run calls `oodexp.run.main` with a command line of its own, as `python -m oodexp.run` does.
It counts what it does with the files below its runs folder, so that a fault can be set at a step of
the run and not at a time, which another load of the machine would move.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import json
import os
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from tests.faults.composed import compose, remember
from tests.faults.steps import Steps

NOBODY = 65534


@dataclass
class Forked:
    """A run that was forked."""

    warm: Warm
    pid: int
    out: Path
    """Standard output and error."""
    mark: Path
    """Appears when the run is at the step that was asked for."""
    status: int | None = None
    """Exit status as a shell tells it; None while the run goes on."""

    def poll(self) -> int | None:
        """The exit status, if it has ended."""
        if self.status is None:
            self.status = self.warm.ask({"do": "poll", "pid": self.pid})
            if self.status is not None:
                self.warm.ended(self.pid)
        return self.status

    def wait(self, seconds: float) -> int | None:
        """The exit status; None if it has not ended by then."""
        end = time.monotonic() + seconds
        while self.poll() is None and time.monotonic() < end:
            time.sleep(0.005)
        return self.status

    def at_mark(self, seconds: float) -> bool:
        """Waits for the step; False when the run ended before it, or the time is over."""
        end = time.monotonic() + seconds
        while not self.mark.exists():
            if self.poll() is not None or time.monotonic() > end:
                return self.mark.exists()
            time.sleep(0.002)
        return True

    def kill(self, number: int = signal.SIGKILL) -> None:
        """Sends a signal to the run, if it has not ended."""
        with contextlib.suppress(ProcessLookupError):
            if self.poll() is None:
                os.kill(self.pid, number)

    def said(self) -> str:
        """All that was printed."""
        return self.out.read_text(errors="replace")


@dataclass
class Warm:
    """The forking process.

    Args:
        environment: Variables beside those of this process.
    """

    environment: Mapping[str, str] = field(default_factory=dict)

    def __enter__(self) -> Warm:
        env = {**os.environ, "OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive",
               "HF_HUB_OFFLINE": "1", "MPLBACKEND": "agg", **self.environment}  # fmt: skip
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.warm"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, env=env, cwd=Path(__file__).parents[2],
        )  # fmt: skip
        self._begun: list[int] = []
        self.ask({"do": "ready"})
        return self

    def __exit__(self, *_: object) -> None:
        for pid in self._begun:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)
        assert self._process.stdin is not None
        self._process.communicate()

    def ended(self, pid: int) -> None:
        """Ends what a run has left behind: it is its session."""
        self._begun.remove(pid)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)

    def ask(self, what: Mapping[str, Any]) -> Any:
        """One line there, one line back."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(what) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def start(
        self, words: Sequence[str], runs: Path, out: Path, *, step: int = 0, sign: int = 0,
        environment: Mapping[str, str] | None = None, user: int | None = None,
    ) -> Forked:  # fmt: skip
        """Forks a run.

        Args:
            words: Its command line.
            runs: Steps are counted in this folder.
            out: Where its output goes; the mark and the number of steps lie beside it.
            step: The step that leaves a mark; 0 for none.
            sign: The signal that it then sends to itself; 0 for none.
            environment: Variables that it is given.
            user: The user that it runs as.
        """
        mark = out.with_suffix(".mark")
        mark.unlink(missing_ok=True)
        pid = self.ask(
            {"do": "start", "words": list(words), "runs": str(runs), "out": str(out), "step": step,
             "sign": sign, "environment": dict(environment or {}), "user": user}
        )  # fmt: skip
        self._begun.append(pid)
        return Forked(self, pid, out, mark)


def main() -> None:
    """Forks what it is asked for, a line of JSON each; the forked process leaves this function."""
    _warm_up()
    tell = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # nothing else may print between the lines
    for line in sys.stdin:
        asked = json.loads(line)
        reply: Any = True
        if asked["do"] == "start":
            gc.freeze()  # else a collection would copy every page
            reply = os.fork()
            if reply == 0:
                return _run(asked)
        elif asked["do"] == "import":
            _import(asked["names"])
        elif asked["do"] == "compose":
            compose(asked["words"])
        elif asked["do"] == "poll":
            pid, status = os.waitpid(asked["pid"], os.WNOHANG)
            reply = os.waitstatus_to_exitcode(status) if pid else None
        tell.write(json.dumps(reply) + "\n")
        tell.flush()
    return None


def _warm_up() -> None:
    import torch
    from hydra.core.plugins import Plugins

    import oodexp.run

    Plugins.instance()  # looks through all packages
    torch.set_num_threads(1)
    _ = oodexp.run.main
    remember()


def _import(names: Sequence[str]) -> None:
    """What an earlier run had imported in its end."""
    import importlib
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in names:
            if name not in sys.modules:
                with contextlib.suppress(Exception):
                    importlib.import_module(name)


def _run(asked: Mapping[str, Any]) -> None:
    """What the forked process does."""
    os.setsid()
    out = Path(asked["out"])
    told = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    os.dup2(told, 1)
    os.dup2(told, 2)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.stdout = os.fdopen(1, "w")
    sys.stderr = os.fdopen(2, "w", buffering=1)
    os.environ.update(asked["environment"])
    sys.argv = ["oodexp", *asked["words"]]
    sys.orig_argv = [sys.executable, "-m", "oodexp.run", *asked["words"]]
    if asked["user"] is not None:
        os.setgroups([])
        os.setgid(asked["user"])
        os.setuid(asked["user"])
        os.environ["HOME"] = os.environ["TMPDIR"] = str(out.parent)
    Steps(asked["runs"], asked["step"], asked["sign"], out).count()
    _leave(_status())


def _status() -> int:
    """Runs the front door; what a shell would be told."""
    from oodexp.run import main

    try:
        main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def _leave(status: int) -> NoReturn:
    """Ends as an interpreter does, but for taking 5,000 modules apart, which lasts seconds."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    main()
