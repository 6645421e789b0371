"""Tables to the terminal: percent here only, fractions everywhere else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields

import pandas as pd
from rich.table import Table

from oodexp import record
from oodexp.record import SPLITS
from oodexp.report import existence, plain, polling, progression
from oodexp.report.layout import console, grid

SECTIONS: dict[str, Callable[[str, pd.DataFrame], Iterable[Table]]] = {
    "existence": existence.sections,
    "existence_cot": existence.sections,
    "progression": progression.sections,
    "polling": polling.sections,
}
"""What is printed of each kind of measurement; of a kind that is not here, plain rows."""

SHOWN: Mapping[str, tuple[str, ...]] = {
    "memberships": ("source", "image_id", "present", "split", "drawn"),
    "completions": ("status",),
    "measurements": tuple(f.name for f in fields(record.Measurement)),
    "problems": tuple(f.name for f in fields(record.Problem)),
}
"""Columns that `show` looks at, by table."""

MOST_PROBLEMS = 10
"""Rows of `problems` that are printed; all are in the table."""


def show(
    tables: Mapping[str, pd.DataFrame], seconds: Mapping[str, float], where: str,
    notes: Iterable[str] = (),
) -> None:  # fmt: skip
    """Prints the division, the measurements of each kind, the problems and the run's place.

    Args:
        tables: The run's tables by name, with the columns of `SHOWN` at least.
        seconds: Wall time by stage.
        where: Id of the run, and where it is kept.
        notes: Lines below the division.
    """
    screen = console()
    measured = tables["measurements"].query("source == 'pooled'")
    problems = tables["problems"]
    screen.print(_division(tables["memberships"]))
    for note in notes:
        screen.print(note, soft_wrap=True, highlight=False)
    lacking = int((tables["completions"]["status"] == "error").sum())
    for kind, rows in measured.groupby("kind", sort=False):
        for section in SECTIONS.get(str(kind), plain.sections)(str(kind), rows):
            if lacking:
                asked = len(tables["completions"])
                section.title = (
                    f"INCOMPLETE, {lacking} of {asked} questions failed: {section.title}"
                )
                section.title_style = "bold red"
            screen.print(section)
    if len(problems):
        screen.print(problem_table(problems, MOST_PROBLEMS))
    screen.print("seconds: " + ", ".join(f"{k} {v:.1f}" for k, v in seconds.items()))
    screen.print(f"run: {where}", soft_wrap=True)


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
