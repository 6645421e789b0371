"""Completions through readers to answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from oodexp import table
from oodexp.record import Answer

if TYPE_CHECKING:
    import pandas as pd

    from oodexp.answer.base import Reader

TOLD = ("truncated", "refused", "filtered", "empty")
"""Statuses of a completion that say more than a reader that found no answer can."""


def judge(
    completions: pd.DataFrame, questions: pd.DataFrame, readers: Mapping[str, Reader]
) -> pd.DataFrame:
    """Reads each completion with each reader (`record.Answer`).

    A completion that was cut off at the token limit is read like any other: a clear answer at its
    start counts. Where the reader finds none, its status is `truncated`.

    Args:
        completions: `record.Completion` rows.
        questions: `record.Question` rows.
        readers: Readers by name.
    """
    joined = completions.merge(questions, on="question_id", validate="many_to_one")
    rows = []
    for name, reader in readers.items():
        for row in joined.itertuples():
            text = row.completion if row.status != "error" else None
            found = reader.read(
                text if isinstance(text, str) else None,
                polarity=row.polarity,
                category=row.category,
            )
            told = row.status in TOLD and found.status in ("unknown", "empty", "error")
            status = row.status if told else found.status
            correct = found.value == row.target
            rows.append(
                Answer(row.vlm, name, row.question_id, found.value, status, found.flag, correct)
            )
    return table.frame(Answer, rows)
