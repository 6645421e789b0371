"""Tables of an ablation: values of its trials, their mixes, values by a common mix, the front."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import pandas as pd
from rich.table import Table

from oodexp.record import SPLITS
from oodexp.report.layout import cell, grid

COLUMNS = (*SPLITS, "gap")
"""Rows of a trial that are printed as columns; `gap` is OOD-S minus OOD-H."""
MOST_FRONT = 12
"""Trials of a front that are printed; all are in the table `trials`."""


def value_table(
    title: str, trials: pd.DataFrame, values: pd.DataFrame, mixes: pd.DataFrame,
    columns: Sequence[str] = COLUMNS, caption: str | None = None,
) -> Table:  # fmt: skip
    """Sizes of the splits and values in percent by trial and VLM.

    Args:
        title: Of the table.
        trials: `record.Trial` rows of one study.
        values: `record.TrialValue` rows of one metric and contrast, own mix.
        mixes: `record.TrialMix` rows.
        columns: Rows of a trial, as columns.
        caption: Below the table.
    """
    table = grid(title, ("trial", "pairs ID/S/H", "VLM", *columns), 3, caption)
    for trial in trials.itertuples():
        mine = values[values["trial"] == trial.trial]
        size = mixes[mixes["trial"] == trial.trial].set_index("split")["pairs"]
        told = " / ".join(str(size[s]) for s in SPLITS) if len(size) else f"{trial.state}"
        label = str(trial.label)
        if not len(mine):
            table.add_row(label, told, "", *("-" for _ in columns))
        for vlm, of_vlm in mine.groupby("vlm", sort=False):
            cells = [cell(of_vlm[of_vlm["row"] == c]) for c in columns]
            table.add_row(label, told, str(vlm), *cells)
            label = told = ""
    return table


def mix_table(trials: pd.DataFrame, mixes: pd.DataFrame) -> Table:
    """What the splits of each trial are made of."""
    first = mixes["shares"].iloc[0] if len(mixes) else "{}"
    groups = [g for g in json.loads(first) if g.startswith("planted: ")] or list(json.loads(first))
    named = [g.partition(": ")[2] for g in groups]
    table = grid(
        "How the splits are mixed: a change here is not a loss of sight",
        ("trial", "split", "drawn", "images", "area px2", "count", "bits", *named), 2,
        "area: median of the largest instance; count: mean; bits: entropy of the categories; "
        "the others: percent of the pairs whose group is known",
    )  # fmt: skip
    for trial in trials.itertuples():
        label = str(trial.label)
        for row in mixes[mixes["trial"] == trial.trial].itertuples():
            shares = json.loads(str(row.shares))
            told = [_number(row.area, 0), _number(row.count, 2), _number(row.entropy, 2)]
            percent = [_number(shares[g] and 100 * shares[g], 0) for g in groups]
            table.add_row(label, str(row.split), str(row.drawn), str(row.images), *told, *percent)
            label = ""
    return table


def common_table(trials: pd.DataFrame, values: pd.DataFrame) -> Table | None:
    """Accuracies re-weighted to a common mix; None where no composition group is known.

    The grouping is the planted one where there is one, else the first of the table.
    """
    by_mix = [m for m in dict.fromkeys(values["mix"]) if m != "own"]
    if not by_mix:
        return None
    chosen = "planted" if "planted" in by_mix else by_mix[0]
    mine = values[(values["mix"] == chosen) & (values["metric"] == "accuracy")]
    table = grid(
        f"Accuracy if every split were mixed as all scored pairs are ({chosen})",
        ("trial", "VLM", *COLUMNS, "covered"), 2,
        "over the groups that all three splits have; covered: their share of all scored pairs",
    )  # fmt: skip
    for trial in trials.itertuples():
        label = str(trial.label)
        for vlm, rows in mine[mine["trial"] == trial.trial].groupby("vlm", sort=False):
            cells = [cell(rows[rows["row"] == c]) for c in COLUMNS]
            table.add_row(label, str(vlm), *cells, f"{100 * rows['covered'].min():.0f}")
            label = ""
    return table


def front_table(title: str, trials: pd.DataFrame) -> Table:
    """The trials that no other one beats in every objective; never one best alone."""
    front = trials[trials["front"]]
    names = list(json.loads(str(trials["objectives"].iloc[0]))) if len(trials) else []
    states = trials["state"].value_counts()
    told = ", ".join(f"{n} {state}" for state, n in states.items())
    more = f"; {len(front) - MOST_FRONT} more in the table `trials`" * (len(front) > MOST_FRONT)
    table = grid(f"{title}: Pareto front, {len(front)} of {len(trials)} trials",
                 ("number", "trial", *names), 2, told + more)  # fmt: skip
    for trial in front.head(MOST_FRONT).itertuples():
        values = json.loads(str(trial.objectives))
        table.add_row(str(trial.trial), str(trial.label), *(_number(values[n], 4) for n in names))
    return table


def lost_rows(trials: pd.DataFrame) -> Iterable[str]:
    """A line for each reason why trials have no value, with their number."""
    lost = trials[trials["state"] != "complete"]
    for (state, reason), rows in lost.groupby(["state", "reason"], sort=False, dropna=False):
        yield f"{len(rows)} trials {state}: {reason}"


def _number(value: float | None, digits: int) -> str:
    if value is None or pd.isna(value):
        return "-"
    return f"{value:.{digits}f}".rstrip("0").rstrip(".") if digits > 2 else f"{value:.{digits}f}"
