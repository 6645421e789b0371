"""What a ratio of alternating runs is worth."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.ratio import in_turn, largest_gap, paired


def test_a_ratio_is_the_median_of_neighbouring_runs_and_not_of_all():
    # The machine slowed down tenfold in the second run, for both sides alike.
    found = paired([2.0, 20.0, 2.2], [1.0, 10.0, 1.0])
    assert found.median == 2.0
    assert found.lower == 2.0
    assert found.upper == pytest.approx(2.2)


def test_runs_alternate_in_who_begins():
    made: list[str] = []

    def side(name: str, cost: float):
        def run(_: int) -> float:
            made.append(name)
            return cost

        return run

    found = in_turn(side("a", 3.0), side("b", 2.0), 3)
    assert "".join(made) == "abbaab"
    assert found.median == found.lower == found.upper == 1.5


def test_the_largest_gap_is_that_of_single_cells():
    one = np.float32([[0.1, 0.2], [0.3, 0.4]])
    assert largest_gap(one, one + np.float32([[0, 0], [-0.05, 0]])) == pytest.approx(0.05)
