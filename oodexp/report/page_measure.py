"""The measurements on the report page: Tables I and II, drops, unread answers, composition."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from oodexp.record import SPLITS
from oodexp.report.page_sheet import Cell, Measured, Sheet, in_order, number

TITLES = {
    "existence": "Existence questions (Table I)",
    "existence_cot": "Existence questions, answered step by step",
    "progression": "Existence, counting, logic (Table II)",
    "polling": "Polling: what is there and what is not",
}
METRICS = {
    "accuracy": "accuracy", "precision": "precision", "recall": "recall", "f1": "F1", "mcc": "MCC",
    "auroc": "AUROC", "ece": "ECE", "e_acc": "E-Acc", "c_acc": "C-Acc", "l_acc": "L-Acc",
    "miss_rate": "missed", "invention_rate": "invented", "drop_by_missing": "by missing",
    "drop_by_inventing": "by inventing", "missing_share": "share of missing",
    "yes_ratio": "answers yes", "break_existence": "at existence", "break_counting": "at counting",
    "break_logic": "at logic", "complete": "not at all",
}  # fmt: skip
"""Headings of metrics, in the order of the columns; others follow by their own names."""
BREAKS = ("break_existence", "break_counting", "break_logic", "complete")
"""Where a chain of questions ends: a table of its own."""
CONVENTIONS = {
    "headline": "unread is wrong",
    "read": "read answers only",
    "paper": "the authors' rule",
    "constant": "best constant answer",
}
"""What is done with unread answers, in words."""
BY = ["vlm", "group", "split", "convention"]
"""What makes a row, outermost first."""
STRATEGY = "strategy: "
"""How groups begin that are questions of their own and not a part of the others."""
SCALE = "In %, MCC x 100; below it the 95 % interval from a bootstrap over images."


def sheets(measured: pd.DataFrame) -> Iterator[Sheet]:
    """All tables of the measurements, kind by kind.

    Args:
        measured: `record.Measurement` rows of a run.
    """
    for kind, rows in measured.groupby("kind", sort=False):
        title = TITLES.get(str(kind), str(kind).replace("_", " "))
        pooled = rows[rows["source"] == "pooled"]
        whole = (pooled["group"] == "all") | pooled["group"].str.startswith(STRATEGY)
        breaks = pooled["metric"].isin(BREAKS)
        yield from _values(title, pooled[whole & ~breaks])
        yield from _contrasts(title, pooled[whole & ~breaks])
        yield from _values(f"{title}: where chains break", pooled[whole & breaks])
        yield from _contrasts(f"{title}: where chains break", pooled[whole & breaks])
        yield from _unread(title, pooled[pooled["group"] == "all"])
        yield from _composition(title, pooled[~whole])
        yield from _sources(title, rows[rows["group"] == "all"])


def _values(title: str, rows: pd.DataFrame) -> Iterator[Sheet]:
    plain = rows[(rows["contrast"] == "none") & rows["convention"].isin(["headline", "constant"])]
    if len(plain):
        note = f"{SCALE} Unread answers count as wrong."
        yield _wide(title, plain, note)


def _contrasts(title: str, rows: pd.DataFrame) -> Iterator[Sheet]:
    drops = rows[(rows["contrast"] == SPLITS[0]) & (rows["convention"] == "headline")]
    if len(drops):
        note = f"{SCALE} A drop is the value on ID minus the value on the split, in points."
        yield _wide(f"{title}: drops", drops, note)
    others = rows[~rows["contrast"].isin(["none", SPLITS[0]]) & (rows["convention"] == "headline")]
    for contrast, changed in others.groupby("contrast", sort=False):
        note = f"{SCALE} This kind minus {contrast}, on the same pairs, in points."
        name = f"{title}: change from {contrast}"
        yield _wide(name, changed, note)


def _wide(title: str, rows: pd.DataFrame, note: str) -> Sheet:
    """A row for each VLM, split, group and convention; a column for each metric."""
    metrics = sorted(in_order(rows["metric"]), key=_place)
    contrast = str(rows["contrast"].iloc[0])
    look = Measured(rows)
    several = rows["group"].nunique() > 1
    with_rule = rows["convention"].nunique() > 1
    orders = [in_order(rows[name]) for name in BY[:-1]] + [list(CONVENTIONS)]
    parts = {tuple(map(str, key)): mine for key, mine in rows.groupby(BY, sort=False)}
    made = []
    for key in sorted(parts, key=lambda k: [o.index(v) for o, v in zip(orders, k, strict=True)]):
        vlm, group, split, convention = key
        mine = parts[key]
        text = [vlm, split] + ([group.removeprefix(STRATEGY)] if several else [])
        text += [CONVENTIONS[convention]] if with_rule else []
        cells = [
            look.cell(vlm, split, metric, contrast=contrast, group=group, convention=convention)
            for metric in metrics
        ]
        counts = [Cell(_range(mine[name])) for name in ("n", "n_unread", "n_images")]
        made.append([*map(Cell, text), *cells, *counts])
    names = ["VLM", "split"] + ["questions"] * several + ["rule"] * with_rule
    heads = [METRICS.get(metric, metric.replace("_", " ")) for metric in metrics]
    return Sheet(title, [*names, *heads, "n", "unread", "images"], made, len(names), note)


def _place(metric: str) -> int:
    """Where a metric stands; those without a heading last, in the order they came in."""
    return list(METRICS).index(metric) if metric in METRICS else len(METRICS)


def _range(counts: pd.Series) -> str:
    """One number, or the least and largest where the metrics rest on different ones."""
    least, most = counts.min(), counts.max()
    return number(least) if least == most else f"{number(least)} to {number(most)}"


def _unread(title: str, rows: pd.DataFrame) -> Iterator[Sheet]:
    plain = rows[(rows["contrast"] == "none") & (rows["metric"] == "accuracy")]
    rules = [c for c in CONVENTIONS if (plain["convention"] == c).any()]
    if len(rules) < 2:
        return
    look = Measured(plain)
    made = [
        [Cell(vlm), Cell(split),
         *(look.cell(vlm, split, "accuracy", convention=c, with_n=True) for c in rules)]
        for vlm in in_order(plain["vlm"]) for split in in_order(plain["split"])
    ]  # fmt: skip
    yield Sheet(
        f"{title}: accuracy by what is done with unread answers",
        ["VLM", "split", *(CONVENTIONS[c] for c in rules)], made, 2,
        "In %, with n. By the authors' rule, what is no clear yes is a no.",
    )  # fmt: skip


def _composition(title: str, rows: pd.DataFrame) -> Iterator[Sheet]:
    rows = rows[(rows["convention"] == "headline") & (rows["metric"] == "accuracy")]
    if len(rows):
        yield _across(
            f"{title}: composition", "group", rows,
            "Accuracy within a group, in %: a loss that vanishes within the groups was a change of "
            "mix.",
        )  # fmt: skip


def _sources(title: str, rows: pd.DataFrame) -> Iterator[Sheet]:
    rows = rows[(rows["convention"] == "headline") & (rows["metric"] == "accuracy")]
    if rows["source"].nunique() > 1:
        note = "Accuracy in %; `pooled` are the pairs of all sources together."
        yield _across(f"{title}: by source", "source", rows, note)


def _across(title: str, by: str, rows: pd.DataFrame, note: str) -> Sheet:
    """A row for each VLM and value of `by`; splits and drops side by side."""
    look = Measured(rows)
    wanted = [(s, "none") for s in SPLITS] + [(s, SPLITS[0]) for s in SPLITS[1:]]
    made = []
    for (vlm, value), _ in rows.groupby(["vlm", by], sort=False):
        where = {by: str(value)}
        cells = [
            look.cell(str(vlm), split, "accuracy", contrast=c, with_n=c == "none", **where)  # type: ignore[arg-type]
            for split, c in wanted
        ]
        made.append([Cell(str(vlm)), Cell(str(value)), *cells])
    names = [*SPLITS, *(f"drop to {s}" for s in SPLITS[1:])]
    return Sheet(title, ["VLM", by, *names], made, 2, f"{note} Below it the 95 % interval.")
