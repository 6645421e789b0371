"""Absent categories beside present ones, chosen as POPE does, in the words of OODBench.

For an image with k asked pairs of a split: these k present categories, and by each strategy of
`question.absent` up to k categories that are annotated as absent (OODBench, appendix E compares
with such benchmarks). An absent category has no split of its own: it stands beside the present
pairs, so what a VLM invents is counted for the images that hold them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

from oodexp import table
from oodexp.error import OodexpError
from oodexp.question.absent import STRATEGIES, Absent
from oodexp.question.base import escaped
from oodexp.question.existence import checked
from oodexp.record import SPLITS, Question

if TYPE_CHECKING:
    from oodexp.question.base import Known, Presence

KIND = "polling"
BESIDE = "present"
"""The strategy of the present categories."""
POLARITIES = ("present", "absent")


class _Asked(NamedTuple):
    """A category to ask about, both ways."""

    source: str
    image_id: str
    category: str
    split: str
    strategy: str

    def question(self, template: str, polarity: str, max_tokens: int | None) -> Question:
        """The question of one polarity."""
        name = (escaped(self.source), escaped(self.image_id), self.category, KIND)
        target = "yes" if (self.strategy == BESIDE) == (polarity == "present") else "no"
        return Question(
            "/".join((*name, self.split, self.strategy, polarity)), self.source, self.image_id,
            self.category, KIND, polarity, template.replace("{}", self.category), target,
            split=self.split, strategy=self.strategy, max_tokens=max_tokens,
        )  # fmt: skip


class Polling:
    """Asks about present and absent categories of each image and split, both ways.

    Args:
        templates: Prompt by polarity, as for `existence.Existence`: the same words share the
            completions of its questions.
        population: `drawn` pairs, or `all` divided ones.
        strategies: How absent categories are chosen, some of `question.absent.STRATEGIES`.
        seed: Seed of the strategy `random`.
        max_tokens: Most new tokens of a reply; null for the VLM's own setting.

    Raises:
        OodexpError: If an option is not as it should be.
    """

    def __init__(
        self, templates: Mapping[str, str], population: str = "drawn",
        strategies: Sequence[str] = STRATEGIES, seed: int = 0, max_tokens: int | None = None,
    ) -> None:  # fmt: skip
        self._templates = checked(templates, population)
        chosen = [s for s in STRATEGIES if s in strategies]
        if not chosen or len(chosen) != len(strategies):
            raise OodexpError(
                f"question.strategies={list(strategies)}: expected some of "
                f"{', '.join(STRATEGIES)}, each once"
            )
        if seed < 0:
            raise OodexpError(f"question.seed={seed}: expected a number >= 0")
        self._population = population
        self._strategies = chosen
        self._seed = seed
        self._max_tokens = max_tokens

    def ask(self, known: Known) -> pd.DataFrame:
        """See `base.Questioner`; by image, split and strategy, an image's questions together."""
        members = known.memberships
        pairs = members[members["present"].astype(bool) & members["split"].notna()]
        if self._population == "drawn":
            pairs = pairs[pairs["drawn"]]
        asked = [
            each
            for matrix in known.matrices
            for each in self._of_source(matrix, pairs[pairs["source"] == matrix.source])
        ]
        rows = [
            each.question(self._templates[polarity], polarity, self._max_tokens)
            for each in asked
            for polarity in POLARITIES
        ]
        return table.frame(Question, rows)

    def _of_source(self, matrix: Presence, pairs: pd.DataFrame) -> Iterator[_Asked]:
        rows = {image_id: n for n, image_id in enumerate(matrix.image_ids)}
        absent = Absent(matrix.source, matrix.presence, self._seed)
        for image_id, mine in pairs.groupby("image_id", sort=False):
            order = {
                s: [matrix.categories[c] for c in absent.order(rows[image_id], image_id, s)]
                for s in self._strategies
            }
            for split in SPLITS:
                present = mine.loc[mine["split"] == split, "category"].tolist()
                chosen = {BESIDE: present} | {s: order[s][: len(present)] for s in order}
                for strategy, categories in chosen.items():
                    for category in categories:
                        yield _Asked(matrix.source, image_id, category, split, strategy)
