"""Tables to the terminal: percent here only, fractions everywhere else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd
from rich.console import Console
from rich.table import Table

from oodexp.record import SPLITS

METRICS = ("accuracy", "precision", "recall", "f1", "mcc")
MOST_PROBLEMS = 10
"""Rows of `problems` that are printed; all are in the table."""


def show(tables: Mapping[str, pd.DataFrame], seconds: Mapping[str, float], where: str) -> None:
    """Prints the division, the measurements, their composition, the problems and the run's place.

    Args:
        tables: The run's tables by name.
        seconds: Wall time by stage.
        where: Where the run is kept.
    """
    console = _console()
    console.print(_division(tables["memberships"]))
    measured = tables["measurements"].query("source == 'pooled'")
    console.print(_metrics(measured.query("group == 'all' and convention == 'headline'")))
    console.print(_conventions(measured.query("group == 'all' and metric == 'accuracy'")))
    grouped = measured.query("group != 'all' and convention == 'headline'")
    if len(grouped):
        console.print(_composition(grouped))
    problems = tables["problems"]
    if len(problems):
        console.print(_problems(problems))
    console.print("seconds: " + ", ".join(f"{k} {v:.1f}" for k, v in seconds.items()))
    console.print(f"run: {where}", soft_wrap=True)


def _console() -> Console:
    console = Console()
    # A pipe has no width of its own; 80 columns would fold every row.
    return console if console.is_terminal else Console(width=110)


def _table(title: str, names: Iterable[str], left: int, caption: str | None = None) -> Table:
    table = Table(title=title, caption=caption, title_justify="left", caption_justify="left")
    for n, name in enumerate(names):
        table.add_column(name, justify="left" if n < left else "right", overflow="fold")
    return table


def _division(members: pd.DataFrame) -> Table:
    present = members[members["present"]]
    table = _table(
        f"Division of {len(present)} pairs of {_images(present)} images",
        ("split", "pairs", "share", "drawn", "images drawn"), 1,
    )  # fmt: skip
    for split in SPLITS:
        mine = members[members["split"] == split]
        pairs, drawn = mine[mine["present"]], mine[mine["drawn"]]
        share = f"{100 * len(pairs) / max(1, len(present)):.1f} %"
        table.add_row(split, str(len(pairs)), share, str(len(drawn)), str(_images(drawn)))
    lost = present[present["split"].isna()]
    if len(lost):
        table.add_row("in no split", str(len(lost)), "", "", "")
    return table


def _images(rows: pd.DataFrame) -> int:
    return len(rows[["source", "image_id"]].drop_duplicates())


def _metrics(measured: pd.DataFrame) -> Table:
    table = _table(
        "Existence questions",
        ("VLM", "split", *METRICS, "n", "unread"), 2,
        "in % (MCC x 100), 95 % interval from a bootstrap over images; unread answers count as "
        "wrong; a drop is the value on ID minus the value on the split",
    )  # fmt: skip
    for vlm, mine in measured.groupby("vlm", sort=False):
        for contrast in ("none", SPLITS[0]):
            for split in SPLITS:
                rows = mine[(mine["split"] == split) & (mine["contrast"] == contrast)]
                if not len(rows):
                    continue
                cells = [_cell(rows[rows["metric"] == metric]) for metric in METRICS]
                name = split if contrast == "none" else f"drop to {split}"
                first = rows.iloc[0]
                table.add_row(str(vlm), name, *cells, str(first["n"]), str(first["n_unread"]))
        table.add_section()
    return table


def _conventions(measured: pd.DataFrame) -> Table:
    conventions = ("headline", "read", "paper")
    table = _table(
        "Accuracy by what is done with unread answers",
        ("VLM", "split", *conventions), 2,
        "headline: unread is wrong; read: read answers only; paper: the authors' rule, all that is "
        "not a yes is a no",
    )  # fmt: skip
    plain = measured[measured["contrast"] == "none"]
    for (vlm, split), rows in plain.groupby(["vlm", "split"], sort=False):
        cells = [_cell(rows[rows["convention"] == c], with_n=True) for c in conventions]
        table.add_row(str(vlm), str(split), *cells)
    return table


def _composition(measured: pd.DataFrame) -> Table:
    table = _table(
        "Composition: accuracy within a group",
        ("VLM", "group", *SPLITS, *(f"drop to {s}" for s in SPLITS[1:])), 2,
        "in %, 95 % interval, (n): a loss that vanishes within a group was a change of mix",
    )  # fmt: skip
    for (vlm, group), rows in measured.groupby(["vlm", "group"], sort=False):
        wanted = [(s, "none") for s in SPLITS] + [(s, SPLITS[0]) for s in SPLITS[1:]]
        cells = [
            _cell(rows[(rows["split"] == s) & (rows["contrast"] == c)], with_n=c == "none")
            for s, c in wanted
        ]
        table.add_row(str(vlm), str(group), *cells)
    return table


def _cell(rows: pd.DataFrame, with_n: bool = False) -> str:
    if not len(rows):
        return "-"
    row = rows.iloc[0]
    if pd.isna(row["value"]):
        return "undefined"
    value = f"{100 * row['value']:.1f}"
    if with_n:
        value += f" ({row['n']})"
    if pd.isna(row["lower"]):
        return value
    return f"{value}\n{100 * row['lower']:.1f}..{100 * row['upper']:.1f}"


def _problems(problems: pd.DataFrame) -> Table:
    counts: Sequence[str] = ("stage", "part", "source", "image_id", "subject", "reason")
    more = len(problems) - MOST_PROBLEMS
    table = _table(
        f"Left out or noted: {len(problems)}", counts, len(counts),
        f"and {more} more in the table `problems`" if more > 0 else None,
    )  # fmt: skip
    for row in problems.head(MOST_PROBLEMS).itertuples():
        table.add_row(*(str(getattr(row, name)) for name in counts))
    return table
