"""What is printed of BAP."""

from __future__ import annotations

import io
import re

import pandas as pd
from rich.console import Console

from oodexp import table
from oodexp.record import Measurement
from oodexp.report.progression import BREAKS, LEVELS, sections
from oodexp.report.terminal import SECTIONS


def row(metric, value, *, split="ID", contrast="none", convention="headline", n=20, unread=0):
    ends = (value - 0.05, value + 0.05)
    return Measurement(
        "m", "progression", "pooled", split, contrast, "all", convention, metric, value, *ends, n,
        unread, 10, None,
    )  # fmt: skip


def measured() -> pd.DataFrame:
    rows = []
    for split, first in (("ID", 0.91), ("OOD-H", 0.31)):
        for n, metric in enumerate(LEVELS):
            value = first - n / 10
            rows += [row(metric, value, split=split, n=20 - n, unread=n)]
            rows += [row(metric, value, split=split, convention="paper")]
            rows += [row(metric, 0.123, split=split, convention="constant")]
        rows += [
            row(metric, 0.25, split=split, convention=convention, n=10)
            for convention in ("headline", "paper")
            for metric in BREAKS
        ]
    rows += [row(metric, 0.6, split="OOD-H", contrast="ID") for metric in LEVELS]
    return table.frame(Measurement, rows)


def printed(rows: pd.DataFrame) -> list[str]:
    screen = Console(width=120, record=True, file=io.StringIO())
    for section in sections("progression", rows):
        screen.print(section)
    return screen.export_text().splitlines()


def line(lines: list[str], name: str, nth: int = 0) -> str:
    found = [text for text in lines if re.search(rf"│ {re.escape(name)} +│", text)]
    return re.sub(r"[│\s]+", " ", found[nth]).strip()


def test_each_level_stands_beside_the_best_constant_answer():
    lines = printed(measured())
    assert line(lines, "ID") == "ID 91.0 12.3 81.0 12.3 71.0 12.3 20, 19, 18 0, 1, 2"
    assert line(lines, "OOD-H").startswith("OOD-H 31.0 12.3 21.0 12.3 11.0 12.3")


def test_a_drop_is_a_row_of_its_own():
    assert line(printed(measured()), "drop to OOD-H") == "drop to OOD-H 60.0 60.0 60.0"


def test_the_steps_at_which_chains_break_are_shown_with_the_number_of_images():
    assert line(printed(measured()), "ID", 1) == "ID 25.0 25.0 25.0 25.0 10"


def test_the_authors_rule_is_shown_only_where_it_differs():
    rows = measured()
    assert not any("authors' rule" in text for text in printed(rows))
    theirs = (rows["convention"] == "paper") & (rows["split"] == "OOD-H")
    theirs &= rows["metric"].isin(LEVELS)
    rows.loc[theirs, "value"] = 0.44
    assert line(printed(rows), "OOD-H, authors' rule").split()[-3:] == ["44.0"] * 3


def test_the_terminal_prints_it_for_its_kind():
    assert SECTIONS["progression"] is sections
