"""What people said of pairs, on the terminal."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from oodexp.report.concept_value import Value, below, percent, plain, points
from oodexp.report.layout import grid

if TYPE_CHECKING:
    from rich.table import Table

    from oodexp.record import Finding

RATES = ("acceptance rate", "annotation error rate")
"""Rates that have a table."""
_CAPTION = (
    "95 % intervals: Clopper-Pearson; over images, Korn-Graubard; weighted by strata, bootstrap "
    "over images."
)
_BEFORE, _AFTER = "accuracy, all pairs", "accuracy without rejected pairs"
_CHANGE = "change of accuracy without rejected pairs"


def tables(findings: Sequence[Finding]) -> Iterator[Table]:
    """Rates, reasons, agreement and changes, those that there are.

    Args:
        findings: Of the review.
    """
    for rate in RATES:
        yield _rates(findings, rate)
    yield _reasons(findings)
    agreed = [one for one in findings if one.statistic.startswith(("Krippendorff", "Cohen"))]
    if agreed:
        yield _agreement(agreed)
    changed = [one for one in findings if one.statistic == _CHANGE]
    if changed:
        yield _changes(findings, changed)


def _rates(findings: Sequence[Finding], rate: str) -> Table:
    """One row a split."""
    forms = ("", ", over images", ", weighted")
    rows = {
        one.subject: [_of(findings, one.subject, rate + form) for form in forms]
        for one in findings
        if one.statistic == rate
    }
    caption = _reasons_below(_CAPTION, rows)
    columns = ("split", "%", "% over images", "% weighted", "images", "pairs, and those in no rate")
    table = grid(rate.capitalize(), columns, 1, caption)
    for subject, row in rows.items():
        cells = [percent(_value(one)) for one in row]
        table.add_row(subject, *cells, str(row[0].clusters), row[0].words)
    return table


def _reasons(findings: Sequence[Finding]) -> Table:
    """One row a split, a column a reason."""
    mine = [one for one in findings if one.statistic.startswith("reason ")]
    names = list(dict.fromkeys(one.statistic for one in mine))
    heads = ("split", *(name.removeprefix("reason ") for name in names), "n")
    table = grid("Reasons that most raters gave, % of the judged pairs", heads, 1)
    for subject in dict.fromkeys(one.subject for one in mine):
        row = [_of(mine, subject, name) for name in names]
        table.add_row(subject, *(percent(_value(one)) for one in row), str(row[0].n))
    return table


def _agreement(found: Sequence[Finding]) -> Table:
    """One row a statistic."""
    rows = {f"{one.subject}, {one.statistic}": [one] for one in found}
    caption = _reasons_below("95 % intervals: bootstrap over images.", rows)
    table = grid("Agreement", ("raters", "statistic", "value", "pairs", "of"), 2, caption)
    for one in found:
        table.add_row(one.subject, one.statistic, plain(_value(one)), str(one.n), one.words)
    return table


def _changes(findings: Sequence[Finding], changed: Sequence[Finding]) -> Table:
    """One row a VLM, question and split."""
    rows = {
        one.subject: [*(_of(findings, one.subject, n) for n in (_BEFORE, _AFTER)), one]
        for one in changed
    }
    text = "Only rejected pairs of the sample are left out."
    table = grid(
        "Accuracy without the rejected pairs", ("VLM, question, split", "% before", "% after",
        "change, points", "answers", "without"), 1, _reasons_below(text, rows),
    )  # fmt: skip
    for subject, (before, after, change) in rows.items():
        cells = (percent(_value(before)), percent(_value(after)), points(_value(change)))
        table.add_row(subject, *cells, str(before.n), str(after.n))
    return table


def _of(findings: Iterable[Finding], subject: str, statistic: str) -> Finding:
    return next(f for f in findings if (f.subject, f.statistic) == (subject, statistic))


def _reasons_below(text: str, rows: dict[str, list[Finding]]) -> str | None:
    return below([(name, _value(one)) for name, row in rows.items() for one in row], text)


def _value(one: Finding) -> Value:
    ends = [math.nan if end is None else end for end in (one.value, one.lower, one.upper)]
    return Value(ends[0], ends[1], ends[2], one.reason)
