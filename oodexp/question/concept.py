"""A concept set put to VLMs: is an image's own phrase seen, and is another one not.

OODConceptBench (section 3) asks dual encoders alone. Here every present pair of an image and its
concept phrase is asked both ways, as `question.existence` does. Beside it stands a control: a
phrase of another concept, asked both ways, too, so a VLM that says the same to everything is right
half of the time. Nobody annotated that the image lacks the other concept; that it does is an
assumption about images that were collected for one concept each. Phrases of which one holds all
words of the other (`elephant`, `origami elephant`) are therefore no controls of one another, nor is
what is annotated as present.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from oodexp import table
from oodexp.error import OodexpError
from oodexp.question.base import Known, Presence, escaped
from oodexp.question.existence import checked
from oodexp.record import PRESENT, Question

if TYPE_CHECKING:
    from typing import Literal

KIND = "concept"
OWN = "present"
"""The strategy of an image's own phrase, as of present categories in polling."""
CONTROLS = ("family", "any", "none")
POLARITIES = ("present", "absent")


@dataclass(frozen=True, slots=True)
class KnownConcepts(Known):
    """What is known of a concept set: a control of the same family needs the families."""

    concepts: pd.DataFrame
    """`record.Concept` of all sources."""


class _Asked(NamedTuple):
    """A phrase to ask about, both ways, for an image's own pair."""

    source: str
    image_id: str
    own: str
    phrase: str
    split: str
    strategy: str

    def question(self, template: str, polarity: str, max_tokens: int | None) -> Question:
        """The question of one polarity."""
        name = (escaped(self.source), escaped(self.image_id), escaped(self.own), KIND)
        there = self.strategy == OWN
        end = (polarity,) if there else (f"control: {self.strategy}", polarity)
        target = "yes" if there == (polarity == "present") else "no"
        return Question(
            "/".join((*name, *end)), self.source, self.image_id, self.phrase, KIND, polarity,
            template.replace("{}", self.phrase), target,
            split=self.split, strategy=self.strategy, max_tokens=max_tokens,
        )  # fmt: skip


class Concept:
    """Asks about each image's own concept phrase and a control phrase, both ways.

    Args:
        templates: Prompt by polarity, as for `existence.Existence`: the same words share the
            completions of its questions.
        control: Where a control phrase comes from: another concept of the same `family` of the
            same source (needs `KnownConcepts`), `any` other phrase of the source, or `none`.
        population: `all` pairs that are in a level, or only the `drawn` ones.
        seed: Seed of the choice of controls; every pair has a generator of its own.
        max_tokens: Most new tokens of a reply; null for the VLM's own setting.

    Raises:
        OodexpError: If an option is not as it should be.
    """

    def __init__(
        self, templates: Mapping[str, str], control: Literal["family", "any", "none"] = "family",
        population: str = "all", seed: int = 0, max_tokens: int | None = None,
    ) -> None:  # fmt: skip
        self._templates = checked(templates, population)
        if control not in CONTROLS:
            raise OodexpError(f"question.control={control}: expected one of {', '.join(CONTROLS)}")
        if seed < 0:
            raise OodexpError(f"question.seed={seed}: expected a number >= 0")
        self._control = control
        self._population = population
        self._seed = seed
        self._max_tokens = max_tokens

    def ask(self, known: Known) -> pd.DataFrame:
        """See `base.Questioner`; pairs in order, an image's own phrase before its control.

        Raises:
            OodexpError: If a control of the same family is wanted and the families are not known,
                or a phrase has no other one that could be its control.
        """
        members = known.memberships
        pairs = members[members["present"].astype(bool) & members["split"].notna()]
        if self._population == "drawn":
            pairs = pairs[pairs["drawn"].astype(bool)]
        rows = [
            each.question(self._templates[polarity], polarity, self._max_tokens)
            for matrix in known.matrices
            for each in self._of_source(known, matrix, pairs[pairs["source"] == matrix.source])
            for polarity in POLARITIES
        ]
        return table.frame(Question, rows)

    def _of_source(self, known: Known, matrix: Presence, pairs: pd.DataFrame) -> Iterator[_Asked]:
        controls = None if self._control == "none" else self._controls(known, matrix)
        for image_id, own, split in pairs[["image_id", "category", "split"]].itertuples(
            index=False
        ):
            yield _Asked(matrix.source, image_id, own, own, split, OWN)
            if controls is not None:
                other = controls.draw(image_id, own, self._seed)
                yield _Asked(matrix.source, image_id, own, other, split, self._control)

    def _controls(self, known: Known, matrix: Presence) -> _Controls:
        if self._control == "any":
            return _Controls(matrix, None)
        if not isinstance(known, KnownConcepts):
            raise OodexpError(
                "question.control=family: nothing says which family a phrase is of; give a source "
                "of concepts, or set question.control=any or none"
            )
        mine = known.concepts[known.concepts["source"] == matrix.source]
        families: dict[str, set[str]] = {}
        for phrase, family in mine[["phrase", "category"]].itertuples(index=False):
            families.setdefault(phrase, set()).add(family)
        return _Controls(matrix, families)


class _Controls:
    """The phrases of a source that may stand beside an image's own one.

    Args:
        matrix: The annotations; its categories are the phrases.
        families: Families of each phrase; None where every phrase may stand beside any other.
    """

    def __init__(self, matrix: Presence, families: Mapping[str, set[str]] | None) -> None:
        self._matrix = matrix
        self._families = families
        self._rows = {image_id: n for n, image_id in enumerate(matrix.image_ids)}
        self._beside: dict[str, np.ndarray] = {}

    def draw(self, image_id: str, own: str, seed: int) -> str:
        """One control phrase of an image, whatever the other images are."""
        if own not in self._beside:
            self._beside[own] = self._candidates(own)
        columns = self._beside[own]
        free = columns[self._matrix.presence[self._rows[image_id], columns] != PRESENT]
        if not len(free):
            among = "of its family" if self._families is not None else "of the source"
            raise OodexpError(
                f"{self._matrix.source}, image {image_id}: no other phrase {among} can be the "
                f"control of {own!r}; set question.control="
                f"{'any or none' if self._families is not None else 'none'}"
            )
        name = "\0".join((self._matrix.source, image_id, own)).encode()
        digest = int.from_bytes(hashlib.sha256(name).digest()[:8], "little")
        rng = np.random.default_rng([seed, digest])
        return str(self._matrix.categories[free[rng.integers(len(free))]])

    def _candidates(self, own: str) -> np.ndarray:
        fits = [n for n, phrase in enumerate(self._matrix.categories) if self._fits(own, phrase)]
        # By name: the order in which a source lists its phrases decides nothing.
        fits.sort(key=self._matrix.categories.__getitem__)
        return np.array(fits, dtype=np.int64)

    def _fits(self, own: str, phrase: str) -> bool:
        mine, theirs = (frozenset(p.casefold().split()) for p in (own, phrase))
        if mine <= theirs or theirs <= mine:
            return False
        if self._families is None:
            return True
        return bool(self._families.get(own, set()) & self._families.get(phrase, set()))
