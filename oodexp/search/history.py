"""What earlier trials of a study mean for the next: which settings are done, which are open again.

Nothing is queued: a lost trial opens its settings again by being there, so a worker that is killed
between noticing a loss and mending it loses nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from oodexp.search.base import COMPLETE, FAILED, LOST, RUNNING, UNDEFINED, Trial
from oodexp.search.claim import Worker

TRIES = 2
"""How many workers may be lost over the same settings."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A trial as the storage holds it."""

    number: int
    key: str
    """Of its settings; see `Space.key`."""
    settings: Mapping[str, Any]
    state: str
    values: Mapping[str, float | None]
    reason: str = ""
    run_id: str = ""
    worker: Worker | None = None
    started: float = 0.0
    """Seconds since 1970."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a study stands."""

    taken: Mapping[str, Trial]
    """The trial that counts, for each settings that are done or being worked on."""
    again: Mapping[str, Attempt]
    """The last trial of settings that are open again, in the order of their first trials."""

    @property
    def running(self) -> list[Trial]:
        """Trials that a living worker is at."""
        return [trial for trial in self.taken.values() if trial.state == RUNNING]


def standing(attempts: Iterable[Attempt], forgiven_before: float = 0.0) -> Standing:
    """Where a study stands; lost trials must be marked as such before.

    A complete trial counts before all others, then one that is running or had no value. Settings
    whose workers were lost are open again once; those whose worker was interrupted, always.

    Args:
        attempts: All trials of the study, by number.
        forgiven_before: What failed, had no value or was lost and started before this moment
            (seconds since 1970) does not count: its settings are open again.
    """
    groups: dict[str, list[Attempt]] = {}
    for attempt in attempts:
        groups.setdefault(attempt.key, []).append(attempt)
    taken, again = {}, {}
    for key, group in groups.items():
        counted = _counted([a for a in group if not _is_forgiven(a, forgiven_before)])
        if counted is None:
            again[key] = group[-1]
        else:
            taken[key] = _trial(counted, [a.number for a in group if a is not counted])
    return Standing(taken, again)


def _is_forgiven(attempt: Attempt, before: float) -> bool:
    return attempt.state in (FAILED, UNDEFINED, LOST) and attempt.started < before


def _counted(group: list[Attempt]) -> Attempt | None:
    for states in ((COMPLETE,), (RUNNING, UNDEFINED, FAILED)):
        for attempt in group:
            if attempt.state in states:
                return attempt
    lost = [attempt for attempt in group if attempt.state == LOST]
    return lost[-1] if len(lost) >= TRIES else None


def _trial(a: Attempt, earlier: list[int]) -> Trial:
    return Trial(a.number, a.settings, a.values, a.state, a.reason, a.run_id, tuple(earlier))
