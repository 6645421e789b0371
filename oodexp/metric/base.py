"""What every metric set gives: measurements of VLMs on the splits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from oodexp.columns import Rows, coded
from oodexp.error import OodexpError

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Evidence:
    """The tables that a measurement rests on, in memory or on disk: take the columns needed."""

    pairs: Rows
    """`record.Pair`."""
    memberships: Rows
    """`record.Membership`."""
    questions: Rows
    """`record.Question`."""
    answers: Rows
    """`record.Answer`, of all VLMs and readers."""
    completions: Rows
    """`record.Completion`, of all VLMs."""


def check_readers(evidence: Evidence, readers: Mapping[str, str]) -> None:
    """Refuses a reader that gave no answers while others did.

    Args:
        evidence: The tables.
        readers: Reader by the setting that names it.

    Raises:
        OodexpError: Names the setting and the readers that there are.
    """
    have = sorted(coded(evidence.answers, "reader").texts)
    for role, name in readers.items():
        if have and name not in have:
            raise OodexpError(
                f"metric.{role}={name}: no such reader; answer.readers has {', '.join(have)}"
            )


class Metric(Protocol):
    """Turns answers into measurements; runs no model."""

    def measure(self, evidence: Evidence) -> pd.DataFrame:
        """Measurements (`record.Measurement`) of every VLM."""
