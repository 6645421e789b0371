"""Existence questions on the terminal: Table I, unread answers, composition."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
from rich.table import Table

from oodexp.record import SPLITS
from oodexp.report.layout import bold, cell, grid

METRICS = ("accuracy", "precision", "recall", "f1", "mcc", "auroc", "ece")
"""The last two are there only where the probabilities of yes and no were measured."""
CONVENTIONS = ("headline", "read", "paper")
CONTRASTS = {"none": "{}", SPLITS[0]: "drop to {}", "existence": "{}: change by steps"}
"""Row names by contrast; the last one is this kind minus the plain questions, on the same pairs."""

TITLES = {
    "existence": "Existence questions",
    "existence_cot": "Existence questions, answered step by step",
}


def sections(kind: str, measured: pd.DataFrame) -> Iterator[Table]:
    """The metrics, what is done with unread answers, and the composition where it is known.

    Args:
        kind: Name of the question set.
        measured: Its `record.Measurement` rows of one source or all pooled.
    """
    title = TITLES.get(kind, kind)
    grouped = measured.query("group != 'all' and convention == 'headline'")
    yield _metrics(title, measured.query("group == 'all' and convention == 'headline'"))
    yield _unread(measured.query("group == 'all' and metric == 'accuracy'"))
    if len(grouped):
        yield _composition(grouped)


def _metrics(title: str, measured: pd.DataFrame) -> Table:
    metrics = [metric for metric in METRICS if (measured["metric"] == metric).any()]
    table = grid(
        title,
        ("VLM: split", *metrics, "n", "unread"), 1,
        "In %, MCC x 100; 95 % interval from a bootstrap over images. Unread answers count as "
        "wrong.\nA drop is the value on ID minus the value on the split.",
    )  # fmt: skip
    for vlm, mine in measured.groupby("vlm", sort=False):
        table.add_row(bold(str(vlm)))
        for contrast, words in CONTRASTS.items():
            for split in SPLITS:
                rows = mine[(mine["split"] == split) & (mine["contrast"] == contrast)]
                if len(rows):
                    name = words.format(split)
                    cells = [cell(rows[rows["metric"] == metric]) for metric in metrics]
                    first = rows.iloc[0]
                    table.add_row(name, *cells, str(first["n"]), str(first["n_unread"]))
        table.add_section()
    return table


def _unread(measured: pd.DataFrame) -> Table:
    table = grid(
        "Accuracy by what is done with unread answers",
        ("VLM: split", *CONVENTIONS), 1,
        "headline: unread is wrong. read: read answers only.\n"
        "paper: the authors' rule, what is not a clear yes is a no.",
    )  # fmt: skip
    plain = measured[measured["contrast"] == "none"]
    for vlm, mine in plain.groupby("vlm", sort=False):
        table.add_row(bold(str(vlm)))
        for split, rows in mine.groupby("split", sort=False):
            cells = [cell(rows[rows["convention"] == c], with_n=True) for c in CONVENTIONS]
            table.add_row(str(split), *cells)
        table.add_section()
    return table


def _composition(measured: pd.DataFrame) -> Table:
    table = grid(
        "Composition: accuracy within a group",
        ("VLM: group", *SPLITS, *(f"drop to {s}" for s in SPLITS[1:])), 1,
        "In %, 95 % interval, (n): a loss that vanishes within the groups was a change of mix.",
    )  # fmt: skip
    wanted = [(s, "none") for s in SPLITS] + [(s, SPLITS[0]) for s in SPLITS[1:]]
    for vlm, mine in measured.groupby("vlm", sort=False):
        table.add_row(bold(str(vlm)))
        for group, rows in mine.groupby("group", sort=True):
            cells = [
                cell(rows[(rows["split"] == s) & (rows["contrast"] == c)], with_n=c == "none")
                for s, c in wanted
            ]
            table.add_row(str(group), *cells)
        table.add_section()
    return table
