"""Which of the numbers in a text counts the category, and which counts something else.

>>> from oodexp.answer.mention import mask
>>> [(use.number.value, use.kind) for use in uses(mask("one big dog, two cats, 4 here", "dog"))]
[('1', 'bound'), ('2', 'other'), ('4', 'free')]
>>> [use.total for use in uses("2 on the left, 3 on the right, so 5 in total")]
[False, False, True]
"""

from __future__ import annotations

import re
from typing import NamedTuple

from oodexp.answer import vocabulary as voc
from oodexp.answer.interval import qualified
from oodexp.answer.mention import MENTION
from oodexp.answer.numeral import OTHERS, TENS, UNITS, Number, numerals

_ADVERB = r"(?:(?:exactly|only|about|around|approximately|probably|likely|just) )?"
_NEXT_WORD = re.compile(r"[ -]?([^\W\d_][\w'-]{0,29})(?!\w)")
_NEXT_MENTION = re.compile(rf"(?: or (?:more|so|fewer|less))?[\"']?[ -]?{MENTION}")
_NAMED_BEFORE = re.compile(
    rf"{MENTION}[\"')]? ?(?:count |total )?(?:[:=(-]|(?:is|are|equals?)(?= )) ?[\"']?{_ADVERB}$"
)
_NUMBER_OF = re.compile(
    rf"(?:number|count|total) of (?:[\w'-]{{1,30}} ){{0,3}}{MENTION}[^.!?\n]{{0,50}}"
    rf"(?:is|:|=|equals) ?{_ADVERB}$"
)
_TOTAL_BEFORE = re.compile(
    r"(?<!\w)(?:total(?: number)?(?: of)?|altogether|so|thus|therefore|hence|makes|making|equals|"
    rf"sum of|=)[:,]? ?(?:(?:there (?:is|are)|it is|that is|is|are|that makes|it) )?{_ADVERB}$"
)
_TOTAL_AFTER = re.compile(
    rf" (?:[\w{MENTION}'-]{{1,30}} ){{0,3}}?"
    r"(?:in total|total|altogether|in all|overall|all together)(?!\w)"
)
_NO = re.compile(
    rf"(?<!\w)no (?:(?!other|more|longer|fewer|less|doubt)[\w'-]{{1,30}} ){{0,2}}{MENTION}"
)
_VAGUE = re.compile(
    r"(?<!\w)(?:several|many|few|some|multiple|numerous|various|countless|"
    r"(?:lots|dozens|hundreds|plenty|an? (?:\w{1,30} )?(?:lot|number|group)) of)(?!\w)"
)
_NUMBER_WORDS = frozenset({*UNITS, *TENS, *OTHERS})
_LONGEST_PHRASE = 3


class Use(NamedTuple):
    """A number and what it counts."""

    number: Number
    kind: str
    """`bound` (counts the category), `other` (counts something else) or `free`."""
    total: bool
    """Whether the text gives it as the sum or the conclusion."""

    @property
    def answer(self) -> str:
        """The value, or the status where there is none: what has to agree."""
        return self.number.value or self.number.status


def uses(text: str, pair: int = 2) -> list[Use]:
    """Find the numbers of a text and what they count.

    Args:
        text: In lower case, mentions of the category marked.
        pair: How many things a pair is: 1 for scissors.

    Returns:
        The numbers in order. "No dogs" counts the category (0), and so does "several dogs",
        with status `unknown`: a vague count of the category outweighs a number without one.
    """
    found: list[Use] = []
    counted: set[int] = set()  # places of mentions that a number before them counts
    for number in qualified(text, numerals(text, pair)):
        phrase = _phrase(text, number.end)
        counted |= {phrase.mention} if phrase.mention is not None else set()
        found.append(_use(text, number, phrase, counted))
    for match in _NO.finditer(text):
        found.append(Use(Number("0", "read", None, *match.span()), "bound", False))
    for match in _VAGUE.finditer(text):
        phrase = _phrase(text, match.end())
        if phrase.mention is not None and phrase.mention not in counted:
            found.append(Use(Number(None, "unknown", None, *match.span()), "bound", False))
    return sorted(found, key=lambda use: use.number.start)


class _Phrase(NamedTuple):
    mention: int | None  # place of the mention that the noun phrase ends with
    noun: bool  # whether it holds another noun, or an adjective
    plural: bool  # whether that is a plural noun


def _use(text: str, number: Number, phrase: _Phrase, counted: set[int]) -> Use:
    lead_start = max(0, number.start - 100)
    lead = text[lead_start : number.start]
    named = _NAMED_BEFORE.search(lead)
    if named and lead_start + named.start() in counted:  # "four dogs: one brown, ..."
        named = None
    kind = "free"
    if phrase.mention is not None or named or _NUMBER_OF.search(lead):
        kind = "bound"
    elif phrase.plural or (phrase.noun and number.value == "1"):
        kind = "other"
    sums = _TOTAL_BEFORE.search(lead[-60:]) or _TOTAL_AFTER.match(text, number.end)
    return Use(number, kind, sums is not None)


def _phrase(text: str, end: int) -> _Phrase:
    """Read the noun phrase after a number."""
    words = 0
    while words <= _LONGEST_PHRASE:
        found = _NEXT_MENTION.match(text, end)
        if found:
            return _Phrase(found.end() - len(MENTION), noun=False, plural=False)
        match = _NEXT_WORD.match(text, end)
        if match is None or match[1] in voc.NUMBER_FOLLOWERS or match[1] in _NUMBER_WORDS:
            break
        if _is_plural(match[1]):
            return _Phrase(None, noun=True, plural=True)
        words += match[1] not in voc.GENERIC_NOUNS
        end = match.end()
    return _Phrase(None, noun=words > 0, plural=False)


def _is_plural(word: str) -> bool:
    if word in voc.PLURAL_NOUNS:
        return True
    ends = len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us"))
    return ends and word not in voc.GENERIC_NOUNS
