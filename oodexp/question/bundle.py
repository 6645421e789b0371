"""The questions of a bundle, word for word."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from oodexp import table
from oodexp.bundle.folder import BundleFolder
from oodexp.error import OodexpError
from oodexp.record import Question

if TYPE_CHECKING:
    from oodexp.question.base import Known

_PAIR = ["source", "image_id", "category"]


class Recorded:
    """Asks what the run that wrote the bundle asked, whatever today's templates say.

    Questions about sources that are not chosen, and about images that have no split here because
    they cannot be read, are left out.

    Args:
        folder: The bundle.

    Raises:
        OodexpError: If the folder is no whole bundle.
    """

    def __init__(self, folder: str) -> None:
        self._bundle = BundleFolder(folder)

    def ask(self, known: Known) -> pd.DataFrame:
        """See `base.Questioner`; the questions in the order of the bundle.

        Raises:
            OodexpError: If a question counts for another split than the division gives its pair.
        """
        asked = self._bundle.table("questions")
        split = known.memberships.dropna(subset="split")
        readable = pd.MultiIndex.from_frame(split[_PAIR[:2]])
        mine = pd.MultiIndex.from_frame(asked[_PAIR[:2]]).isin(readable)
        asked = asked[mine].reset_index(drop=True)
        # About an absent category, a question counts for the split of the pair beside it.
        own = split.loc[split["present"], [*_PAIR, "split"]]
        given = asked[_PAIR].merge(own, on=_PAIR, how="left")["split"]
        other = asked.index[given.notna() & asked["split"].notna() & (given != asked["split"])]
        if len(other):
            raise OodexpError(
                f"question=bundle: {len(other)} questions count for another split than the "
                f"division gives, first {asked['question_id'][other[0]]!r}; choose division=bundle"
            )
        return table.check(Question, asked)
