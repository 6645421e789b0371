"""Polling on the terminal: how much of the loss is missing, how much is inventing."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
from rich.table import Table

from oodexp.record import SPLITS
from oodexp.report.layout import bold, cell, grid

STRATEGIES = ("random", "popular", "adversarial")
POPE = ", as POPE asks"
CAPTION = (
    "In %, 95 % interval from a bootstrap over images; unread answers count as wrong.\n"
    "missed: present categories said to be absent, asked both ways. invented: absent ones said to\n"
    "be present: as many, of the same images, chosen at random, by frequency or by co-occurrence.\n"
    "accuracy = 100 - (missed + invented) / 2. drop = accuracy on ID - accuracy = by missing + by\n"
    "inventing; in brackets: share of missing, unless the interval of the drop holds 0.\n"
    "F1, yes: as POPE asks ('contain' alone): F1, and the share of answers yes."
)


def sections(kind: str, measured: pd.DataFrame) -> Iterator[Table]:
    """One table: VLM, split and strategy.

    Args:
        kind: Name of the question set.
        measured: Its `record.Measurement` rows of one source or all pooled.
    """
    names = (
        "VLM: split", "missed", "invented", "accuracy", "drop", "by\nmissing", "by\ninventing",
        "F1\nyes", "n\nunread",
    )  # fmt: skip
    table = grid("Polling: missing and inventing", names, 1, CAPTION)
    head = measured[measured["convention"] == "headline"]
    for vlm, mine in head.groupby("vlm", sort=False):
        table.add_row(bold(str(vlm)))
        for split in SPLITS:
            here = mine[mine["split"] == split]
            present = here[here["group"] == "strategy: present"]
            if len(present):
                table.add_row(split, cell(present[present["contrast"] == "none"]))
            for strategy in STRATEGIES:
                group = f"strategy: {strategy}"
                rows = here[here["group"] == group]
                if len(rows):
                    asked = here[here["group"] == group + POPE]
                    table.add_row(f"  {strategy}", "", *_cells(rows, asked))
        table.add_section()
    yield table


def _cells(rows: pd.DataFrame, pope: pd.DataFrame) -> Iterator[str]:
    """All but the first two cells of a row.

    Args:
        rows: Measurements of a VLM, split and strategy.
        pope: The same, of the questions that POPE asks.
    """
    plain = rows[rows["contrast"] == "none"].set_index("metric", drop=False)
    drops = rows[rows["contrast"] == SPLITS[0]].set_index("metric", drop=False)
    yield from (cell(plain.loc[[name]]) for name in ("invention_rate", "accuracy"))
    if len(drops):
        share = drops.loc["missing_share", "value"]
        told = "" if pd.isna(share) else f" ({100 * share:.0f} %)"
        value, _, ends = cell(drops.loc[["drop_by_missing"]]).partition("\n")
        yield cell(drops.loc[["accuracy"]])
        yield "\n".join(filter(None, (value + told, ends)))
        yield cell(drops.loc[["drop_by_inventing"]])
    else:
        yield from ("", "", "")
    asked = pope[pope["contrast"] == "none"].set_index("metric")["value"]
    yield "\n".join(
        "-" if pd.isna(asked.get(name)) else f"{100 * asked[name]:.1f}"
        for name in ("f1", "yes_ratio")
    )
    whole = plain.loc["accuracy"]
    yield f"{whole['n']}\n{whole['n_unread']}"
