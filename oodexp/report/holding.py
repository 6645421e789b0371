"""What a source holds, for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from oodexp.record import UNKNOWN
from oodexp.report.layout import console, grid
from oodexp.report.terminal import MOST_PROBLEMS, problem_table

SHOWN = 10
"""Commonest and rarest categories that are listed."""


def show_holding(
    images: pd.DataFrame, pairs: pd.DataFrame, categories: Sequence[str], presence: np.ndarray,
    problems: pd.DataFrame,
) -> None:  # fmt: skip
    """Prints images, pairs, cells, counts, the commonest and rarest categories, and problems.

    Args:
        images: `record.Image` rows of one source.
        pairs: `record.Pair` rows of it.
        categories: Category texts, columns of `presence`.
        presence: Codes of `oodexp.record`, (image, category).
        problems: `record.Problem` rows of it.
    """
    screen = console()
    name = images["source"].iloc[0]
    counts = pairs["count"]
    facts = {
        "images": len(images),
        "images without objects": int((images["objects"] == 0).sum()),
        "images that cannot be read": int(images["sha256"].isna().sum()),
        "objects": int(images["objects"].sum()),
        "categories": len(categories),
        "categories never present": len(categories) - pairs["category"].nunique(),
        "pairs (image, present category)": len(pairs),
        "pairs with a known count": int(counts.notna().sum()),
        "largest count": int(counts.max()) if counts.notna().any() else 0,
        "cells annotated neither way": int((presence == UNKNOWN).sum()),
    }
    table = grid(f"Source {name}", ("what", "number"), 1)
    for what, number in facts.items():
        table.add_row(what, f"{number:,}")
    screen.print(table)
    screen.print(_categories(pairs, categories))
    if len(problems):
        screen.print(problem_table(problems, MOST_PROBLEMS))


def _categories(pairs: pd.DataFrame, categories: Sequence[str]) -> object:
    sizes = pairs["category"].value_counts().reindex(categories, fill_value=0)
    ordered = sizes.sort_values(ascending=False, kind="stable")
    table = grid("Categories by images", ("commonest", "images", "rarest", "images"), 1)
    rows = min(SHOWN, len(ordered))
    for n in range(rows):
        common, rare = ordered.index[n], ordered.index[-1 - n]
        table.add_row(common, str(ordered.iloc[n]), rare, str(ordered.iloc[-1 - n]))
    return table
