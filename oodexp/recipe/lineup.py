"""Answers of several runs lined up, so that models of different runs can be held to each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from oodexp import record
from oodexp.error import OodexpError
from oodexp.metric.binary import FN, FP, TN, TP
from oodexp.recipe.summary import PAIR

if TYPE_CHECKING:
    from oodexp.tracker.base import Past

IMAGE = ["source", "image_id"]
CHECKS = {
    "prompt": "another prompt", "target": "another right answer", "sha256": "other image bytes",
    "split": "another split",
}  # fmt: skip
"""What has to be the same for a question to be the same, in this order, and what it is if not."""


@dataclass(frozen=True, slots=True)
class Line:
    """What one run asked and was answered."""

    label: str
    """Letter of the run."""
    members: pd.DataFrame
    """Its division (`record.Membership`), present pairs only."""
    asked: pd.DataFrame
    """Answers of the headline reader about drawn pairs: vlm, question_id, correct, kind, prompt,
    target, split, source, image_id, sha256."""

    @property
    def vlms(self) -> list[str]:
        """Its VLMs."""
        return sorted(self.asked["vlm"].unique())

    @property
    def questions(self) -> pd.DataFrame:
        """Its questions that all of its VLMs were asked, each once, by id."""
        by_id = self.asked.groupby("question_id", sort=False)
        first = by_id[[*CHECKS, "kind"]].first()
        return first[by_id.size() == len(self.vlms)]


class Model(NamedTuple):
    """A VLM of a run."""

    line: int
    """Number of the run."""
    vlm: str
    """Its name there."""
    name: str
    """The same with the letter of the run, where several runs have it."""


def load(past: Past, label: str) -> Line:
    """Reads the tables of a run.

    Raises:
        OodexpError: If it has no answers.
    """
    reader = str(past.config["answer"]["reader"])
    members = past.table("memberships", record.Membership)
    questions = past.table("questions", record.Question)
    images = past.table("images", record.Image)[[*IMAGE, "sha256"]]
    answers = past.table("answers", record.Answer)
    answers = answers[answers["reader"] == reader]
    asked = answers[["vlm", "question_id", "correct"]].merge(questions, on="question_id")
    asked = asked.merge(images, on=IMAGE, how="left").merge(
        members[[*PAIR, "drawn", "split"]].rename(columns={"split": "of_pair"}), on=PAIR, how="left"
    )
    asked["split"] = asked["split"].fillna(asked["of_pair"])
    asked["sha256"] = asked["sha256"].fillna("")
    # A question about no pair of the division, such as an absent category of polling, counts.
    counts = asked["drawn"].fillna(True).astype(bool) & asked["split"].isin(record.SPLITS)
    kept = asked.loc[counts, ["vlm", "question_id", "correct", "kind", *CHECKS, *IMAGE]]
    if kept.empty:
        raise OodexpError(
            f"run={past.run_id} ({past.name}): no answer about a drawn pair; expected a run that "
            "asked VLMs, such as one of experiment=main"
        )
    return Line(label, members[members["present"]], kept.reset_index(drop=True))


def models(lines: Sequence[Line]) -> list[Model]:
    """All models, run by run."""
    every = [(n, vlm) for n, line in enumerate(lines) for vlm in line.vlms]
    often = pd.Series([vlm for _, vlm in every]).value_counts()
    return [
        Model(n, vlm, vlm if often[vlm] == 1 else f"{vlm} {lines[n].label}") for n, vlm in every
    ]


def common(lines: Sequence[Line], kind: str) -> tuple[pd.Index, dict[str, list[int]]]:
    """Questions of a kind that every run asked all of its models about, in the same words.

    Returns:
        Their ids; and how many questions each run had before each check and after the last one,
        by what the check is about.
    """
    every = [line.questions for line in lines]
    each = [questions[questions["kind"] == kind] for questions in every]
    told = {"questions about drawn pairs": [len(one) for one in each]}
    ids = reduce(lambda a, b: a.intersection(b, sort=False), [one.index for one in each])
    told["asked in every run"] = [len(ids)] * len(lines)
    for column, words in CHECKS.items():
        values = [one.loc[ids, column].astype(str).to_numpy() for one in each]
        same = np.all([mine == values[0] for mine in values], axis=0)
        if not same.all():
            ids = ids[same]
            told[f"left without {words}"] = [len(ids)] * len(lines)
    return ids, told


def counted(
    lines: Sequence[Line], chosen: Sequence[Model], kind: str, ids: pd.Index | None = None
) -> np.ndarray:
    """Confusion counts of all models on the images of all runs.

    Where a target is a number, right and wrong are TP and FN: only the accuracy is one then.

    Args:
        lines: The runs.
        chosen: The models.
        kind: Kind of the questions.
        ids: Questions that count; None for all of each run.

    Returns:
        tp, fp, fn, tn, int64, (image, model, split, 4), splits as `record.SPLITS`.
    """
    rows = pd.concat(_rows(lines, chosen, kind), ignore_index=True)
    image, names = pd.factorize(pd.MultiIndex.from_frame(rows[IMAGE]))
    split = pd.Index(record.SPLITS).get_indexer(rows["split"])
    right, no = rows["correct"].to_numpy(dtype=bool), (rows["target"] == "no").to_numpy()
    cell = np.where(no, np.where(right, TN, FP), np.where(right, TP, FN))
    counts = np.zeros((len(names), len(chosen), len(record.SPLITS), 4), dtype=np.int64)
    known = np.ones(len(rows), bool) if ids is None else rows["question_id"].isin(ids).to_numpy()
    place = image, rows["model"].to_numpy(), split, cell
    np.add.at(counts, tuple(part[known] for part in place), 1)
    return counts


def _rows(lines: Sequence[Line], chosen: Sequence[Model], kind: str) -> Iterable[pd.DataFrame]:
    for number, model in enumerate(chosen):
        asked = lines[model.line].asked
        mine = asked[(asked["vlm"] == model.vlm) & (asked["kind"] == kind)]
        yield mine.assign(model=number)


def kinds(lines: Sequence[Line], runs: Sequence[str]) -> list[str]:
    """Kinds of questions that every run asked.

    Raises:
        OodexpError: If there is none.
    """
    each = [list(line.asked["kind"].unique()) for line in lines]
    shared = [kind for kind in each[0] if all(kind in other for other in each)]
    if not shared:
        told = "; ".join(f"{run} asked {mine}" for run, mine in zip(runs, each, strict=True))
        raise OodexpError(f"runs: no kind of question that all of them asked ({told})")
    return shared
