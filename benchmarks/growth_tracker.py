"""MLflow's tracker with a watch: how long each of its calls takes."""

from __future__ import annotations

import json
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from oodexp.tracker.mlflow import Mlflow

OPEN = "open"
"""The call that imports MLflow and makes its database."""


class Watch:
    """Opens runs whose calls are timed.

    Args:
        told: File that gets the seconds, as JSON.
        uri: See `Mlflow`.
        artifacts: See `Mlflow`.
    """

    def __init__(self, told: str, **arguments: Any) -> None:
        self._told = Path(told)
        self._tracker = Mlflow(**arguments)

    def open(self, **arguments: Any) -> Timed:
        """See `Tracker` of oodexp."""
        start = time.perf_counter()
        run = self._tracker.open(**arguments)
        return Timed(run, [(OPEN, time.perf_counter() - start)], self._told)


class Timed:
    """A run whose calls are timed.

    Args:
        run: The run.
        calls: Name and seconds of each call so far.
        told: File that gets the seconds when the run ends; None for a run below another.
    """

    def __init__(self, run: Any, calls: list[tuple[str, float]], told: Path | None) -> None:
        self._run, self._calls, self._told = run, calls, told
        self._ask = 0.0

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._run, name)
        if not callable(found):
            return found

        def call(*given: Any, **named: Any) -> Any:
            start = time.perf_counter()
            answer = found(*given, **named)
            subject = str(given[0]) if name in ("table", "text") else name
            self._calls.append((subject, time.perf_counter() - start))
            if name == "metrics":
                self._ask = given[0].get("seconds/ask", self._ask)
            return Timed(answer, self._calls, None) if name == "child" else answer

        return call

    def __enter__(self) -> Self:
        self._run.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Ends the run and writes what its calls took."""
        start = time.perf_counter()
        self._run.__exit__(kind, error, trace)
        self._calls.append(("exit", time.perf_counter() - start))
        if self._told is not None:
            calls = [{"call": name, "seconds": seconds} for name, seconds in self._calls]
            self._told.write_text(json.dumps({"ask": self._ask, "calls": calls}))
