"""How the tables of a concept benchmark write a value, its interval, and why it is undefined."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

UNDEFINED = "undefined"
MOST_REASONS = 6
"""Reasons that stand below a table; all are where the values come from."""
MINUS = "\N{MINUS SIGN}"


class Value(NamedTuple):
    """A value as it is printed."""

    value: float
    """A fraction where it is printed in percent or points; NaN when undefined."""
    lower: float = math.nan
    """Lower end of the 95 % interval; NaN when there is none."""
    upper: float = math.nan
    """Upper end of the 95 % interval; NaN when there is none."""
    reason: str | None = None
    """Why the value or its interval is undefined."""


def percent(value: Value, digits: int = 1) -> str:
    """A fraction in percent, its interval below it: `61.6` above `58.0..65.1`."""
    return _written(value, 100, digits, "")


def points(value: Value, digits: int = 1) -> str:
    """A difference of fractions in points of percent, with its sign."""
    return _written(value, 100, digits, "+")


def plain(value: Value, digits: int = 3) -> str:
    """A number that is no share, such as a distance."""
    return _written(value, 1, digits, "")


def signed(value: Value, digits: int = 3) -> str:
    """A number that is no share, with its sign, such as a gap of cosines or a correlation."""
    return _written(value, 1, digits, "+")


def below(values: Iterable[tuple[str, Value]], text: str = "") -> str | None:
    """The caption of a table: `text`, then each reason with what it concerns.

    Args:
        values: What is printed, with the name of its row or cell.
        text: What else the caption says.

    Returns:
        None when there is nothing to say.
    """
    names: dict[str, dict[str, None]] = {}
    for name, value in values:
        if value.reason is not None:
            names.setdefault(value.reason, {})[name] = None
        elif math.isnan(value.value):
            names.setdefault("no reason was given", {})[name] = None
    lines = [f"{_short(list(of))}: {reason}" for reason, of in names.items()]
    more = len(lines) - MOST_REASONS
    if more > 0:
        lines = [*lines[:MOST_REASONS], f"{more} more reasons"]
    return "\n".join([*([text] if text else []), *lines]) or None


def _short(names: list[str], most: int = 3) -> str:
    told = ", ".join(names[:most])
    return told if len(names) <= most else f"{told} and {len(names) - most} more"


def _written(value: Value, scale: float, digits: int, sign: str) -> str:
    if math.isnan(value.value):
        return UNDEFINED
    told = _number(scale * value.value, digits, sign)
    if math.isnan(value.lower) or math.isnan(value.upper):
        return told
    ends = (_number(scale * end, digits, sign) for end in (value.lower, value.upper))
    return told + "\n" + "..".join(ends)


def _number(number: float, digits: int, sign: str) -> str:
    # Rounded first, so that what rounds to nothing has no minus.
    text = f"{round(number, digits) + 0.0:{sign}.{digits}f}"
    return text.replace("-", MINUS)
