"""Where the loss lies: sizes of the splits, and accuracy by category within them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from oodexp.record import SPLITS
from oodexp.report.page_sheet import Cell, Sheet, in_order, number, percent

IMAGE = ["source", "image_id"]
KINDS = ("existence", "existence_cot")
"""Question sets whose accuracy is given by category."""


def sizes(memberships: pd.DataFrame) -> Sheet:
    """Pairs by split and source: by the division, drawn, their images, and what has no split.

    Args:
        memberships: `record.Membership` rows.
    """
    sources = in_order(memberships["source"])
    rows = []
    for source in [*(["all"] if len(sources) > 1 else []), *sources]:
        mine = memberships if source == "all" else memberships[memberships["source"] == source]
        present = mine["present"].astype(bool)
        for split in [*SPLITS, None]:
            chosen = mine["split"].isna() if split is None else mine["split"] == split
            pairs, drawn = mine[present & chosen], mine[chosen & mine["drawn"].astype(bool)]
            if split is None and not len(pairs):
                continue
            share = percent(len(pairs) / present.sum()) if present.any() else "undefined"
            counts = (len(pairs), share, len(drawn), len(drawn[IMAGE].drop_duplicates()))
            cells = [Cell(c if isinstance(c, str) else number(c)) for c in counts]
            rows.append([Cell(source), Cell(split or "in no split"), *cells])
    return Sheet(
        "Division", ["source", "split", "pairs", "share, %", "drawn", "images drawn"], rows, 2,
        "Pairs by the division; drawn are those of the benchmark, after sampling and caps.",
    )  # fmt: skip


def by_category(
    questions: pd.DataFrame, answers: pd.DataFrame, memberships: pd.DataFrame, reader: str | None
) -> Iterator[Sheet]:
    """For each VLM and existence kind: accuracy and drop by category, the largest drop first.

    Drawn pairs alone count, as in the measurements; an unread answer is wrong. These are point
    values: the intervals are those of the splits.

    Args:
        questions: `record.Question` rows.
        answers: `record.Answer` rows.
        memberships: `record.Membership` rows.
        reader: Name of the reader of the headline; None when there is none.
    """
    keys = [*IMAGE, "category"]
    asked = questions.loc[questions["kind"].isin(KINDS), ["question_id", "kind", *keys]]
    drawn = memberships.loc[memberships["drawn"].astype(bool), [*keys, "split"]]
    placed = asked.merge(drawn, on=keys)
    read = answers.loc[answers["reader"] == reader, ["vlm", "question_id", "correct"]]
    joined = placed.merge(read, on="question_id")
    several = joined["kind"].nunique() > 1
    for (vlm, kind), mine in joined.groupby(["vlm", "kind"], sort=False):
        title = f"By category: {vlm}" + (f", {str(kind).replace('_', ' ')}" if several else "")
        yield Sheet(
            title,
            ["category", *SPLITS, *(f"drop to {split}" for split in SPLITS[1:])],
            _categories(mine), 1,
            "Accuracy in %, with n; the largest drop to OOD-H first. Without intervals: of a "
            "category with few questions these numbers say little.",
        )  # fmt: skip


def _categories(rows: pd.DataFrame) -> list[list[Cell]]:
    correct = rows["correct"].astype(float)
    grouped = correct.groupby([rows["category"].astype(str), rows["split"]])
    share = grouped.mean().unstack().reindex(columns=list(SPLITS))
    n = grouped.size().unstack().reindex(columns=list(SPLITS)).fillna(0).astype(int)
    drops = pd.DataFrame({split: share[SPLITS[0]] - share[split] for split in SPLITS[1:]})
    sortable = drops[[SPLITS[2], SPLITS[1]]].fillna(-np.inf).assign(name=drops.index)
    order = sortable.sort_values([SPLITS[2], SPLITS[1], "name"], ascending=[False, False, True])
    made = []
    for category in order.index:
        values = [
            Cell("-" if not n.loc[category, s] else percent(share.loc[category, s]),
                 f"n = {n.loc[category, s]:,}")
            for s in SPLITS
        ]  # fmt: skip
        lost = [drops.loc[category, split] for split in SPLITS[1:]]
        made.append([Cell(category), *values, *(_drop(value) for value in lost)])
    return made


def _drop(value: float) -> Cell:
    return Cell("-", "not in both splits") if np.isnan(value) else Cell(percent(value))
