"""Verdicts from files: journals of the page, and tables that people made elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from oodexp import table
from oodexp.error import OodexpError
from oodexp.record import Problem
from oodexp.review import elsewhere, journal
from oodexp.review.sample import PAIR
from oodexp.review.standing import fault, key, standing

Line = dict[str, Any]


class Gathered(NamedTuple):
    """What files hold."""

    verdicts: pd.DataFrame
    """`record.Verdict`: the last verdict of each rater on each pair."""
    problems: pd.DataFrame
    """`record.Problem`: lines that say nothing, were cut off, or are about no pair."""


def gather(files: Sequence[Path], sample: str, pairs: pd.DataFrame) -> Gathered:
    """Reads verdict files in order: what a later line says of a pair holds.

    Args:
        files: Journals (`.jsonl`) of the sample, and CSV files.
        sample: Digest of the sample.
        pairs: Pairs that a verdict can be about: `source`, `image_id`, `category`.

    Raises:
        OodexpError: If a file is not there, is of another kind, or is about another sample.
    """
    lines: list[Line] = []
    problems: list[Problem] = []
    for file in files:
        found, lost = _read(file, sample, pairs)
        lines += found
        problems += lost
    held = standing(lines)
    problems += [_problem(line, why) for line, why in held.refused]
    known = set(pairs[PAIR].itertuples(index=False, name=None))
    strange = [line for line in held.rows if key(line) not in known]
    problems += [_problem(line, "no pair of the reviewed division") for line in strange]
    rows = held.table
    pairs_of = rows[PAIR].itertuples(index=False, name=None)
    here = np.array([pair in known for pair in pairs_of], dtype=bool)
    lost = table.frame(Problem, list(dict.fromkeys(problems)))
    return Gathered(rows[here].reset_index(drop=True), lost)


def _read(file: Path, sample: str, pairs: pd.DataFrame) -> tuple[list[Line], list[Problem]]:
    if not file.is_file():
        raise OodexpError(
            f"{file}: no such file; expected verdicts (.jsonl of the review page, or .csv): start "
            "the page with review.serve=true, or name files by review.verdicts=[FILE]"
        )
    if file.suffix == ".csv":
        return _table(file, pairs)
    if file.suffix != ".jsonl":
        raise OodexpError(f"{file}: expected a .jsonl file of the review page, or a .csv file")
    found = journal.read(file, sample)
    cut = "note: no whole line, as a kill leaves it; it is no verdict"
    return found.whole, [_problem({"where": f"{file.name}, line {n}"}, cut) for n in found.torn]


def _table(file: Path, pairs: pd.DataFrame) -> tuple[list[Line], list[Problem]]:
    lines, problems, seen = [], [], set()
    for number, (line, why) in enumerate(elsewhere.read(file, pairs), 2):
        line["where"] = f"{file.name}, row {number}"
        why = why or fault(line)
        if why is not None:
            problems.append(_problem(line, why))
            continue
        again = (line["rater"], key(line))
        if again in seen:
            problems.append(_problem(line, "note: judged before by the same rater; this row holds"))
        seen.add(again)
        lines.append(line)
    return lines, problems


def _problem(line: Line, why: str) -> Problem:
    source, image_id = (str(line.get(name) or "") for name in ("source", "image_id"))
    return Problem("review", "", source, image_id, line["where"], why)
