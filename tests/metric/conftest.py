"""Hand-made tables of a measurement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from oodexp import table
from oodexp.metric.base import Evidence
from oodexp.record import Answer, Completion, Membership, Pair, Question


@dataclass
class Desk:
    """Collects pairs with what each VLM answered; `evidence` makes the tables."""

    pairs: list[Pair] = field(default_factory=list)
    members: list[Membership] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)

    def add(
        self, split: str, said: Sequence[str | None], *, vlm: str = "m", image: str | None = None,
        category: str = "dog", paper: Sequence[str | None] | None = None, present: bool = True,
        drawn: bool = True, source: str = "s", planted: str | None = None,
        area: float | None = None,
    ) -> None:  # fmt: skip
        """A pair of a split, and the readings of its presence and its absence question.

        Args:
            said: By the headline's reader; None is unread.
            paper: By the authors' rule, where an unread text is a no; None is a failed request.
        """
        image = image or f"image{len(self.members)}"
        key = source, image, category
        if key not in {(m.source, m.image_id, m.category) for m in self.members}:
            if present:
                self.pairs.append(Pair(*key, 1, None, area, planted))
            self.members.append(Membership(*key, present, split, 0, 2, drawn, None))
        for polarity, mine, theirs in zip(
            ("present", "absent"), said, paper or [w or "no" for w in said], strict=True
        ):
            name = "/".join((*key, polarity))
            target = "yes" if present == (polarity == "present") else "no"
            if name not in {q.question_id for q in self.questions}:
                asked = Question(name, *key, "existence", polarity, "?", target)
                self.questions.append(asked)
            for reader, word in (("mine", mine), ("theirs", theirs)):
                status = "read" if word else "unknown" if reader == "mine" else "error"
                self.answers.append(Answer(vlm, reader, name, word, status, None, word == target))

    def evidence(self) -> Evidence:
        """The tables, the answers in another order than the questions."""
        return Evidence(
            table.frame(Pair, self.pairs), table.frame(Membership, self.members),
            table.frame(Question, self.questions), table.frame(Answer, self.answers[::-1]),
            table.frame(Completion),
        )  # fmt: skip


@pytest.fixture
def desk() -> Desk:
    """An empty desk."""
    return Desk()
