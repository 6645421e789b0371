"""What was asked and found, in three sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from oodexp.columns import Rows, arrow, coded, different, only
from oodexp.record import SPLITS
from oodexp.report.page_sheet import Measured, in_order, percent, span

IMAGE = ["source", "image_id"]
LEADS = {
    "existence": ("accuracy", "all", "accuracy on existence questions"),
    "existence_cot": ("accuracy", "all", "accuracy on existence questions, step by step"),
    "progression": ("l_acc", "all", "comparison of counts, both counts right"),
    "polling": ("accuracy", "strategy: adversarial", "accuracy beside adversarial absent ones"),
}
"""Metric and group of the second sentence by kind, and what it is; the first that was measured."""
MOST_NAMES = 4
"""Names that are spelt out; of more, only their number is told."""


def sentences(tables: Mapping[str, Rows], reader: str | None) -> list[str]:
    """Three sentences: what was asked, what was found, what that rests on.

    Args:
        tables: `memberships`, `questions`, `completions`, `answers`, `measurements`, `trials`,
            `findings`, `problems`, `signals` of a run.
        reader: Name of the reader of the headline; None when there is none.
    """
    found = _measured(tables["measurements"]) or _tried(tables["trials"])
    if not found:
        found = _tested(tables["findings"]) or "The tables below show what was found."
    return [_asked(tables), found, _rests(tables, reader)]


def _asked(tables: Mapping[str, Rows]) -> str:
    members, questions = tables["memberships"], tables["questions"]
    drawn = members[members["drawn"].astype(bool)]
    sizes = ", ".join(f"{int((drawn['split'] == s).sum()):,} {s}" for s in SPLITS)
    return (
        f"{_names(coded(tables['completions'], 'vlm').texts, 'vision-language model')} answered "
        f"{len(questions):,} questions about {different(questions, [*IMAGE, 'category']):,} "
        f"image-category pairs of {different(questions, IMAGE):,} images from "
        f"{_names(in_order(members['source']), 'source')}, as "
        f"{_names(coded(tables['signals'], 'scorer').texts, 'scorer')} divided them; the benchmark "
        f"is the {len(drawn):,} pairs that were drawn: {sizes}."
    )


def _measured(measured: pd.DataFrame) -> str:
    """The leading metric; empty where the question sets have no one number."""
    rows = measured[(measured["source"] == "pooled") & (measured["convention"] == "headline")]
    for kind, (metric, group, words) in LEADS.items():
        of_kind = rows[(rows["kind"] == kind) & (rows["group"] == group)]
        mine = of_kind[of_kind["metric"] == metric]
        if len(mine):
            return f"{_told(Lead(Measured(mine), metric, group), mine)} ({words}; 95 % intervals)."
    return ""


def _tried(trials: pd.DataFrame) -> str:
    """What an ablation tried; empty without trials."""
    if trials.empty:
        return ""
    front = int(trials["front"].astype(bool).sum())
    return (
        f"{len(trials):,} trials of {_names(in_order(trials['study']), 'study', 'studies')} "
        f"regrouped the stored answers; no other trial beats {front:,} of them in every objective."
    )


def _tested(findings: pd.DataFrame) -> str:
    """How many findings of each verdict, test by test; empty without findings."""
    if findings.empty:
        return ""
    tests = {
        str(test): ", ".join(
            f"{n} {verdict}" for verdict, n in mine["verdict"].value_counts().items()
        )
        for test, mine in findings.groupby("test", sort=False)
    }
    told = "; ".join(f"{test} ({verdicts})" for test, verdicts in tests.items())
    return f"{len(findings):,} findings, by test: {told}."


class Lead(NamedTuple):
    """The one number of a kind, looked up by VLM and split."""

    look: Measured
    metric: str
    group: str

    def row(self, vlm: str, split: str, contrast: str = "none") -> dict[str, object] | None:
        """The measurement; None where there is none or it is undefined."""
        found = self.look.row(vlm, split, self.metric, contrast=contrast, group=self.group)
        return None if found is None or pd.isna(found["value"]) else found  # type: ignore[call-overload]


def _told(lead: Lead, mine: pd.DataFrame) -> str:
    """Every model when there are one or two, else those that lose least and most."""
    vlms = in_order(mine["vlm"])
    if len(vlms) <= 2:
        return "; ".join(_one(lead, vlm) for vlm in vlms)
    drops = {vlm: lead.row(vlm, SPLITS[2], SPLITS[0]) for vlm in vlms}
    known = {vlm: float(r["value"]) for vlm, r in drops.items() if r is not None}  # type: ignore[arg-type]
    if not known:
        return f"Of {len(vlms)} models none has a loss on {SPLITS[2]} that is defined"
    ends = dict.fromkeys((min(known, key=known.__getitem__), max(known, key=known.__getitem__)))
    told = "; ".join(_one(lead, vlm) for vlm in ends)
    return f"Of {len(vlms)} models, from the least loss on {SPLITS[2]} to the largest: {told}"


def _one(lead: Lead, vlm: str) -> str:
    """One model's values on the splits, and its drops with intervals."""
    told = []
    for split in SPLITS:
        found, drop = lead.row(vlm, split), lead.row(vlm, split, SPLITS[0])
        text = f"no defined value on {split}"
        if found is not None:
            text = f"{percent(found['value'])} % on {split}"  # type: ignore[arg-type]
        if drop is not None:
            ends = span(drop["lower"], drop["upper"])  # type: ignore[arg-type]
            points = f"{percent(drop['value'])} points"  # type: ignore[arg-type]
            text += f" (drop {points}, {ends or 'no interval'})"
        told.append(text)
    return f"{vlm} reached {', '.join(told)}"


def _rests(tables: Mapping[str, Rows], reader: str | None) -> str:
    problems = tables["problems"]
    read = arrow(only(tables["answers"], "reader", reader or ""), "reading")
    unread = read.null_count
    failed = int((tables["completions"]["status"] == "error").sum())
    notes = int(problems["reason"].astype(str).str.startswith("note:").sum())
    lost = f"left out were {len(problems) - notes:,}, noted {notes:,} (see Problems)"
    text = f"{unread:,} of {len(read):,} answers could not be read; "
    text += lost if len(problems) else "nothing was left out"
    if not failed:
        return f"{text}."
    return f"{text}; the run is INCOMPLETE: {failed:,} completions failed."


def _names(names: Sequence[str], noun: str, nouns: str = "") -> str:
    """`2 scorers (a, b)`; the noun takes an s but for one, unless its plural is given."""
    told = f" ({', '.join(names)})" if 0 < len(names) <= MOST_NAMES else ""
    return f"{len(names)} {noun if len(names) == 1 else nouns or noun + 's'}{told}"
