"""From the tables of a run to the arrays that the tests of evidence look at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from oodexp import record, table
from oodexp.evidence.base import Answers, Case, Sample
from oodexp.metric.binary import FN, FP, TN, TP
from oodexp.predict.features import features
from oodexp.recipe.summary import PAIR
from oodexp.record import SPLITS

if TYPE_CHECKING:
    from oodexp.recipe.base import Desk
    from oodexp.recipe.evidence import Audit
    from oodexp.recipe.world import World

KIND = "existence"
"""The question set whose answers count."""


def assemble(desk: Desk, parts: Audit, worlds: Sequence[World]) -> Case:
    """The case of a run.

    Args:
        desk: With the tables of both sides.
        parts: The parts of the run.
        worlds: The sources, those of the test side first.
    """
    members = desk.tables["memberships"]
    members = members[members["present"] & members["split"].notna()]
    mean = desk.tables["signals"].groupby(PAIR, sort=False)["score"].mean().reset_index()
    members = members.merge(mean, on=PAIR, how="left").reset_index(drop=True)
    categories = sorted(members["category"].unique())
    count = len(parts.sources)
    test, rows = _sample(desk, parts, worlds[:count], members, categories)
    train = _sample(desk, parts, worlds[count:], members, categories)[0] if parts.train else None
    answers = _answers(desk, parts, rows) if "answers" in desk.tables else None
    return Case(test, train, answers, parts.corpora)


def _sample(
    desk: Desk, parts: Audit, worlds: Sequence[World], members: pd.DataFrame,
    categories: Sequence[str],
) -> tuple[Sample, pd.DataFrame]:  # fmt: skip
    """One side, and its rows of `members`."""
    names = [world.source.name for world in worlds]
    rows = members[members["source"].isin(names)].reset_index(drop=True)
    images = pd.concat([world.images for world in worlds], ignore_index=True)
    image = _named(images).get_indexer(_named(rows))
    score = rows["score"].to_numpy(dtype=np.float64, na_value=np.nan)
    sample = Sample(
        names, images["image_id"].tolist(), images["file"].tolist(),
        pd.Index(names).get_indexer(images["source"]), image, list(categories),
        pd.Index(categories).get_indexer(rows["category"]),
        pd.Index(SPLITS).get_indexer(rows["split"]), rows["drawn"].to_numpy(dtype=bool), score,
        _features(desk, parts, worlds),
    )  # fmt: skip
    return sample, rows


def _named(rows: pd.DataFrame) -> pd.Index:
    return pd.Index(rows["source"] + "\0" + rows["image_id"])


def _features(desk: Desk, parts: Audit, worlds: Sequence[World]) -> np.ndarray | None:
    """Features of all images of one side; an image that has none is a problem."""
    if parts.extractor is None:
        return None
    found = []
    for world in worlds:
        mine = features(world.images, world.source.read, parts.extractor, parts.store, parts.loop)
        desk.fingerprint("features", mine.fingerprint)
        rows = [
            record.Problem("feature", "", world.source.name, image, "", why)
            for image, why in mine.reasons.items()
        ]
        desk.problem(table.frame(record.Problem, rows))
        found.append(mine.vectors)
    return np.concatenate(found)


def _answers(desk: Desk, parts: Audit, rows: pd.DataFrame) -> Answers:
    """Counts by VLM and pair, from the headline reader's answers."""
    questions = desk.tables["questions"].query("kind == @KIND")
    answers = desk.tables["answers"]
    answers = answers[answers["reader"] == parts.reader]
    answers = answers.merge(questions, on="question_id")
    key = pd.MultiIndex.from_frame(rows[PAIR])
    pair = key.get_indexer(pd.MultiIndex.from_frame(answers[PAIR]))
    vlm, vlms = pd.factorize(answers["vlm"], sort=True)
    positive = (answers["target"] == "yes").to_numpy()
    right = answers["correct"].to_numpy(dtype=bool)
    cell = np.where(positive, np.where(right, TP, FN), np.where(right, TN, FP))
    known = pair >= 0
    counts = np.zeros((len(vlms), len(rows), 4), dtype=np.int64)
    np.add.at(counts, (vlm[known], pair[known], cell[known]), 1)
    unread = np.zeros((len(vlms), len(rows)), dtype=np.int64)
    lost = known & answers["reading"].isna().to_numpy()
    np.add.at(unread, (vlm[lost], pair[lost]), 1)
    yes = _yes(desk, answers)
    of_right = np.where(positive, yes, 1 - yes)
    total, n = np.zeros(counts.shape[:2]), np.zeros(counts.shape[:2])
    np.add.at(total, (vlm[known], pair[known]), of_right[known])
    np.add.at(n, (vlm[known], pair[known]), 1)
    with np.errstate(invalid="ignore"):
        return Answers([str(v) for v in vlms], counts, unread, total / n)


def _yes(desk: Desk, answers: pd.DataFrame) -> np.ndarray:
    """P(yes) of each answer, NaN where it was not measured."""
    told = desk.tables["completions"][["vlm", "question_id", "yes_probability"]]
    merged = answers[["vlm", "question_id"]].merge(told, on=["vlm", "question_id"], how="left")
    return merged["yes_probability"].to_numpy(dtype=np.float64, na_value=np.nan)
