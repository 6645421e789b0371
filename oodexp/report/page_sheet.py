"""A table of the report page: cells of text with an interval below, escaped by the template."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from oodexp.record import SPLITS

MINUS = "\N{MINUS SIGN}"
KEY = ["vlm", "source", "split", "contrast", "group", "convention", "metric"]
Key = tuple[str, str, str, str, str, str, str]


class Cell(NamedTuple):
    """What stands in one cell."""

    text: str
    """The value."""
    below: str = ""
    """Its interval, n, or why there is none."""


class Sheet(NamedTuple):
    """A table of the page."""

    title: str
    """What stands above it."""
    head: Sequence[str]
    """Names of the columns."""
    rows: Sequence[Sequence[Cell]]
    """As wide as `head`."""
    left: int
    """How many columns are text, the others are numbers."""
    note: str = ""
    """How the numbers are to be read."""


def percent(fraction: float) -> str:
    """A fraction in percent with one decimal and a real minus sign, without the percent sign."""
    return f"{100 * fraction:.1f}".replace("-", MINUS)


def span(lower: float | None, upper: float | None) -> str:
    """An interval of fractions in percent, `a to b`; empty where there is none."""
    if pd.isna(lower) or pd.isna(upper) or lower is None or upper is None:
        return ""
    return f"{percent(lower)} to {percent(upper)}"


def number(count: float) -> str:
    """A whole number with commas between thousands."""
    return f"{int(count):,}"


class Measured:
    """The measurements of one kind of question, looked up by what they are about."""

    def __init__(self, rows: pd.DataFrame) -> None:
        keys = zip(*(rows[name].astype(str) for name in KEY), strict=True)
        self._rows: Mapping[Key, dict[str, object]] = dict(
            zip(keys, rows.to_dict("records"), strict=True)
        )

    def row(
        self, vlm: str, split: str, metric: str, *, source: str = "pooled", contrast: str = "none",
        group: str = "all", convention: str = "headline",
    ) -> dict[str, object] | None:  # fmt: skip
        """The `record.Measurement` as a dict; None where nothing was measured."""
        return self._rows.get((vlm, source, split, contrast, group, convention, metric))

    def cell(
        self, vlm: str, split: str, metric: str, *, source: str = "pooled", contrast: str = "none",
        group: str = "all", convention: str = "headline", with_n: bool = False,
    ) -> Cell:  # fmt: skip
        """The value in percent and its interval, or `undefined` and why."""
        found = self.row(vlm, split, metric, source=source, contrast=contrast, group=group,
                         convention=convention)  # fmt: skip
        return Cell("-") if found is None else written(found, with_n=with_n)


def written(found: Mapping[str, object], *, with_n: bool = False) -> Cell:
    """A `record.Measurement` as a cell: value in percent, interval, n if asked for."""
    n = f" (n = {found['n']:,})" if with_n else ""
    value, reason = found["value"], str(found["reason"] or "")
    if pd.isna(value):  # type: ignore[call-overload]
        return Cell("undefined" + n, reason)
    ends = span(found["lower"], found["upper"])  # type: ignore[arg-type]
    return Cell(percent(value) + n, ends or reason)  # type: ignore[arg-type]


def in_order(values: Iterable[str]) -> list[str]:
    """Different values, in the order that they first stand in; splits in that of the paper."""
    different = list(dict.fromkeys(str(value) for value in values))
    known = [split for split in SPLITS if split in different]
    return [*known, *(value for value in different if value not in SPLITS)]
