"""Presence and its negation: two questions a pair, with opposite targets (OODBench, IV and V-D).

Wording as in the authors' evaluation: the category is inserted verbatim, without a/an correction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from oodexp import table
from oodexp.error import OodexpError
from oodexp.question.base import escaped
from oodexp.record import Question

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from oodexp.question.base import Known

POPULATIONS = ("all", "drawn")

PAIRS = 1 << 15
"""Pairs whose questions are made at once."""


class Existence:
    """Asks of each pair whether the image contains, and whether it does not contain, the category.

    Args:
        templates: Prompt by polarity, `present` and `absent`, with `{}` for the category.
        population: `all` scored pairs of the division, so that another threshold, cap or draw asks
            nothing new; or only the `drawn` ones, when every question is dear.
        kind: Name of the question set, as it stands in tables: `existence`, `existence_cot`.
        max_tokens: Most new tokens of a reply; null for the VLM's own setting.

    Raises:
        OodexpError: If a template or the population is not as it should be.
    """

    def __init__(
        self, templates: Mapping[str, str], population: str = "all", kind: str = "existence",
        max_tokens: int | None = None,
    ) -> None:  # fmt: skip
        self._templates = checked(templates, population)
        self._population = population
        self._kind = kind
        self._max_tokens = max_tokens

    def ask(self, known: Known) -> pd.DataFrame:
        """See `base.Questioner`; pairs in order, the present question first."""
        return table.concat(Question, self.parts(known))

    def parts(self, known: Known) -> Iterator[pd.DataFrame]:
        """See `base.Parted`."""
        chosen = known.memberships[known.memberships["split"].notna()]
        if self._population == "drawn":
            chosen = chosen[chosen["drawn"]]
        for start in range(0, len(chosen), PAIRS):
            pairs = chosen.iloc[start : start + PAIRS].reset_index(drop=True)
            both = [self._questions(pairs, polarity) for polarity in ("present", "absent")]
            # A stable sort by pair puts the two questions of a pair, and an image's, side by side.
            yield table.check(Question, pd.concat(both).sort_index(kind="stable"))

    def _questions(self, pairs: pd.DataFrame, polarity: str) -> pd.DataFrame:
        template = self._templates[polarity]
        key = (
            pairs["source"].map(escaped)
            + "/"
            + pairs["image_id"].map(escaped)
            + "/"
            + pairs["category"]
        )
        yes = pairs["present"].to_numpy(dtype=bool) == (polarity == "present")
        return pd.DataFrame(
            {
                "question_id": key + f"/{self._kind}/{polarity}",
                "source": pairs["source"],
                "image_id": pairs["image_id"],
                "category": pairs["category"],
                "kind": self._kind,
                "polarity": polarity,
                "prompt": [template.replace("{}", c) for c in pairs["category"]],
                "target": pd.Series(yes, index=pairs.index).map({True: "yes", False: "no"}),
                "other": None,
                "split": pairs["split"],
                "strategy": None,
                "max_tokens": pd.Series(self._max_tokens, index=pairs.index, dtype="Int64"),
            }
        )


def checked(templates: Mapping[str, str], population: str) -> dict[str, str]:
    """The templates of both polarities.

    Raises:
        OodexpError: If a template or the population is not as it should be.
    """
    if set(templates) != {"present", "absent"} or any("{}" not in t for t in templates.values()):
        raise OodexpError(
            f"question.templates={dict(templates)}: expected the keys present and absent, each "
            "with {} where the category goes"
        )
    if population not in POPULATIONS:
        raise OodexpError(
            f"question.population={population}: expected one of {', '.join(POPULATIONS)}"
        )
    return dict(templates)
