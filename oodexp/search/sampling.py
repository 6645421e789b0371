"""Which settings to try next: every cell of a grid once, or what TPE proposes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from oodexp.error import OodexpError
from oodexp.search.base import Trial
from oodexp.search.history import Attempt, Standing
from oodexp.search.space import Space

if TYPE_CHECKING:
    from oodexp.search.study import Study

LARGEST = 100_000
"""Cells of a grid, and of a space that TPE is to use up."""
_PROPOSALS = 20  # how often TPE may name settings that are taken


class Sampler(Protocol):
    """Names the next settings and puts the trials in order."""

    label: str
    """What the trials say chose them."""

    def next(
        self, study: Study, attempts: Sequence[Attempt], now: Standing
    ) -> dict[str, Any] | None:
        """Settings that are not taken; None when there is nothing more to do."""

    def order(self, trials: Sequence[Trial]) -> list[Trial]:
        """The trials in an order that does not depend on who finished first."""


class Grid:
    """Every cell of the space once, in order."""

    label = "grid"

    def __init__(self, space: Space) -> None:
        """A grid.

        Raises:
            OodexpError: If the space has too many cells, or cannot be counted.
        """
        if (space.size or 0) > LARGEST:
            raise OodexpError(f"a grid of {space.size} cells: expected at most {LARGEST}; "
                              "give fewer values, or sampler=tpe")  # fmt: skip
        self._space = space
        self._cells = {space.key(cell): cell for cell in space.cells()}

    def next(
        self, study: Study, attempts: Sequence[Attempt], now: Standing
    ) -> dict[str, Any] | None:
        """The first cell that is not taken."""
        return next((cell for key, cell in self._cells.items() if key not in now.taken), None)

    def order(self, trials: Sequence[Trial]) -> list[Trial]:
        """In the order of the cells."""
        at = {key: n for n, key in enumerate(self._cells)}
        return sorted(trials, key=lambda trial: at[self._space.key(trial.settings)])


class Tpe:
    """What a tree-structured Parzen estimator proposes, never the same settings twice.

    A proposal depends on the seed, on how many settings are taken and on the complete trials, so
    one worker that was stopped and started again ends where an unbroken one would.
    """

    def __init__(self, space: Space, trials: int, seed: int) -> None:
        """A sampler.

        Args:
            space: What may be chosen.
            trials: How many different settings the study shall have in the end.
            seed: Of all random choices, from 0.
        """
        self.label = f"tpe seed={seed}"
        self._space, self._trials, self._seed = space, trials, seed

    def next(
        self, study: Study, attempts: Sequence[Attempt], now: Standing
    ) -> dict[str, Any] | None:
        """Settings that are open again first; None too when the space is used up."""
        if now.again:
            return dict(next(iter(now.again.values())).settings)
        size = self._space.size
        if len(now.taken) >= self._trials or (size is not None and len(now.taken) >= size):
            return None
        for attempt in range(_PROPOSALS):
            root = np.random.SeedSequence([self._seed, len(now.taken), attempt])
            settings = study.propose(attempts, int(root.generate_state(1)[0]))
            if self._space.key(settings) not in now.taken:
                return settings
        return self._any(now)

    def order(self, trials: Sequence[Trial]) -> list[Trial]:
        """By number."""
        return sorted(trials, key=lambda t: t.number)

    def _any(self, now: Standing) -> dict[str, Any] | None:
        """Some settings that are not taken, drawn evenly; TPE insists on taken ones."""
        if (self._space.size or LARGEST + 1) > LARGEST:
            return None
        left = [c for c in self._space.cells() if self._space.key(c) not in now.taken]
        rng = np.random.default_rng([self._seed, len(now.taken)])
        return left[rng.integers(len(left))] if left else None
