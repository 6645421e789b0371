"""Where the loss lies: sizes of the splits, and accuracy by category within them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from oodexp.columns import Rows, coded, only, positions
from oodexp.record import SPLITS
from oodexp.report.page_sheet import Cell, Sheet, in_order, number, percent

IMAGE = ["source", "image_id"]
PAIR = [*IMAGE, "category"]
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
    questions: Rows, answers: Rows, memberships: pd.DataFrame, reader: str | None
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
    counted = _counted(questions, only(answers, "reader", reader or ""), memberships)
    several = counted["kind"].nunique() > 1
    for (vlm, kind), mine in counted.groupby(["vlm", "kind"], sort=False):
        title = f"By category: {vlm}" + (f", {str(kind).replace('_', ' ')}" if several else "")
        yield Sheet(
            title,
            ["category", *SPLITS, *(f"drop to {split}" for split in SPLITS[1:])],
            _categories(mine), 1,
            "Accuracy in %, with n; the largest drop to OOD-H first. Without intervals: of a "
            "category with few questions these numbers say little.",
        )  # fmt: skip


def _counted(questions: Rows, answers: Rows, memberships: pd.DataFrame) -> pd.DataFrame:
    """Answers and right ones by `vlm`, `kind`, `category` and `split`, in order of the questions.

    Of drawn pairs and of kinds in `KINDS`; columns `n` and `right`.
    """
    drawn = memberships.loc[memberships["drawn"].astype(bool), [*PAIR, "split"]]
    pair = positions(drawn, questions, PAIR)
    kind, category = coded(questions, "kind"), coded(questions, "category")
    vlm, split = coded(answers, "vlm"), coded(drawn, "split")
    wanted = np.append(np.isin(kind.texts, KINDS), False)[kind.codes] & (pair >= 0)
    at = positions(questions, answers, ["question_id"])
    rows = np.flatnonzero(np.append(wanted, False)[at])
    rows = rows[np.argsort(at[rows], kind="stable")]
    columns = (vlm.codes[rows], kind.codes[at[rows]], category.codes[at[rows]],
               split.codes[pair[at[rows]]])  # fmt: skip
    texts = (vlm.texts, kind.texts, category.texts, split.texts)
    key = np.ravel_multi_index(columns, [max(1, len(t)) for t in texts])
    different, first, cell = np.unique(key, return_index=True, return_inverse=True)
    codes = np.unravel_index(different, [max(1, len(t)) for t in texts])
    named = {
        name: [text[n] for n in code.tolist()]
        for name, text, code in zip(("vlm", "kind", "category", "split"), texts, codes, strict=True)
    }
    right = answers["correct"].to_numpy(dtype=bool)[rows]
    counts = {"n": np.bincount(cell), "right": np.bincount(cell, right)}
    return pd.DataFrame(named | counts).iloc[np.argsort(first, kind="stable")]


def _categories(rows: pd.DataFrame) -> list[list[Cell]]:
    by = rows.set_index(["category", "split"])
    share = (by["right"] / by["n"]).unstack().sort_index().reindex(columns=list(SPLITS))
    n = by["n"].unstack().sort_index().reindex(columns=list(SPLITS)).fillna(0).astype(int)
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
