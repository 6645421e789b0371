"""Find the numbers in a text: digits, number words, dozens and pairs.

>>> [number.value for number in numerals("2 cats, twenty-one dogs, two dozen, 1,000")]
['2', '21', '24', '1000']
>>> [number.status for number in numerals("3.5 or -1")]
['invalid', 'invalid']
"""

from __future__ import annotations

import re
import unicodedata
from itertools import islice
from typing import NamedTuple

from oodexp.answer.base import MAX_DIGITS
from oodexp.answer.mention import MENTION
from oodexp.answer.vocabulary import word_set

_UNIT_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
)
_TEN_WORDS = "twenty thirty forty fifty sixty seventy eighty ninety"
UNITS = {word: value for value, word in enumerate(_UNIT_WORDS.split())}
TENS = {word: 10 * value for value, word in enumerate(_TEN_WORDS.split(), 2)}
SCALES = {"hundred": 100, "thousand": 1000, "dozen": 12}
PAIRS = word_set("pair pairs couple couples")
OTHERS = {"none": 0, "nil": 0, "nobody": 0, "no one": 0, "no-one": 0, "single": 1}

MOST = 2000
"""How many numerals of a text are looked at; more of them are a loop, not an answer."""

_WORDS = "|".join([*UNITS, *TENS, *SCALES, *PAIRS, *OTHERS])
_ATOM = re.compile(
    r"(?P<fraction>(?<![\w.])\d+\u2044\d+)"
    r"|(?<![\w.\u2044])(?P<digits>\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?P<rest>\.\d+)?"
    rf"|(?<!\w)(?P<word>{_WORDS})(?!\w)"
)
# An ordinal, a percentage, a time, a code such as "3a7", "3-legged", "3D".
_NOT_A_COUNT = re.compile(r"(?:st|nd|rd|th|d)(?!\w)| ?%|:\d|[^\W\d_]*\d|-[^\W\d_]")
_LABEL = re.compile(
    r"(?<!\w)(?:image|picture|photo|figure|fig|step|option|question|number|no|page|frame|item|"
    rf"part|line|route|room|day|point|section)\.? ?#?$|#$|\d:$|{MENTION} $"
)
_POINTED_AT = re.compile(r"(?<!\w)(?:this|that|another|any|each|every|which|the|some|other) $")
_PART_OF = re.compile(r" of (?:the|these|those|my|your)(?!\w)")
_SIGN = re.compile(r"(?:^|[\s(\[\"'])-$|(?<!\w)(?:minus|negative) $")
_LEAD = re.compile(r"(?<!\w)(?:half a |an? |one )$")
_DENIED = re.compile(r"(?<!\w)(?:not|without|never) (?:even )?$")
_LOOK_BACK = 40


class Number(NamedTuple):
    """One number in a text."""

    value: str | None
    """A decimal integer as text; None when the status is not `read`."""
    status: str
    """`read`, `ambiguous` (a range), `invalid` (cannot be a count) or `unknown` (a fraction)."""
    flag: str | None
    """`approximate`, `lower_bound`, `upper_bound`, `other_script` or None."""
    start: int
    """Place of its first character in the text, from 0."""
    end: int
    """Place after its last character."""


class _Atom(NamedTuple):
    kind: str  # "digits", "unit", "ten", "scale", "pair", "other", or "done" for a whole number
    value: int
    start: int
    end: int
    number: Number | None = None


def before(text: str, start: int, reach: int = _LOOK_BACK) -> str:
    """Cut out what stands directly before a place, at most `reach` characters."""
    return text[max(0, start - reach) : start]


def overflows(text: str) -> bool:
    """Tell whether a text holds more numbers than are looked at."""
    return sum(1 for _ in islice(_ATOM.finditer(text), MOST + 1)) > MOST


