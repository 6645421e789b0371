"""Basic-to-Advanced Progression (OODBench, BAP): existence, then counting, then logic.

Of two categories of an image: are they there, how many of each, and is the one number greater. The
existence questions are worded as in `question.existence`, so their completions are shared.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

import pandas as pd

from oodexp import table
from oodexp.error import OodexpError
from oodexp.question.base import escaped
from oodexp.question.existence import checked
from oodexp.question.two_labels import two_labels
from oodexp.record import Question

if TYPE_CHECKING:
    from oodexp.question.base import Known

OPTIONS = {"labels": ("split", "any"), "ties": ("keep", "drop")}
TEMPLATES = {"present": 1, "absent": 1, "count": 1, "compare": 2}
"""Polarities in the order that they are asked in, and the places for a category in each."""


class Progression:
    """Seven questions about each sampled image: four on existence, two on counts, one on logic.

    A count is the number of annotated instances; where it is not known (a crowd region) the
    category is in no sample. The comparison asks whether the first number is greater, so a tie is
    answered "no".

    Args:
        templates: Prompt by polarity, with `{}` where a category goes: `present`, `absent` and
            `count` once, `compare` twice.
        labels: `split`: both categories are pairs of the split; `any`: the second may be any
            present category of the image.
        ties: Whether to `keep` or `drop` images whose two counts are equal.
        population: `all` scored pairs of the division, or only the `drawn` ones.
        cap: Most images of a source and split; null for all.
        seed: Seed of all that is drawn.
        max_tokens: Most new tokens of a reply; null for the VLM's own setting.

    Raises:
        OodexpError: If an option is not as it should be.
    """

    def __init__(
        self, templates: Mapping[str, str], labels: str = "split", ties: str = "keep",
        population: str = "all", cap: int | None = 3000, seed: int = 0,
        max_tokens: int | None = None,
    ) -> None:  # fmt: skip
        slots = {polarity: text.count("{}") for polarity, text in templates.items()}
        if slots != TEMPLATES:
            raise OodexpError(
                f"question.templates={dict(templates)}: expected {', '.join(TEMPLATES)}, with {{}} "
                "where a category goes: twice in compare, once in the others"
            )
        existence = {polarity: templates[polarity] for polarity in ("present", "absent")}
        self._templates = dict(templates) | checked(existence, population)
        for name, value in {"labels": labels, "ties": ties}.items():
            if value not in OPTIONS[name]:
                expected = " or ".join(OPTIONS[name])
                raise OodexpError(f"question.{name}={value}: expected {expected}")
        if (cap is not None and cap < 1) or seed < 0:
            raise OodexpError(
                f"question.cap={cap}, question.seed={seed}: expected at least 1 (or null), and a "
                "number >= 0"
            )
        self._draw = partial(two_labels, second=labels, ties=ties, cap=cap, seed=seed)
        self._population = population
        self._max_tokens = max_tokens

    def ask(self, known: Known) -> pd.DataFrame:
        """See `base.Questioner`; the questions of a sample side by side, from basic to advanced."""
        members = known.memberships
        members = members[members["present"] & members["split"].notna()]
        if self._population == "drawn":
            members = members[members["drawn"]]
        rows: list[Question] = []
        for sample in self._draw(members, known.pairs).itertuples(index=False):
            counts = {sample.category: int(sample.count), sample.other: int(sample.other_count)}
            at = (sample.source, sample.image_id, sample.split)
            for polarity, target in (("present", "yes"), ("absent", "no")):
                rows += [self._question(at, "existence", polarity, (c,), target) for c in counts]
            rows += [
                self._question(at, "counting", "count", (c,), str(n)) for c, n in counts.items()
            ]
            greater = "yes" if sample.count > sample.other_count else "no"
            rows.append(self._question(at, "logic", "compare", tuple(counts), greater))
        return table.frame(Question, rows)

    def _question(
        self, at: tuple[str, str, str], kind: str, polarity: str, categories: tuple[str, ...],
        target: str,
    ) -> Question:  # fmt: skip
        source, image_id, split = at
        # Put together from its pieces: a category may hold braces.
        pieces = self._templates[polarity].split("{}")
        prompt = pieces[0] + "".join(
            c + piece for c, piece in zip(categories, pieces[1:], strict=True)
        )
        name = (escaped(source), escaped(image_id), " > ".join(categories), kind, split, polarity)
        return Question(
            "/".join(name), source, image_id, categories[0], kind, polarity, prompt, target,
            other=categories[1] if len(categories) > 1 else None, split=split,
            max_tokens=self._max_tokens,
        )  # fmt: skip
