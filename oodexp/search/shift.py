"""The work of one worker on one study."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from oodexp.error import OodexpError, Paused
from oodexp.refused import refused
from oodexp.search.base import (
    COMPLETE,
    FAILED,
    INTERRUPTED,
    LOST,
    REUSED,
    RUNNING,
    UNDEFINED,
    Evaluate,
    Outcome,
    Trial,
)
from oodexp.search.claim import Worker, Workers, exclusive
from oodexp.search.history import Attempt, standing
from oodexp.search.sampling import Sampler
from oodexp.search.study import Study

_FIRST_WAIT, _LONGEST_WAIT = 0.02, 0.5  # seconds between two looks at what others do


@dataclass(frozen=True, slots=True)
class Shift:
    """One worker at one study."""

    study: Study
    sampler: Sampler
    workers: Workers
    worker: Worker
    lock: Path
    """File under which workers take turns."""
    directions: Mapping[str, str]
    forgiven: float
    """See `history.standing`."""

    def work(self, evaluate: Evaluate) -> list[Trial]:
        """Evaluates until nothing is open and no living worker is at anything."""
        wait = _FIRST_WAIT
        while True:
            with exclusive(self.lock):
                attempts = self._without_lost()
                now = standing(attempts, self.forgiven)
                settings = self.sampler.next(self.study, attempts, now)
                if settings is not None:
                    number = self.study.begin(settings, self.worker, self.sampler.label)
            if settings is not None:
                self._evaluate(number, settings, evaluate)
                wait = _FIRST_WAIT
            elif now.running:
                time.sleep(wait)
                wait = min(2 * wait, _LONGEST_WAIT)
            else:
                return self.sampler.order(list(now.taken.values()))

    def _without_lost(self) -> list[Attempt]:
        """All trials, after those that nobody is at were given up; this worker is at none now."""
        attempts = self.study.attempts()
        running = [a for a in attempts if a.state == RUNNING]
        mine = [a for a in running if a.worker == self.worker]
        lost = [a for a in running if not self.workers.is_alive(a.worker, a.started)]
        for attempt in mine:
            self.study.finish(
                attempt.number, INTERRUPTED, attempt.values,
                "the database went away before it told of this trial; another took its place",
            )  # fmt: skip
        for attempt in lost:
            by = f"worker {Path(attempt.worker.lock).stem}" if attempt.worker else "an unknown one"
            self.study.finish(
                attempt.number, LOST, attempt.values,
                f"its worker ({by}) ended without a word: killed, out of memory, or the machine "
                "went down",
            )  # fmt: skip
        return self.study.attempts() if mine or lost else attempts

    def _evaluate(self, number: int, settings: dict[str, Any], evaluate: Evaluate) -> None:
        first = self._taken_by(number)
        if first is not None:
            said = f"trial {first} took the same settings a moment earlier"
            self._finish(number, REUSED, Outcome({}, said))
            return
        try:
            outcome = evaluate(number, settings)
        except Paused as error:
            self._finish(number, INTERRUPTED, Outcome({}, str(error)))
            raise
        except Exception as error:  # whatever the reason, the other settings go on
            why = refused(error)
            if why is not None:  # not the settings' fault: they are still to be evaluated
                self._finish(number, INTERRUPTED, Outcome({}, why))
                raise
            told = (
                str(error) if isinstance(error, OodexpError) else f"{type(error).__name__}: {error}"
            )
            self._finish(number, FAILED, Outcome({}, told))
        except BaseException as error:
            self._finish(number, INTERRUPTED, Outcome({}, f"stopped by {type(error).__name__}"))
            raise
        else:
            reason = lacking(outcome, self.directions)
            self._finish(number, UNDEFINED if reason else COMPLETE, outcome, reason)

    def _taken_by(self, number: int) -> int | None:
        """The earlier trial that counts for the same settings: only a shared server can have it."""
        attempts = self.study.attempts()
        key = next(a.key for a in attempts if a.number == number)
        earlier = [a for a in attempts if a.key == key and a.number < number]
        trial = standing(earlier, self.forgiven).taken.get(key)
        return None if trial is None else trial.number

    def _finish(self, number: int, state: str, outcome: Outcome, reason: str = "") -> None:
        values = {name: _finite(outcome.values.get(name)) for name in self.directions}
        with exclusive(self.lock):
            self.study.finish(number, state, values, reason or outcome.reason, outcome.run_id)


def lacking(outcome: Outcome, directions: Mapping[str, str]) -> str:
    """Why an outcome is not complete; empty when every objective has a finite value."""
    missing = [n for n in directions if _finite(outcome.values.get(n)) is None]
    if not missing:
        return ""
    named = ", ".join(
        f"{name} is {outcome.values[name]}" if name in outcome.values else f"{name} is missing"
        for name in missing
    )
    return f"{named}: {outcome.reason}" if outcome.reason else named


def _finite(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)
