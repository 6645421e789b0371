"""Answers joined to what they are about, under each convention for unread answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from oodexp.columns import Codes, arrow, coded, only, positions
from oodexp.metric.base import Evidence
from oodexp.metric.mix import Grouping, groupings

PAIR = ["source", "image_id", "category"]
YES, NO, UNREAD, UNASKED = 1, 0, -1, -2
"""Codes of a reading."""


class Asked(NamedTuple):
    """The questions about drawn pairs, as numbers, (question,)."""

    kind: Codes
    """The question set."""
    source: Codes
    """The data set."""
    image: np.ndarray
    """Number of the image in `images`."""
    images: pd.Index
    """Source and id of each image with an answer, a NUL between them, in order."""
    pair: np.ndarray
    """Number of the pair among the memberships."""
    split: Codes
    """Split of the pair."""
    target: np.ndarray
    """Whether yes is right, bool."""
    groupings: list[Grouping]
    """Composition groups, `codes` by question."""


class Judged(NamedTuple):
    """The answers of one VLM to questions of `Asked` under one convention."""

    convention: str
    """`headline`, `read` or `paper`."""
    question: np.ndarray
    """Numbers of the answered questions."""
    answer: np.ndarray
    """Whether the answer is yes, bool; of an unread one the wrong answer."""
    unread: np.ndarray
    """Whether there is no reading, bool."""
    used: np.ndarray
    """Whether the answer counts, bool."""


class Readings(NamedTuple):
    """What each VLM said to the questions of an `Asked`."""

    asked: Asked
    """The questions."""
    said: dict[str, dict[str, np.ndarray]]
    """Codes of readings, int8, (question,), by VLM in order of name, then by convention."""

    def judged(self, vlm: str) -> Iterator[Judged]:
        """The answers of a VLM under each convention.

        `headline` takes an unread answer as the wrong one; `read` leaves it out; `paper` reads by
        the authors' rule, to which only failed requests are unread, and leaves out both questions
        of a pair with a failed request.
        """
        for convention in ("headline", "read", "paper"):
            said = self.said[vlm]["paper" if convention == "paper" else "headline"]
            question = np.flatnonzero(said != UNASKED)
            mine, unread = said[question], said[question] == UNREAD
            used = np.ones(len(question), bool)
            if convention == "read":
                used = ~unread
            elif convention == "paper":
                used = ~self._failed(question, unread)
            answer = np.where(unread, ~self.asked.target[question], mine == YES)
            yield Judged(convention, question, answer, unread, used)

    def _failed(self, question: np.ndarray, unread: np.ndarray) -> np.ndarray:
        """Whether a question of the same kind about the pair is unread, bool."""
        kinds = len(self.asked.kind.texts)
        place = self.asked.pair[question] * kinds + self.asked.kind.codes[question]
        return np.isin(place, place[unread])


def readings(evidence: Evidence, headline: str, paper: str) -> Readings:
    """All readings of all questions about drawn pairs.

    Args:
        evidence: The tables.
        headline: Name of the reader of `headline` and `read`.
        paper: Name of the reader with the authors' rule.
    """
    members = evidence.memberships[[*PAIR, "split", "drawn"]]
    members = members[members["drawn"]].reset_index(drop=True)
    pair = positions(members, evidence.questions, PAIR)
    rows = np.flatnonzero(pair >= 0)
    said = _said(evidence, {"headline": headline, "paper": paper}, rows)
    return Readings(_asked(evidence, members, pair[rows], rows, said), said)


def _said(
    evidence: Evidence, readers: dict[str, str], rows: np.ndarray
) -> dict[str, dict[str, np.ndarray]]:
    """See `Readings.said`; of the questions in some rows, and of VLMs that answered one."""
    found: dict[str, dict[str, np.ndarray]] = {}
    for convention, reader in readers.items():
        answers = only(evidence.answers, "reader", reader)
        question = positions(evidence.questions, answers, ["question_id"])
        vlm, code = coded(answers, "vlm"), _reading(arrow(answers, "reading"))
        for number, name in enumerate(vlm.texts):
            whole = np.full(len(evidence.questions), UNASKED, np.int8)
            chosen = (vlm.codes == number) & (question >= 0)
            whole[question[chosen]] = code[chosen]
            found.setdefault(name, {})[convention] = whole[rows]
    nothing = np.full(len(rows), UNASKED, np.int8)
    whole_of = {vlm: dict.fromkeys(readers, nothing) | mine for vlm, mine in found.items()}
    return {
        vlm: mine
        for vlm, mine in sorted(whole_of.items())
        if any((said != UNASKED).any() for said in mine.values())
    }


def _reading(column: pa.ChunkedArray) -> np.ndarray:
    yes = pc.equal(column, "yes") if not pa.types.is_null(column.type) else column
    return pc.fill_null(yes.cast(pa.int8()), UNREAD).to_numpy()


def _asked(
    evidence: Evidence, members: pd.DataFrame, pair: np.ndarray, rows: np.ndarray,
    said: dict[str, dict[str, np.ndarray]],
) -> Asked:  # fmt: skip
    """The questions in some rows about pairs of these numbers."""
    source = _chosen(coded(evidence.questions, "source"), rows)
    image = _chosen(coded(evidence.questions, "image_id"), rows)
    kind = _chosen(coded(evidence.questions, "kind"), rows)
    target = _chosen(coded(evidence.questions, "target"), rows)
    split = coded(members, "split")
    answered = np.zeros(len(rows), bool)
    for mine in said.values():
        for codes in mine.values():
            answered |= codes != UNASKED
    number, images = _images(source, image, answered)
    known = evidence.pairs[[*PAIR, "count", "area", "planted"]]
    place = positions(known, members, PAIR)[pair]
    grouped = [g._replace(codes=np.append(g.codes, -1)[place]) for g in groupings(known)]
    yes = target.texts.index("yes") if "yes" in target.texts else -2
    return Asked(
        kind, source, number, images, pair, Codes(split.codes[pair], split.texts),
        target.codes == yes, grouped,
    )  # fmt: skip


def _chosen(column: Codes, rows: np.ndarray) -> Codes:
    return Codes(column.codes[rows], column.texts)


def _images(source: Codes, image: Codes, answered: np.ndarray) -> tuple[np.ndarray, pd.Index]:
    """Number of each question's image, -1 for one without answers, and the images in order."""
    total = max(1, len(image.texts))
    key = source.codes.astype(np.int64) * total + image.codes
    different, inverse = np.unique(key[answered], return_inverse=True)
    names = [f"{source.texts[k // total]}\0{image.texts[k % total]}" for k in different.tolist()]
    order = np.argsort(np.array(names, dtype=object), kind="stable") if names else different
    rank = np.empty(len(names), np.int64)
    rank[order] = np.arange(len(names))
    number = np.full(len(key), -1, np.int64)
    number[answered] = rank[inverse] if names else inverse
    return number, pd.Index([names[n] for n in order], dtype="str")
