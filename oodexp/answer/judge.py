"""Completions through readers to answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from oodexp import table
from oodexp.columns import Codes, Rows, coded, positions
from oodexp.record import Answer
from oodexp.stored import Stored, sliced

if TYPE_CHECKING:
    import pandas as pd

    from oodexp.answer.base import Reader, Reading

TOLD = ("truncated", "refused", "filtered", "empty")
"""Statuses of a completion that say more than a reader that found no answer can."""

REMEMBERED = 1 << 13
"""Readings that are kept to be used again."""


def judge(completions: Rows, questions: Rows, readers: Mapping[str, Reader]) -> pd.DataFrame:
    """Reads each completion with each reader (`record.Answer`).

    A completion that was cut off at the token limit is read like any other: a clear answer at its
    start counts. Where the reader finds none, its status is `truncated`.

    Args:
        completions: `record.Completion` rows.
        questions: `record.Question` rows; completions of other questions are left aside.
        readers: Readers by name.
    """
    return table.concat(Answer, judge_parts(completions, questions, readers))


def judge_parts(
    completions: Rows, questions: Rows, readers: Mapping[str, Reader]
) -> Iterator[pd.DataFrame]:
    """The rows of `judge` in parts, reader by reader."""
    place = positions(questions, completions, ["question_id"])
    polarity, category, target = (
        coded(questions, name) for name in ("polarity", "category", "target")
    )
    for name, reader in readers.items():
        # A reader holds no state, and most models say the same few words about a category.
        read = lru_cache(REMEMBERED)(reader.read)
        start = 0
        for part in _parts(completions):
            at = place[start : start + len(part)]
            start += len(part)
            asked = zip(*(_texts(c, at) for c in (polarity, category, target)), strict=True)
            known = part[at >= 0]
            yield _answers(name, known, list(asked), read)


def _parts(completions: Rows) -> Iterable[pd.DataFrame]:
    names = ["vlm", "question_id", "completion", "status"]
    if isinstance(completions, Stored):
        return completions.parts(names)
    return sliced(completions[names])


def _texts(column: Codes, at: np.ndarray) -> list[str]:
    texts, codes = column.texts, column.codes[at[at >= 0]]
    return [texts[n] for n in codes.tolist()]


def _answers(
    name: str, rows: pd.DataFrame, asked: Sequence[tuple[str, str, str]],
    read: Callable[..., Reading],
) -> pd.DataFrame:  # fmt: skip
    """The answers to completions, with polarity, category and target of their questions."""
    found, statuses, correct = [], [], []
    said = zip(rows["completion"].tolist(), rows["status"].tolist(), asked, strict=True)
    for text, status, (polarity, category, target) in said:
        whole = text if isinstance(text, str) and status != "error" else None
        reading = read(whole, polarity=polarity, category=category)
        told = status in TOLD and reading.status in ("unknown", "empty", "error")
        found.append(reading)
        statuses.append(status if told else reading.status)
        correct.append(reading.value == target)
    return table.frame(
        Answer,
        {
            "vlm": rows["vlm"].reset_index(drop=True),
            "reader": np.full(len(rows), name, dtype=object),
            "question_id": rows["question_id"].reset_index(drop=True),
            "reading": np.array([r.value for r in found], dtype=object),
            "status": np.array(statuses, dtype=object),
            "flag": np.array([r.flag for r in found], dtype=object),
            "correct": np.array(correct, dtype=bool),
        },
    )
