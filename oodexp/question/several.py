"""Several question sets about the same pairs, side by side in one run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from oodexp import table
from oodexp.error import OodexpError
from oodexp.question.base import asked_in_parts
from oodexp.record import Question

if TYPE_CHECKING:
    import pandas as pd

    from oodexp.question.base import Known, Questioner


class Several:
    """Asks the questions of all its sets.

    Args:
        sets: Question sets by name; the name is for people, the kind of its questions is the set's.

    Raises:
        OodexpError: If there is no set.
    """

    def __init__(self, sets: Mapping[str, Questioner]) -> None:
        if not sets:
            raise OodexpError("question.sets: expected at least one question set")
        self._sets = dict(sets)

    def ask(self, known: Known) -> pd.DataFrame:
        """See `base.Questioner`; set by set.

        Raises:
            OodexpError: If two sets ask a question of one name, as two of the same kind do.
        """
        return table.concat(Question, self.parts(known))

    def parts(self, known: Known) -> Iterator[pd.DataFrame]:
        """See `base.Parted`; a name that occurs twice is met by whoever joins the parts."""
        for part in self._sets.values():
            yield from asked_in_parts(part, known)