def numerals(text: str, pair: int = 2) -> list[Number]:
    """Find the numbers that may be counts, at most `MOST`.

    Args:
        text: In lower case, mentions of the category marked.
        pair: How many things a pair is: 1 for scissors.

    Returns:
        The numbers in order, each by itself: "2 or 3" gives two. Ordinals, percentages, times,
        labels ("image 1") and parts of something ("two of the dogs") are left out.
    """
    runs: list[list[_Atom]] = []
    for match in islice(_ATOM.finditer(text), MOST):
        atom = _atom(match, pair)
        if runs and _continues(runs[-1], atom, text):
            runs[-1].append(atom)
        else:
            runs.append([atom])
    found = (_number(run, text) for run in runs)
    return [number for number in found if number is not None]


def _atom(match: re.Match[str], pair: int) -> _Atom:
    start, end = match.span()
    word = match["word"]
    if word is None:
        return _from_digits(match)
    if word in PAIRS:
        return _Atom("pair", pair, start, end)
    for kind, table in (("unit", UNITS), ("ten", TENS), ("scale", SCALES), ("other", OTHERS)):
        if word in table:
            return _Atom(kind, table[word], start, end)
    raise AssertionError(word)  # the pattern is made of these tables


def _from_digits(match: re.Match[str]) -> _Atom:
    start, end = match.span()
    if match["fraction"]:
        return _Atom("done", 0, start, end, Number(None, "unknown", None, start, end))
    digits = match["digits"].replace(",", "")
    if (match["rest"] or ".").strip(".0") or len(digits) > MAX_DIGITS:
        return _Atom("done", 0, start, end, Number(None, "invalid", None, start, end))
    value = int("".join(str(unicodedata.decimal(digit)) for digit in digits))
    if digits.isascii():
        return _Atom("digits", value, start, end)
    return _Atom("done", 0, start, end, Number(str(value), "read", "other_script", start, end))


def _continues(run: list[_Atom], atom: _Atom, text: str) -> bool:
    """Tell whether an atom goes on with the number before it ("twenty" - "one")."""
    last = run[-1]
    gap = text[last.end : atom.start]
    if gap not in {" ", "-", " and "} or last.kind in {"done", "other", "pair"}:
        return False
    if atom.kind in {"scale", "pair"}:
        return gap != " and "
    if last.kind == "ten":
        return atom.kind == "unit" and 0 < atom.value < 10 and gap != " and "
    adds = last.kind == "scale" and last.value >= 100 and gap != "-"
    return adds and atom.kind in {"unit", "ten"} and atom.value > 0


def _number(run: list[_Atom], text: str) -> Number | None:
    """Make a number of a run of atoms; None where it does not count anything."""
    start, end = run[0].start, run[-1].end
    lead = before(text, start)
    if not _counts(text, start, end):
        return None
    if _SIGN.search(lead):
        return Number(None, "invalid", None, start, end)
    if run[0].number is not None:
        return run[0].number
    value = _sum(run)
    article = _LEAD.search(lead)
    if article:
        start -= len(article.group())
        value = value // 2 if article.group().startswith("half") else value
    if value == 1 and _DENIED.search(before(text, start)):
        value = 0
    approximate = run[-1].kind == "pair" and run[-1].value > 1
    return Number(str(value), "read", "approximate" if approximate else None, start, end)


def _sum(run: list[_Atom]) -> int:
    total = current = 0
    for atom in run:
        if atom.kind not in {"scale", "pair"}:
            current += atom.value
        elif atom.value == SCALES["thousand"]:
            total, current = total + max(current, 1) * atom.value, 0
        else:
            current = max(current, 1) * atom.value
    return total + current


def _counts(text: str, start: int, end: int) -> bool:
    """Tell a count from a label, an ordinal, a part of something, or "that one"."""
    if _NOT_A_COUNT.match(text, end) or _PART_OF.match(text, end):
        return False
    lead = before(text, start)
    is_one = text[start:end] == "one"
    if is_one and _POINTED_AT.search(lead) and not text.startswith(f" {MENTION}", end):
        return False
    if text[start - 1 : start] == "-" and text[start - 2 : start - 1].isalpha() and start > 1:
        return False
    return _LABEL.search(lead) is None
