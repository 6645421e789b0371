"""What every metric set gives: measurements of VLMs on the splits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Evidence:
    """The tables that a measurement rests on."""

    pairs: pd.DataFrame
    """`record.Pair`."""
    memberships: pd.DataFrame
    """`record.Membership`."""
    questions: pd.DataFrame
    """`record.Question`."""
    answers: pd.DataFrame
    """`record.Answer`, of all VLMs and readers."""
    completions: pd.DataFrame
    """`record.Completion`, of all VLMs."""


class Metric(Protocol):
    """Turns answers into measurements; runs no model."""

    def measure(self, evidence: Evidence) -> pd.DataFrame:
        """Measurements (`record.Measurement`) of every VLM."""
