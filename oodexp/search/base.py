"""What a recipe may ask of a search: settings are tried, each gives values or a reason for none.

A trial here regroups stored tables; it has no intermediate values, so there is nothing to prune.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from oodexp.search.space import Space

MAXIMIZE, MINIMIZE = "maximize", "minimize"
"""The two directions of an objective."""

COMPLETE = "complete"
"""Every objective has a finite value; only such trials steer a search."""
UNDEFINED = "undefined"
"""An objective has no value (None, NaN, infinite); the reason says why."""
FAILED = "failed"
"""The trial raised an error; the reason is its message."""
LOST = "lost"
"""The worker ended without a word (killed, out of memory); the settings are tried once more."""
INTERRUPTED = "interrupted"
"""The worker was told to stop; the settings are tried again."""
REUSED = "reused"
"""Another worker took the same settings a moment earlier; not evaluated."""
RUNNING = "running"
"""A living worker is at it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of evaluating settings."""

    values: Mapping[str, float | None]
    """Value of each objective by its name; None or NaN where it has none. More names may stand."""
    reason: str = ""
    """Why an objective has no value; empty when all have one."""
    run_id: str = ""
    """Id of the tracked run that holds the trial, empty when none was made."""


@dataclass(frozen=True, slots=True)
class Trial:
    """The trial that counts for its settings."""

    number: int
    """Its number in the study, from 0, in the order of their starts."""
    settings: Mapping[str, Any]
    """Value of each dimension of the space."""
    values: Mapping[str, float | None]
    """Value of each objective; None where it has none."""
    state: str
    """`complete`, `undefined`, `failed`, or `lost` when its worker was killed twice."""
    reason: str = ""
    """Why an objective has no value."""
    run_id: str = ""
    """Id of the tracked run that holds the trial."""
    earlier: tuple[int, ...] = ()
    """Numbers of earlier trials of the same settings that did not count."""


Evaluate = Callable[[int, Mapping[str, Any]], Outcome]
"""Evaluates settings; is also given the number of the trial, to be a tag of its tracked run."""


class Searcher(Protocol):
    """Tries settings of a space and remembers them beyond the process."""

    def search(
        self,
        name: str,
        space: Space,
        directions: Mapping[str, str],
        evaluate: Evaluate,
        fingerprint: str = "",
    ) -> list[Trial]:
        """Evaluates what the study still lacks, and gives all of it.

        Settings that have been evaluated, by this process or another, are not evaluated again;
        at the end it waits for settings that other living workers are at.

        Args:
            name: Name of the study; its digest of space, objectives and fingerprint is added.
            space: What may be chosen.
            directions: `maximize` or `minimize` by objective, in the order of the objectives.
            evaluate: Called once for each new settings. An exception is recorded as a failed
                trial; `Paused` and an interruption end the search and leave the settings open.
            fingerprint: Names all that a trial rests on beside its settings (data, code).

        Returns:
            One trial for each settings: a grid in the order of its cells (the first dimension
            changes slowest), other searches by number.

        Raises:
            OodexpError: If the space does not fit the sampler, or the storage cannot be opened.
        """

    def join(self) -> list[str]:
        """Waits for helper processes, if any were started; one line for each that failed."""
