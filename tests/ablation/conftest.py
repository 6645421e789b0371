"""A random source with logits, questions about every cell, and answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from oodexp import table
from oodexp.ablation.lot import Lot, lot
from oodexp.ablation.stock import Stock, stock
from oodexp.division.base import Matrix
from oodexp.division.cross_validation import CrossValidation
from oodexp.metric.base import Evidence
from oodexp.question.base import Known
from oodexp.question.existence import Existence
from oodexp.record import ABSENT, PRESENT, Answer, Completion, Membership, Pair

READERS = ("mine", "theirs")
QUESTIONER = Existence({"present": "is there {}?", "absent": "is there no {}?"})


@dataclass
class Made:
    """Sources with all that an ablation needs."""

    matrices: list[Matrix]
    logits: list[dict[str, np.ndarray]]
    pairs: pd.DataFrame
    questions: pd.DataFrame
    answers: pd.DataFrame
    links: dict[str, str]

    def lots(self, **field: str) -> list[Lot]:
        return [
            lot(matrix, logits, self.links, **field)
            for matrix, logits in zip(self.matrices, self.logits, strict=True)
        ]

    def stock(self, **field: str) -> Stock:
        return stock(self.lots(**field), self.pairs, self.questions, self.answers)

    def memberships(self, scorers: Sequence[str], division: CrossValidation) -> pd.DataFrame:
        """By the division itself."""
        parts = [
            division.divide(matrix, {n: logits[n] for n in scorers}, {}, self.links).memberships
            for matrix, logits in zip(self.matrices, self.logits, strict=True)
        ]
        return table.concat(Membership, parts)

    def evidence(self, memberships: pd.DataFrame) -> Evidence:
        return Evidence(
            self.pairs, memberships, self.questions, self.answers, table.frame(Completion)
        )


def make(
    seed: int = 0, images: int = 40, categories: int = 6, scorers: int = 3, sources: int = 1,
    unknown: float = 0.0, lost: float = 0.0, absent: bool = True, planted: bool = False,
) -> Made:  # fmt: skip
    rng = np.random.default_rng(seed)
    matrices, logits, pairs = [], [], []
    for number in range(sources):
        presence = rng.choice(
            np.array([0, 1, 2], np.uint8), (images, categories), p=[0.65 - unknown, 0.35, unknown]
        )
        presence[:, 0] = PRESENT  # every image has a pair
        names = [f"c{n}" for n in rng.permutation(categories)]
        ids = [f"i{n}" for n in rng.permutation(images)]
        matrices.append(Matrix(f"src{number}", ids, names, presence))
        found = {}
        for k in range(scorers):
            noise = rng.normal(0, 2.5, presence.shape)
            found[f"s{k}"] = np.float32(3 * (presence == PRESENT) + noise)
            found[f"s{k}"][rng.random(presence.shape) < lost] = np.nan
        logits.append(found)
        pairs.append(_pairs(matrices[-1], rng, planted))
    whole = table.concat(Pair, pairs)
    asked = table.concat(Membership, [_cells(m, absent) for m in matrices])
    questions = QUESTIONER.ask(Known(asked, whole, []))
    links = {"s1": "sigmoid"}
    return Made(matrices, logits, whole, questions, _answers(questions, rng), links)


def _pairs(matrix: Matrix, rng: np.random.Generator, planted: bool) -> pd.DataFrame:
    rows, columns = np.nonzero(matrix.presence == PRESENT)
    n, reasons = len(rows), np.array(["canonical", "secondary", "variant: odd"], object)
    return table.frame(
        Pair,
        {
            "source": [matrix.source] * n,
            "image_id": [matrix.image_ids[r] for r in rows],
            "category": [matrix.categories[c] for c in columns],
            "count": rng.integers(1, 9, n), "count_reason": [None] * n,
            "area": rng.choice([100.0, 5000.0, 50000.0], n),
            "planted": list(rng.choice(reasons, n)) if planted else [None] * n,
        },
    )  # fmt: skip


def _cells(matrix: Matrix, absent: bool) -> pd.DataFrame:
    wanted = (matrix.presence == PRESENT) | (absent & (matrix.presence == ABSENT))
    rows, columns = np.nonzero(wanted)
    n = len(rows)
    return table.frame(
        Membership,
        {
            "source": [matrix.source] * n,
            "image_id": [matrix.image_ids[r] for r in rows],
            "category": [matrix.categories[c] for c in columns],
            "present": matrix.presence[rows, columns] == PRESENT,
            "split": ["ID"] * n, "flags": pd.array([0] * n, dtype="Int64"),
            "scorers": [1] * n, "drawn": [True] * n, "reason": [None] * n,
        },
    )  # fmt: skip


def _answers(questions: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    parts = []
    for vlm, skill in (("b", 0.8), ("a", 0.6)):
        for reader in READERS:
            right = rng.random(len(questions)) < skill
            yes = (questions["target"] == "yes").to_numpy() == right
            reading = np.where(yes, "yes", "no").astype(object)
            reading[rng.random(len(questions)) < 0.1] = None
            correct = reading == questions["target"].to_numpy()
            parts.append(
                questions[["question_id"]].assign(
                    vlm=vlm, reader=reader, reading=reading, status="read", flag=None,
                    correct=correct,
                )
            )  # fmt: skip
    whole = pd.concat(parts).sample(frac=1, random_state=int(rng.integers(99)))
    return table.check(Answer, whole.reset_index(drop=True))


@pytest.fixture(scope="session")
def made() -> Callable[..., Made]:
    """Makes sources: `made(seed=0, images=40, categories=6, scorers=3, sources=1, unknown=0.0,
    lost=0.0, absent=True, planted=False)`."""
    return make
