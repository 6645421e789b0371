"""The trials that no other trial beats in every objective."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from oodexp.search.base import COMPLETE, MAXIMIZE, Trial


def front(values: NDArray[np.float64], maximize: Sequence[bool]) -> NDArray[np.bool_]:
    """Which rows are not dominated.

    A row dominates another when it is at least as good in every objective and better in one, so
    equal rows stand or fall together. A row with NaN is not in the front and dominates nothing.

    >>> front(np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 1.0]]), [True, True])
    array([ True,  True, False])

    Args:
        values: (trials, objectives).
        maximize: For each objective, whether more is better.

    Returns:
        (trials,) of bool.
    """
    rows = np.asarray(values, dtype=np.float64)
    rows = np.where(maximize, rows, -rows)
    known: NDArray[np.bool_] = np.asarray(~np.isnan(rows).any(axis=1))
    found: NDArray[np.bool_] = known.copy()
    for at in np.flatnonzero(known):
        if not found[at]:  # what a dominated row beats, the row that beats it beats too
            continue
        beaten = (rows <= rows[at]).all(axis=1) & (rows < rows[at]).any(axis=1)
        found &= ~beaten
    return found


def pareto(trials: Sequence[Trial], directions: Mapping[str, str]) -> list[Trial]:
    """The complete trials of the front, in their order.

    Args:
        trials: Trials of one study.
        directions: `maximize` or `minimize` by objective.
    """
    complete = [t for t in trials if t.state == COMPLETE]
    values = np.array([[t.values[name] for name in directions] for t in complete], dtype=float)
    inside = front(
        values.reshape(len(complete), len(directions)),
        [direction == MAXIMIZE for direction in directions.values()],
    )
    return [trial for trial, kept in zip(complete, inside, strict=True) if kept]
