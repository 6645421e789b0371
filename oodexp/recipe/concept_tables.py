"""Rows of the tables on recognition: models, years, variants, contrasts (Tables C1 to C8)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from oodexp.concept.recognise import LEVELS, Recognised
from oodexp.error import OodexpError
from oodexp.metric.model_group import Summary, compare, summarise
from oodexp.report.concept_recognition_tables import Contrast, Variants, Year
from oodexp.report.concept_recognition_tables import Recognised as Row
from oodexp.report.concept_value import Value

if TYPE_CHECKING:
    from oodexp.concept.model import Model
    from oodexp.concept.protocol import Protocol
    from oodexp.metric.recognition import Rate
    from oodexp.recipe.concept_ground import Ground

CAUTION = "groups may differ in data, objective, resolution and backbone at once"
Group = tuple[str, tuple[str, str], list[Contrast]]
"""Title, names of the two groups, rows."""


def models(ground: Ground, found: Recognised, known: Mapping[str, Model]) -> list[Row]:
    """A row a model and level."""
    names = ground.bench.names
    made = []
    for n, name in enumerate(found.models):
        mine = known[name]
        for at, level in enumerate(LEVELS):
            cells = found.rates[n][at]
            by_category = dict(zip(names.categories, map(_value, cells[:-1]), strict=True))
            images = cells[-1].n + cells[-1].unscored
            made.append(
                Row(name, mine.family, mine.year or 0, mine.variant, found.cutoffs[n].value,
                    level, _value(cells[-1]), by_category, images,
                    (cells[-1].over_concepts.lower, cells[-1].over_concepts.upper))
            )  # fmt: skip
    return made


def years(found: Recognised, known: Mapping[str, Model]) -> list[Year]:
    """Models by release year (Table C5); models without a year are in none."""
    first, second = (found.table(level)[:, -1] for level in LEVELS)
    of_year: dict[int, list[int]] = {}
    for n, name in enumerate(found.models):
        year = known[name].year
        if year is not None:
            of_year.setdefault(year, []).append(n)
    return [_year(y, summarise(first[of_year[y]], second[of_year[y]])) for y in sorted(of_year)]


def variants(found: Recognised, known: Mapping[str, Model], level: str) -> list[Variants]:
    """Each variant of a family beside the family's first one (Table C6)."""
    rates = found.table(level)[:, -1]
    made = []
    for family in dict.fromkeys(known[name].family for name in found.models):
        mine = [n for n, name in enumerate(found.models) if known[name].family == family]
        labels = list(dict.fromkeys(known[found.models[n]].variant for n in mine))
        for other in labels[1:]:
            sides = [
                np.array([known[m].variant == label and known[m].family == family
                          for m in found.models]) for label in (labels[0], other)
            ]  # fmt: skip
            told = compare(rates[:, None], *sides)
            made.append(
                Variants(family, labels[0], other, Value(float(told.reference[0])),
                         Value(float(told.compared[0])),
                         Value(float(told.difference[0]), reason=told.reasons[0]), CAUTION)
            )  # fmt: skip
    return made


def contrasts(
    ground: Ground, found: Recognised, known: Mapping[str, Model], protocol: Protocol
) -> Iterator[Group]:
    """The earliest year beside the latest (Table C7), and the groups that are set (Table C8).

    Of a group, the models that are chosen count; n tells how many. A contrast with an empty group
    is left out.
    """
    dated = {name: known[name].year for name in found.models if known[name].year is not None}
    if len(set(dated.values())) > 1:
        ends = min(filter(None, dated.values())), max(filter(None, dated.values()))
        sides = [[n for n, year in dated.items() if year == end] for end in ends]
        title = f"Recognition in {ends[0]} and {ends[1]}"
        yield title, _named(ends, sides), _contrast(ground, found, *sides)
    for told in protocol.contrasts:
        if set(told) != {"name", "first", "second"}:
            raise OodexpError(
                f"concept.contrasts: {dict(told)}; expected name, first and second, the last two "
                "lists of scorers"
            )
        sides = [[n for n in told[side] if n in found.models] for side in ("first", "second")]
        if all(sides):
            groups = _named(("first", "second"), sides)
            yield str(told["name"]), groups, _contrast(ground, found, *sides)


def _contrast(
    ground: Ground, found: Recognised, first: Sequence[str], second: Sequence[str]
) -> list[Contrast]:
    sides = [np.isin(found.models, list(side)) for side in (first, second)]
    scopes = [*ground.bench.names.categories, "all"]
    made = []
    for level in LEVELS:
        told = compare(found.table(level), *sides)
        for n, scope in enumerate(scopes):
            made.append(
                Contrast(level, scope, Value(float(told.reference[n])),
                         Value(float(told.compared[n])),
                         Value(float(told.difference[n]), reason=told.reasons[n]))
            )  # fmt: skip
    return made


def _named(names: Sequence[object], sides: Sequence[Sequence[str]]) -> tuple[str, str]:
    one, two = (f"{n} (n = {len(side)})" for n, side in zip(names, sides, strict=True))
    return one, two


def _year(year: int, told: Summary) -> Year:
    mean = Value(told.mean_l1), Value(told.mean_l2), Value(told.mean_difference, reason=told.reason)
    median = Value(told.median_l1), Value(told.median_l2), Value(told.median_difference)
    return Year(year, told.n, mean, median)


def _value(rate: Rate) -> Value:
    return Value(rate.value, rate.over_images.lower, rate.over_images.upper, rate.reason)
