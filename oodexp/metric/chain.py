"""Points of BAP's three levels, and where a chain breaks (OODBench, BAP: E-Acc, C-Acc, L-Acc).

A sample is an image with two categories. Its seven answers are columns in the order of `COLUMNS`;
each function takes whether they are right and gives whether the points are earned.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oodexp.error import OodexpError

Bools = NDArray[np.bool_]

COLUMNS = ("present", "present", "absent", "absent", "count", "count", "compare")
"""Polarity of each answer: of the first and of the second category, and of both together."""

METRICS = ("e_acc", "c_acc", "l_acc")
BREAKS = ("break_existence", "break_counting", "break_logic", "complete")
ANSWERS = {"e_acc": [0, 1, 2, 3], "c_acc": [4, 5], "l_acc": [6]}
"""Columns of the answers that each level asks for."""

_CHOICES = {
    "existence": ("both", "each", "present"),
    "counting": ("progressive", "independent"),
    "unit": ("mixed", "image"),
}


@dataclass(frozen=True, slots=True)
class Rule:
    """When a point is earned."""

    existence: str = "both"
    """`both`: a category's two questions right are one point; `each`: every question is a point;
    `present`: the question whether it is there is the point."""
    counting: str = "progressive"
    """`progressive`: a count needs the existence of its category right too; `independent`."""
    unit: str = "mixed"
    """`mixed`: existence and counting by category, logic by image; `image`: all by image."""

    def __post_init__(self) -> None:
        for name, known in _CHOICES.items():
            if getattr(self, name) not in known:
                raise OodexpError(
                    f"metric.{name}={getattr(self, name)}: expected one of {', '.join(known)}"
                )

    @property
    def columns(self) -> dict[str, list[int]]:
        """Columns of the answers that count for each level."""
        return ANSWERS | ({"e_acc": [0, 1]} if self.existence == "present" else {})


def existence_right(right: Bools, rule: Rule) -> Bools:
    """Whether the existence of each category is right: (sample, 7) to (sample, 2)."""
    asked = right[:, 0:2]
    return asked if rule.existence == "present" else asked & right[:, 2:4]


def points(right: Bools, rule: Rule) -> dict[str, Bools]:
    """The points of each level, bool, (sample, points a sample).

    Logic needs both counts right in every case (OODBench), and with a progressive rule both
    existences.

    Args:
        right: Whether each answer is right, bool, (sample, 7).
        rule: When a point is earned.
    """
    there = existence_right(right, rule)
    each = right[:, 0:4] if rule.existence == "each" else there
    counted = right[:, 4:6] & (there | (rule.counting == "independent"))
    logic = _all(counted) & right[:, 6:7]
    if rule.unit == "image":
        each, counted = _all(each), _all(counted)
    return dict(zip(METRICS, (each, counted, logic), strict=True))


def _all(earned: Bools) -> Bools:
    """One point a sample, earned if all are."""
    whole: Bools = np.logical_and.reduce(earned, axis=1, keepdims=True)
    return whole


def breaks(right: Bools, rule: Rule) -> dict[str, Bools]:
    """The step at which each chain breaks: one of four is true of each sample, (sample, 1)."""
    there, counted = _all(existence_right(right, rule)), _all(right[:, 4:6])
    logic, both = right[:, 6:7], there & counted
    steps: tuple[Bools, ...] = (~there, there & ~counted, both & ~logic, both & logic)
    return dict(zip(BREAKS, steps, strict=True))


def constant(counts: np.ndarray, greater: Bools, rule: Rule) -> dict[str, Bools]:
    """The points of the best constant answer to each level, earlier levels taken as right.

    Constant is one reply to all questions of a level: yes or no to existence asked both ways, one
    number, yes or no to the comparison. The best is chosen by the samples given.

    Args:
        counts: The right numbers, int, (sample, 2).
        greater: Whether the comparison is true, bool, (sample,).
        rule: When a point is earned.
    """
    # One reply to both polarities is right of one of them.
    of_sample = {"both": [0, 0], "each": [1, 1, 0, 0], "present": [1, 1]}[rule.existence]
    each: Bools = np.repeat([np.array(of_sample, dtype=bool)], len(counts), axis=0)
    tried: list[Bools] = [np.equal(counts, number) for number in np.unique(counts)]
    if rule.unit == "image":
        each, tried = _all(each), [_all(hit) for hit in tried]
    counted = max(tried, key=lambda hit: int(hit.sum()))
    said: tuple[Bools, Bools] = (greater[:, None], np.logical_not(greater)[:, None])
    logic = max(said, key=lambda hit: int(hit.sum()))
    return dict(zip(METRICS, (each, counted, logic), strict=True))
