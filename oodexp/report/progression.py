"""BAP on the terminal: Table II beside the best constant answer, and where chains break."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
from rich.table import Table

from oodexp.record import SPLITS
from oodexp.report.layout import bold, cell, grid

LEVELS = {"e_acc": "E-Acc", "c_acc": "C-Acc", "l_acc": "L-Acc"}
BREAKS = {
    "break_existence": "at existence", "break_counting": "at counting",
    "break_logic": "at logic", "complete": "not at all",
}  # fmt: skip


def sections(kind: str, measured: pd.DataFrame) -> Iterator[Table]:
    """The three accuracies with what a constant answer earns, then where chains break.

    Args:
        kind: Name of the question set.
        measured: Its `record.Measurement` rows of one source or all pooled.
    """
    yield _levels(measured)
    yield _breaks(measured)


def _levels(measured: pd.DataFrame) -> Table:
    names = [name for level in LEVELS.values() for name in (level, "const.")]
    table = grid(
        "Basic-to-Advanced Progression", ("VLM: split", *names, "n", "unread"), 1,
        "In %; 95 % interval from a bootstrap over images; n and unread: of the three levels.\n"
        "const.: the best single reply to all questions of the level, earlier levels taken as "
        "right.\nA drop is the value on ID minus the value on the split.",
    )  # fmt: skip
    for vlm, mine in measured.groupby("vlm", sort=False):
        table.add_row(bold(str(vlm)))
        head, fixed = (mine[mine["convention"] == c] for c in ("headline", "constant"))
        for split, here in _by_split(head, "none"):
            pairs = (c for m in LEVELS for c in (cell(_of(here, m)), _constant(fixed, split, m)))
            table.add_row(split, *pairs, _three(here, "n"), _three(here, "n_unread"))
        for split, here in _by_split(head, SPLITS[0]):
            table.add_row(f"drop to {split}", *_alone(here), "", "")
        for split, here in _by_split(mine[mine["convention"] == "paper"], "none"):
            if list(here["value"]) != list(head.loc[_same(head, split), "value"]):
                table.add_row(f"{split}, authors' rule", *_alone(here), "", "")
        table.add_section()
    return table


def _by_split(rows: pd.DataFrame, contrast: str) -> Iterator[tuple[str, pd.DataFrame]]:
    for split in SPLITS:
        here = rows[(rows["split"] == split) & (rows["contrast"] == contrast)]
        if len(here):
            yield split, here


def _same(rows: pd.DataFrame, split: str) -> pd.Series:
    return (rows["split"] == split) & (rows["contrast"] == "none")


def _of(here: pd.DataFrame, metric: str) -> pd.DataFrame:
    return here[here["metric"] == metric]


def _constant(fixed: pd.DataFrame, split: str, metric: str) -> str:
    return cell(_of(fixed[fixed["split"] == split], metric)).partition("\n")[0]


def _three(here: pd.DataFrame, column: str) -> str:
    return ", ".join(str(_of(here, metric)[column].iloc[0]) for metric in LEVELS)


def _alone(here: pd.DataFrame) -> list[str]:
    return [text for metric in LEVELS for text in (cell(_of(here, metric)), "")]


def _breaks(measured: pd.DataFrame) -> Table:
    table = grid(
        "Where chains break", ("VLM: split", *BREAKS.values(), "images"), 1,
        "In % of images: existence of both categories, then both counts, then the comparison.",
    )  # fmt: skip
    rows = measured[measured["convention"] == "headline"]
    for vlm, mine in rows.groupby("vlm", sort=False):
        table.add_row(bold(str(vlm)))
        for split, here in _by_split(mine, "none"):
            cells = [cell(_of(here, metric)) for metric in BREAKS]
            table.add_row(split, *cells, str(_of(here, "complete")["n"].iloc[0]))
        table.add_section()
    return table
