"""Comparison of models on the terminal: pairs, groups with letters, what could have been seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from rich.table import Table

from oodexp.report.layout import grid


class Row(NamedTuple):
    """A pair of models as it is shown; numbers are fractions."""

    first: str
    """Name of the first model."""
    second: str
    """Name of the second model."""
    difference: float
    """First minus second; NaN when undefined."""
    lower: float
    """Lower end of the 95 % interval; NaN when there is none."""
    upper: float
    """Upper end of the 95 % interval; NaN when there is none."""
    detectable: float
    """Least difference found with power 80 %; NaN when undefined."""
    p: float
    """p of no difference; NaN when undefined."""
    holm: float
    """p adjusted by Holm."""
    bh: float
    """p adjusted by Benjamini and Hochberg."""
    reason: str | None
    """Why something is undefined."""


class Lost(NamedTuple):
    """The losses of two models as they are shown; numbers are fractions."""

    first: str
    """Name of the first model."""
    second: str
    """Name of the second model."""
    first_loss: float
    """What the first model loses; NaN when undefined."""
    second_loss: float
    """What the second model loses; NaN when undefined."""
    difference: float
    """First minus second; NaN when undefined."""
    lower: float
    """Lower end of the 95 % interval; NaN when there is none."""
    upper: float
    """Upper end of the 95 % interval; NaN when there is none."""
    reason: str | None
    """Why something is undefined."""


def losses(title: str, rows: Sequence[Lost]) -> Table:
    """What every pair of models loses, and the difference.

    Args:
        title: Metric and splits.
        rows: The pairs.
    """
    table = grid(
        title, ("first", "second", "first loses", "second loses", "difference"), 2,
        "In points; 95 % interval from a paired bootstrap over images, not adjusted.\n"
        "An interval without 0: one of the two loses more.",
    )  # fmt: skip
    for row in rows:
        ends = (_points(row.first_loss), _points(row.second_loss))
        table.add_row(row.first, row.second, *ends, _difference(row))
    return table


def pairs(title: str, rows: Sequence[Row], questions: int, images: int, test: str) -> Table:
    """Every pair of models with its difference, p-values and verdict.

    Args:
        title: Metric and split.
        rows: The pairs.
        questions: Number of questions of a model.
        images: Number of images that they lie on.
        test: Name of the test.
    """
    caption = (
        f"{questions} questions on {images} images. In points; 95 % interval from a paired "
        "bootstrap over images.\n"
        f"p: {test}; Holm, BH: adjusted over all pairs. detectable: least true difference found\n"
        f"with power 80 % at unadjusted 5 %{_range(rows)}. The verdict is by Holm at 5 %."
    )
    names = ("first", "second", "difference", "detectable", "p", "Holm", "BH", "verdict")
    table = grid(title, names, 2, caption)
    table.columns[-1].justify = "left"
    for row in rows:
        values = (_p(row.p), _p(row.holm), _p(row.bh))
        table.add_row(
            row.first, row.second, _difference(row), _points(row.detectable), *values, verdict(row)
        )
    return table


def groups(
    title: str, names: Sequence[str], values: np.ndarray, letters: Sequence[str],
    reasons: Sequence[str | None],
) -> Table:  # fmt: skip
    """Models from the best to the worst with the letters of their groups.

    Args:
        title: Metric and split.
        names: Names of the models.
        values: The metric of each, a fraction, (model,); NaN when undefined.
        letters: Letters of each; empty for a model in no group.
        reasons: Why a value is undefined.
    """
    table = grid(
        title, ("model", "value", "groups"), 1,
        "In %, MCC x 100. Two models that share a letter cannot be told apart (Holm, 5 %).",
    )  # fmt: skip
    table.columns[-1].justify = "left"
    # NaN sorts last: models without a value stand below.
    for model in np.argsort(-np.asarray(values, dtype=np.float64), kind="stable"):
        undefined = bool(np.isnan(values[model]))
        value = "undefined" if undefined else f"{100 * values[model]:.1f}"
        table.add_row(names[model], value, reasons[model] if undefined else _spaced(letters[model]))
    return table


def verdict(row: Row) -> str:
    """What a pair came to, in words."""
    if np.isnan(row.holm):
        return f"not tested: {row.reason}"
    if row.holm <= 0.05:
        return f"{row.first if row.difference > 0 else row.second} is better"
    return f"not told apart: {row.reason}" if row.reason else "not told apart"


def _spaced(letters: str) -> str:
    """The names of groups set apart: `ab1` as `a b1`."""
    alphabet = [n for n, sign in enumerate(letters) if sign.isalpha()]
    ends = [*alphabet[1:], len(letters)]
    return " ".join(letters[start:end] for start, end in zip(alphabet, ends, strict=True))


def _range(rows: Sequence[Row]) -> str:
    known = [100 * row.detectable for row in rows if not np.isnan(row.detectable)]
    if not known:
        return ""
    ends = f"{min(known):.1f} to {max(known):.1f}"
    return f": {ends} points, median {np.median(known):.1f}"


def _difference(row: Row | Lost) -> str:
    if np.isnan(row.difference):
        return "undefined"
    value = f"{100 * row.difference:+.1f}"
    if np.isnan(row.lower):
        return value
    return f"{value}\n{100 * row.lower:+.1f}..{100 * row.upper:+.1f}"


def _points(value: float) -> str:
    return "-" if np.isnan(value) else f"{100 * value:.1f}"


def _p(value: float) -> str:
    """A p-value with three digits behind the point; `< 0.001` is never a 0."""
    if np.isnan(value):
        return "-"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"
