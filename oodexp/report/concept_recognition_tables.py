"""Tables of recognition: by model, year, variant, group and category (Tables C1-C3, C5-C8).

Rates and thresholds come in as they are stored: rates as fractions, printed in percent.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from oodexp.report.concept_value import MINUS, Value, below, percent, plain, points
from oodexp.report.layout import bold, grid

if TYPE_CHECKING:
    from rich.table import Table


WIDEST = 11
"""Signs of a word in the header of a category."""


class Recognised(NamedTuple):
    """Recognition rates of one model on one level."""

    model: str
    """Name, unique among all models."""
    family: str
    """Family of the model."""
    year: int
    """Release year."""
    backbone: str
    """Architecture, as the registry names it."""
    threshold: float
    """Q95 of the model, a cosine."""
    level: str
    """E.g. `L1`."""
    overall: Value
    """Share of the level's images that are recognised; images weigh alike."""
    categories: Mapping[str, Value]
    """The same by category."""
    images: int
    """Number of images of the level."""
    over_concepts: tuple[float, float] = (math.nan, math.nan)
    """95 % interval of `overall` over concepts instead of images; NaN when there is none."""


class Year(NamedTuple):
    """Models of one release year; each model weighs alike."""

    year: int
    """Release year."""
    models: int
    """Number of models."""
    mean: tuple[Value, Value, Value]
    """Mean rate on the first level, on the second, and mean difference, first minus second."""
    median: tuple[Value, Value, Value]
    """Medians of the same three."""


class Variants(NamedTuple):
    """Two variants of a family, or groups of variants, on one level."""

    family: str
    """Family of both."""
    reference: str
    """The variants compared with."""
    compared: str
    """The compared variants."""
    reference_rate: Value
    """Mean rate of the reference."""
    compared_rate: Value
    """Mean rate of the compared."""
    difference: Value
    """Compared minus reference, computed before rounding."""
    caution: str
    """What else differs between them."""


class Contrast(NamedTuple):
    """Two groups of models on one scope."""

    level: str
    """E.g. `L1`."""
    scope: str
    """A category, or `all`."""
    first: Value
    """Mean rate of the first group; each model weighs alike."""
    second: Value
    """Mean rate of the second group."""
    difference: Value
    """Second minus first, computed before rounding."""


def overall_table(rows: Sequence[Recognised], levels: tuple[str, str], rule: str) -> Table:
    """Every model with its threshold and its rates on both levels (Table C1).

    Args:
        rows: A row for each model and level.
        levels: The level and the harder one within it.
        rule: What Q95 is the percentile of.
    """
    at = {(row.model, row.level): row for row in rows}
    values = [(f"{row.model}, {row.level}", row.overall) for row in rows]
    images = ", ".join(
        f"{level}: {next((r.images for r in rows if r.level == level), 0):,} images"
        for level in levels
    )
    text = (
        f"rates in %; below: 95 % interval over images, in brackets over concepts. {images}.\n"
        f"Q95: {rule}.\n{falls(rows, levels)}"
    )
    table = grid(
        "Recognition by model", ("model", "year", "backbone", "Q95", *levels), 3,
        below(values, text),
    )  # fmt: skip
    for family, models in _families(rows):
        table.add_section()
        table.add_row(bold(family))
        for model in models:
            mine = next(row for row in rows if row.model == model)
            found = [at.get((model, level)) for level in levels]
            rates = ("-" if row is None else _overall(row) for row in found)
            threshold = plain(Value(mine.threshold), 4)
            table.add_row(f"  {model}", str(mine.year), mine.backbone, threshold, *rates)
    return table


def category_table(rows: Sequence[Recognised], level: str) -> Table:
    """Every model by category on one level (Tables C2, C3)."""
    mine = {row.model: row for row in rows if row.level == level}
    categories = list(dict.fromkeys(c for row in mine.values() for c in row.categories))
    values = [(f"{m}, {c}", v) for m, row in mine.items() for c, v in row.categories.items()]
    table = grid(
        f"Recognition by category on {level}", ("model", *map(_head, categories), "overall"), 1,
        below(values, "in %; overall weighs images alike, so it is no mean of the categories"),
    )  # fmt: skip
    if len(categories) > 5:  # seven categories with intervals fit into a pipe without blanks
        table.padding = (0, 0)
    for family, models in _families(list(mine.values())):
        table.add_section()
        table.add_row(bold(family))
        for model in models:
            found = [mine[model].categories.get(c) for c in categories]
            rates = ("-" if value is None else percent(value) for value in found)
            table.add_row(f"  {model}", *rates, percent(mine[model].overall))
    return table


