"""What every question set gives: prompts with their target."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import pandas as pd


class Questioner(Protocol):
    """Turns the pairs of a division into questions."""

    def ask(self, memberships: pd.DataFrame) -> pd.DataFrame:
        """Questions (`record.Question`) about the pairs of `memberships` (`record.Membership`)."""
