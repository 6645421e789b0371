"""Tables to the terminal: percent here only, fractions everywhere else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pandas as pd
from rich.console import Console
from rich.table import Table

from oodexp.record import SPLITS

METRICS = ("accuracy", "precision", "recall", "f1", "mcc")
CONVENTIONS = ("headline", "read", "paper")
MOST_PROBLEMS = 10
"""Rows of `problems` that are printed; all are in the table."""

PIPE_WIDTH = 120
"""A pipe has no width of its own, and 80 columns would fold every row."""


def show(
    tables: Mapping[str, pd.DataFrame], seconds: Mapping[str, float], where: str,
    notes: Iterable[str] = (),
) -> None:  # fmt: skip
    """Prints the division, the measurements, their composition, the problems and the run's place.

    Args:
        tables: The run's tables by name.
        seconds: Wall time by stage.
        where: Where the run is kept.
        notes: Lines below the division.
    """
    screen = console()
    measured = tables["measurements"].query("source == 'pooled'")
    grouped = measured.query("group != 'all' and convention == 'headline'")
    problems = tables["problems"]
    screen.print(_division(tables["memberships"]))
    for note in notes:
        screen.print(note, soft_wrap=True, highlight=False)
    screen.print(_metrics(measured.query("group == 'all' and convention == 'headline'")))
    screen.print(_unread(measured.query("group == 'all' and metric == 'accuracy'")))
    if len(grouped):
        screen.print(_composition(grouped))
    if len(problems):
        screen.print(problem_table(problems, MOST_PROBLEMS))
    screen.print("seconds: " + ", ".join(f"{k} {v:.1f}" for k, v in seconds.items()))
    screen.print(f"run: {where}", soft_wrap=True)


def console() -> Console:
    """The terminal, or a pipe of `PIPE_WIDTH` columns."""
    screen = Console()
    return screen if screen.is_terminal else Console(width=PIPE_WIDTH)


def grid(title: str, names: Iterable[str], left: int, caption: str | None = None) -> Table:
    """An empty table whose first `left` columns are text, the others numbers."""
    table = Table(title=title, caption=caption, title_justify="left", caption_justify="left")
    for n, name in enumerate(names):
        table.add_column(name, justify="left" if n < left else "right", overflow="fold")
    return table


def _division(members: pd.DataFrame) -> Table:
    present = members[members["present"]]
    table = grid(
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
    table = grid(
        "Existence questions",
        ("VLM: split", *METRICS, "n", "unread"), 1,
        "In %, MCC x 100; 95 % interval from a bootstrap over images. Unread answers count as "
        "wrong.\nA drop is the value on ID minus the value on the split.",
    )  # fmt: skip
    for vlm, mine in measured.groupby("vlm", sort=False):
        table.add_row(f"[bold]{vlm}[/bold]")
        for contrast in ("none", SPLITS[0]):
            for split in SPLITS:
                rows = mine[(mine["split"] == split) & (mine["contrast"] == contrast)]
                if len(rows):
                    name = split if contrast == "none" else f"drop to {split}"
                    cells = [_cell(rows[rows["metric"] == metric]) for metric in METRICS]
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
        table.add_row(f"[bold]{vlm}[/bold]")
        for split, rows in mine.groupby("split", sort=False):
            cells = [_cell(rows[rows["convention"] == c], with_n=True) for c in CONVENTIONS]
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
        table.add_row(f"[bold]{vlm}[/bold]")
        for group, rows in mine.groupby("group", sort=True):
            cells = [
                _cell(rows[(rows["split"] == s) & (rows["contrast"] == c)], with_n=c == "none")
                for s, c in wanted
            ]
            table.add_row(str(group), *cells)
        table.add_section()
    return table


def _cell(rows: pd.DataFrame, with_n: bool = False) -> str:
    if not len(rows):
        return "-"
    row = rows.iloc[0]
    if pd.isna(row["value"]):
        return "undefined"
    value = f"{100 * row['value']:.1f}" + (f" ({row['n']})" if with_n else "")
    if pd.isna(row["lower"]):
        return value
    return f"{value}\n{100 * row['lower']:.1f}..{100 * row['upper']:.1f}"


def problem_table(problems: pd.DataFrame, most: int) -> Table:
    """The first `most` rows of `problems`, and how many more there are."""
    names = ("stage", "part", "source", "image_id", "subject", "reason")
    more = len(problems) - most
    table = grid(
        f"Left out or noted: {len(problems)}", names, len(names),
        f"and {more} more in the table `problems`" if more > 0 else None,
    )  # fmt: skip
    for row in problems.head(most).itertuples():
        table.add_row(*(str(getattr(row, name)) for name in names))
    return table
