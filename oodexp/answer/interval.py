"""Numbers that do not stand alone: ranges, alternatives, repetitions and bounds.

>>> from oodexp.answer.numeral import numerals
>>> def show(text):
...     return [(n.value or n.status, n.flag) for n in qualified(text, numerals(text))]
>>> show("2-3"), show("three (3)"), show("at least 7"), show("about 10 or so")
([('ambiguous', None)], [('3', None)], [('7', 'lower_bound')], [('10', 'approximate')])
"""

from __future__ import annotations

import re

from oodexp.answer.numeral import Number, before

_DOUBT = r"(?:maybe|perhaps|possibly|probably|even|at most)"
_BETWEEN = re.compile(rf"(?:,? ?(?:or|to|-|/)(?: {_DOUBT})? ?|,? ?{_DOUBT} )")
_FROM = re.compile(r"(?<!\w)(?:between|from) $")
_REPEATED = re.compile(r" ?\( ?|, (?:that is|i\.e\.),? ")
_LONGEST_GAP = 24

_PREFIXES = (
    (
        "upper_bound",
        r"(?:(?:no|not) more than|at most|up to|(?<!no )(?<!not )(?:fewer|less) than|under|below|"
        r"(?:a )?maximum of|<=?|≤)",
    ),
    (
        "lower_bound",
        r"(?:at least|(?:no|not) (?:fewer|less) than|(?<!no )(?<!not )more than|over|"
        r"(?:a )?minimum of|upwards of|>=?|≥)",
    ),
    (
        "approximate",
        r"(?:about|around|approximately|approx\.?|roughly|nearly|almost|circa|maybe|perhaps|"
        r"possibly|probably|likely|some|close to|(?:an )?estimated|~|≈)",
    ),
)
_BEFORE = tuple((flag, re.compile(rf"(?<!\w){words} ?$")) for flag, words in _PREFIXES)
_AFTER = (
    ("lower_bound", re.compile(r"\+(?! ?\d)| or more(?!\w)| plus(?!\w)| at least(?!\w)")),
    ("upper_bound", re.compile(r" or (?:fewer|less)(?!\w)| at (?:the )?most(?!\w)")),
    ("approximate", re.compile(r" or so(?!\w)|-?ish(?!\w)")),
)


def qualified(text: str, found: list[Number]) -> list[Number]:
    """Join numbers that make up one statement, and flag those that are not exact.

    Args:
        text: The text in which the numbers were found.
        found: Its numbers, in order.

    Returns:
        The numbers in order: "2 or 3" is one ambiguous number, "three (3)" is one 3, and "at
        least 7" is 7 with the flag `lower_bound`.
    """
    kept: list[Number] = []
    for number in (_flagged(text, number) for number in found):
        pair = _joined(text, kept[-1], number) if kept else None
        if pair is None:
            kept.append(number)
        else:
            kept[-1] = pair
    return kept


def _flagged(text: str, number: Number) -> Number:
    if number.status != "read":
        return number
    lead = before(text, number.start)
    for flag, pattern in _BEFORE:
        if pattern.search(lead):
            return number._replace(flag=flag)
    for flag, pattern in _AFTER:
        if pattern.match(text, number.end):
            return number._replace(flag=flag)
    return number


def _joined(text: str, first: Number, second: Number) -> Number | None:
    """Make one number of two, or None when they are statements of their own."""
    gap = text[first.end : second.start]
    if len(gap) > _LONGEST_GAP or "read" not in {first.status, second.status}:
        return None
    same = first.value is not None and first.value == second.value
    if same and _REPEATED.fullmatch(gap):
        return first._replace(end=second.end)
    framed = gap == " and " and _FROM.search(before(text, first.start)) is not None
    if not framed and not (gap.strip() and _BETWEEN.fullmatch(gap)):
        return None
    if same:
        return first._replace(end=second.end)
    return Number(None, "ambiguous", None, first.start, second.end)
