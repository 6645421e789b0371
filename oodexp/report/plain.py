"""Measurements of a kind that has no form of its own, row by row."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
from rich.table import Table

from oodexp.report.layout import cell, grid


def sections(kind: str, measured: pd.DataFrame) -> Iterator[Table]:
    """One table with a row per VLM and measurement.

    Args:
        kind: Name of the question set.
        measured: Its `record.Measurement` rows.
    """
    keys = ("vlm", "split", "contrast", "group", "convention", "metric")
    table = grid(
        f"Measurements: {kind}", (*keys, "value", "n", "unread"), len(keys),
        "In %; 95 % interval.",
    )  # fmt: skip
    for n in range(len(measured)):
        row = measured.iloc[n]
        names = (str(row[key]) for key in keys)
        table.add_row(*names, cell(measured.iloc[n : n + 1]), str(row["n"]), str(row["n_unread"]))
    yield table
