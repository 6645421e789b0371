"""What else a run may hold: findings of the evidence, trials of an ablation, problems."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from oodexp.report.page_sheet import Cell, Sheet, in_order, number, written

MOST_PROBLEMS = 500
"""Rows of `problems` on the page; all are in the run's table."""
PROBLEM = ("stage", "part", "source", "image_id", "subject", "reason")


def problems(rows: pd.DataFrame) -> Sheet:
    """What was left out or noted, the first `MOST_PROBLEMS`.

    Args:
        rows: `record.Problem` rows.
    """
    more = len(rows) - MOST_PROBLEMS
    shown = rows.head(MOST_PROBLEMS)[list(PROBLEM)].fillna("").astype(str)
    return Sheet(
        f"Left out or noted: {number(len(rows))}", [name.replace("_", " ") for name in PROBLEM],
        [[Cell(text) for text in row] for row in shown.itertuples(index=False)], len(PROBLEM),
        f"and {more:,} more in the table `problems`" if more > 0 else "",
    )  # fmt: skip


def findings(rows: pd.DataFrame) -> Iterator[Sheet]:
    """What each test came to, in words, with its numbers; a sheet a test.

    Args:
        rows: `record.Finding` rows.
    """
    for test, mine in rows.groupby("test", sort=False):
        made = [
            [Cell(r.subject), Cell(r.claim), Cell(r.verdict, r.words), *_statistic(r)]
            for r in mine.itertuples()
        ]
        broken = "; ".join(text for text in in_order(mine["assumption"]) if text)
        yield Sheet(
            f"Test {test}", ["about", "claim", "verdict", "statistic", "p", "n", "images"], made, 3,
            "The statistic in its own unit, below it its interval; p is never 0."
            + (f" What would break it: {broken}." if broken else ""),
        )  # fmt: skip


def _statistic(row: object) -> list[Cell]:
    """Statistic, p, n and images of a `record.Finding`."""
    r: dict[str, object] = row._asdict()  # type: ignore[attr-defined]
    value, lower, upper = (r[name] for name in ("value", "lower", "upper"))
    ends = f"{_short(lower)} to {_short(upper)}" if pd.notna(lower) else ""  # type: ignore[call-overload]
    told = Cell(f"{r['statistic']} = {_short(value)}", ends or str(r["reason"] or ""))
    counts = [Cell(number(r[name])) for name in ("n", "clusters")]  # type: ignore[arg-type]
    return [told, Cell(_short(r["p"])), *counts]


def _short(value: object) -> str:
    return "-" if pd.isna(value) else f"{value:.4g}"  # type: ignore[call-overload]


def trials(rows: pd.DataFrame, values: pd.DataFrame) -> Iterator[Sheet]:
    """Accuracy of each trial by VLM and split, with drops and gap: Tables III and IV.

    Args:
        rows: `record.Trial` rows.
        values: `record.TrialValue` rows.
    """
    plain = values[(values["contrast"] == "none") & (values["metric"] == "accuracy")]
    plain = plain[plain["mix"] == "own"]
    label = dict(zip(zip(rows["study"], rows["trial"], strict=True), rows["label"], strict=True))
    for study, mine in plain.groupby("study", sort=False):
        names = in_order(mine["row"])
        made = []
        for (trial, vlm), own in mine.groupby(["trial", "vlm"], sort=False):
            found = {str(r["row"]): r for r in own.to_dict("records")}
            cells = [written(found[n], with_n=True) if n in found else Cell("-") for n in names]
            name = label.get((study, trial), str(trial))
            made.append([Cell(str(name)), Cell(str(vlm)), *cells])
        yield Sheet(
            f"Ablation {study}", ["trial", "VLM", *names], made, 2,
            "Accuracy in %, with n; below it the 95 % interval over the same images in all trials.",
        )  # fmt: skip
