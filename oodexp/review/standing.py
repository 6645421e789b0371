"""Which verdicts stand, after all lines of a journal."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any, NamedTuple

import pandas as pd

from oodexp import table
from oodexp.record import REASONS, VERDICTS, Verdict

VERDICT, UNDO = "verdict", "undo"
"""Kinds of lines."""

MOST_NAME = 40
"""Letters of a rater's name."""

Line = dict[str, Any]
Key = tuple[str, str, str]
"""Source, image id and category."""

_FIELDS = [f.name for f in fields(Verdict)]
_NEEDED = ("rater", "source", "image_id", "category")


class Standing(NamedTuple):
    """What holds of a journal's lines."""

    rows: list[Line]
    """The last line of each rater and pair that was not taken back, oldest first."""
    refused: list[tuple[Line, str]]
    """Lines that say nothing, and why."""

    @property
    def table(self) -> pd.DataFrame:
        """`record.Verdict`, sorted by its key."""
        rows = [Verdict(*(line.get(name) for name in _FIELDS)) for line in self.rows]  # type: ignore[arg-type]
        return table.frame(Verdict, sorted(rows, key=_sorting))


def standing(lines: Iterable[Line]) -> Standing:
    """Replays lines: the last verdict on a pair holds, an undo takes the last of its pair back.

    Where a pair was judged again, the verdict before holds after an undo.

    Args:
        lines: Oldest first.
    """
    given: dict[tuple[str, Key], list[tuple[int, Line]]] = {}
    refused = []
    for number, line in enumerate(lines):
        why = fault(line)
        if why is not None:
            refused.append((line, why))
            continue
        stack = given.setdefault((line["rater"], key(line)), [])
        if line["kind"] == VERDICT:
            stack.append((number, line))
        elif stack:
            stack.pop()
    last = sorted((stack[-1] for stack in given.values() if stack), key=lambda entry: entry[0])
    return Standing([line for _, line in last], refused)


def last_of(lines: Sequence[Line], rater: str) -> Line | None:
    """The verdict that an undo of a rater takes back; None where nothing stands."""
    mine = standing(line for line in lines if line.get("rater") == rater).rows
    return mine[-1] if mine else None


def key(line: Line) -> Key:
    """The pair that a line is about."""
    return line["source"], line["image_id"], line["category"]


def proper(rater: str) -> bool:
    """Whether a text may name a rater: what all tables and terminals show as it is."""
    return 0 < len(rater) <= MOST_NAME and rater == rater.strip() and rater.isprintable()


def fault(line: Line) -> str | None:
    """Why a line says nothing; None when it does."""
    for name in _NEEDED:
        if not isinstance(line.get(name), str) or not line[name]:
            return f"{name}={line.get(name)!r}: expected text"
    if not proper(line["rater"]):
        return f"rater={line['rater']!r}: expected a name of at most {MOST_NAME} printable letters"
    if line.get("kind") == UNDO:
        return None
    if line.get("kind") != VERDICT:
        return f"kind={line.get('kind')!r}: expected {VERDICT} or {UNDO}"
    if line.get("verdict") not in VERDICTS:
        return f"verdict={line.get('verdict')!r}: expected one of {', '.join(VERDICTS)}"
    if line.get("reason") is not None and line["reason"] not in REASONS:
        return f"reason={line['reason']!r}: expected one of {', '.join(REASONS)}, or nothing"
    return _misfit(line)


def _misfit(line: Line) -> str | None:
    for name in ("note", "at", "sample", "rule"):
        if not isinstance(line.get(name), str | None):
            return f"{name}={line[name]!r}: expected text, or nothing"
    seconds = line.get("seconds")
    if seconds is not None and not (isinstance(seconds, int | float) and 0 <= seconds < math.inf):
        return f"seconds={seconds!r}: expected a number >= 0, or nothing"
    return None


def _sorting(row: Verdict) -> tuple[str, ...]:
    return row.source, row.image_id, row.category, row.rater