def year_table(rows: Sequence[Year], levels: tuple[str, str]) -> Table:
    """Means and medians over the models of each year (Table C5)."""
    scopes = (*levels, f"{levels[0]} {MINUS} {levels[1]}")
    heads = (f"{what} {scope}" for scope in scopes for what in ("mean", "median"))
    values = [(str(row.year), value) for row in rows for value in (*row.mean, *row.median)]
    table = grid(
        "Recognition by release year", ("year", "models", *heads), 1,
        below(values, "in %, differences in points; models weigh alike. Years differ in more than "
                      "time: family, data, objective, resolution, backbone."),
    )  # fmt: skip
    for row in rows:
        pairs = list(zip(row.mean, row.median, strict=True))
        rates = [percent(value) for pair in pairs[:2] for value in pair]
        table.add_row(str(row.year), str(row.models), *rates, *(points(v) for v in pairs[2]))
    return table


def variant_table(rows: Sequence[Variants], level: str) -> Table:
    """Variants of one family beside each other (Table C6)."""
    values = [
        (f"{row.family}: {row.compared}", value)
        for row in rows
        for value in (row.reference_rate, row.compared_rate, row.difference)
    ]
    table = grid(
        f"Variants of a family on {level}",
        ("family", "reference", "compared", "caution", "reference %", "compared %", "difference"),
        4, below(values, "difference in points; descriptive, see caution"),
    )  # fmt: skip
    for row in rows:
        table.add_row(
            row.family, row.reference, row.compared, row.caution, percent(row.reference_rate),
            percent(row.compared_rate), points(row.difference),
        )  # fmt: skip
    return table


def contrast_table(title: str, groups: tuple[str, str], rows: Sequence[Contrast]) -> Table:
    """Two groups of models by level and category (Tables C7, C8).

    Args:
        title: Of the table.
        groups: What the first and the second group are, e.g. `2021 (n = 5)`.
        rows: The scopes, those of a level together.
    """
    three = ((row, v) for row in rows for v in (row.first, row.second, row.difference))
    values = [(f"{row.level}, {row.scope}", value) for row, value in three]
    table = grid(
        title, ("level", "category", f"{groups[0]} %", f"{groups[1]} %", "difference"), 2,
        below(values, f"difference in points, {groups[1]} minus {groups[0]}; models weigh alike"),
    )  # fmt: skip
    level = ""
    for row in rows:
        if row.level != level:
            table.add_section()
        told = row.level if row.level != level else ""
        level = row.level
        rates = (percent(row.first), percent(row.second), points(row.difference))
        table.add_row(told, row.scope, *rates)
    return table


def falls(rows: Sequence[Recognised], levels: tuple[str, str]) -> str:
    """Whether recognition is lower on the harder level for every model, in a sentence."""
    at = {(row.model, row.level): row.overall.value for row in rows}
    models = list(dict.fromkeys(row.model for row in rows))
    lost = {m: at.get((m, levels[0]), float("nan")) - at.get((m, levels[1]), float("nan"))
            for m in models}  # fmt: skip
    # A comparison with NaN is False: what is undefined neither falls nor rises.
    lower = [m for m, loss in lost.items() if loss > 0]
    not_lower = [m for m, loss in lost.items() if loss <= 0]
    text = f"Recognition is lower on {levels[1]} for {len(lower)} of {len(models)} models"
    if not_lower:
        text += f"; not for {', '.join(not_lower)}"
    unknown = len(models) - len(lower) - len(not_lower)
    return text + (f"; {unknown} cannot be compared." if unknown else ".")


def _head(category: str) -> str:
    """A category with a word a line, as wide as an interval at the most."""
    words = category.replace(" / ", "/ ").split()
    return "\n".join(w if len(w) <= WIDEST else f"{w[: WIDEST - 1]}." for w in words)


def _overall(row: Recognised) -> str:
    lower, upper = row.over_concepts
    if math.isnan(row.overall.value) or math.isnan(lower) or math.isnan(upper):
        return percent(row.overall)
    return f"{percent(row.overall)}\n[{100 * lower:.1f}..{100 * upper:.1f}]"


def _families(rows: Sequence[Recognised]) -> list[tuple[str, list[str]]]:
    """Models of each family, both in the order of their first row."""
    families: dict[str, dict[str, None]] = {}
    for row in rows:
        families.setdefault(row.family, {})[row.model] = None
    return [(family, list(models)) for family, models in families.items()]
