"""Read how many things of a category an answer counts.

>>> reader = Count()
>>> reader.read("There are two cats and one dog.", polarity="count", category="dog")
Reading(value='1', status='read', flag=None)
>>> reader.read("At least 7", polarity="count", category="dog")
Reading(value='7', status='read', flag='lower_bound')
>>> reader.read("two or three", polarity="count", category="dog")
Reading(value=None, status='ambiguous', flag=None)
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from oodexp.answer.base import Reading
from oodexp.answer.binding import Use, uses
from oodexp.answer.declarative import claim
from oodexp.answer.explicit import sentences
from oodexp.answer.mention import MENTION, mask
from oodexp.answer.numeral import overflows
from oodexp.answer.script import whole_number
from oodexp.answer.status import is_refusal, silence
from oodexp.answer.unwrap import THINK_TAGS, in_plain_words, unwrap
from oodexp.answer.vocabulary import WORN_IN_PAIRS

_ARTICLE = re.compile(rf"(?<!\w)an? (?:(?!few|lot|number|group)[\w'-]{{1,30}} ){{0,2}}{MENTION}")


class Count:
    """The default reader of counting questions; it never guesses a number.

    In this order: a declared answer ("Answer: 3", a box, JSON), the total, the number bound to
    the category ("two cats and one dog"), numbers bound to nothing, and last sentences such as
    "There are no dogs". Numbers that disagree are ambiguous, and a number bound to something
    else ("two cats") is no answer.

    Attributes:
        think_tags: Pairs of opening and closing tag around reasoning, matched in any case.
    """

    name: str = "count"

    def __init__(self, think_tags: tuple[tuple[str, str], ...] = THINK_TAGS) -> None:
        self.think_tags = tuple((opener, closer) for opener, closer in think_tags)

    def read(self, completion: str | None, *, polarity: str, category: str) -> Reading:
        """Read one completion.

        Args:
            completion: The text, word for word; None when the model gave none.
            polarity: Not used: a count is asked in one way.
            category: The category as the question names it.

        Returns:
            A decimal integer >= 0 as text, or why there is none.
        """
        unwrapped = unwrap(completion, self.think_tags)
        if unwrapped.status is not None:
            return Reading(None, unwrapped.status, None)
        for text in unwrapped.declared:
            declared = _read(text, category)
            if declared.status != "unknown":
                return declared
        return _read(unwrapped.text, category)


def _read(text: str, category: str) -> Reading:
    other = whole_number(text)
    if other is not None:
        return Reading(other[0], "read", other[1])
    masked = _without_questions(mask(in_plain_words(text), category))
    if overflows(masked):
        return Reading(None, "ambiguous", None)
    worn = not WORN_IN_PAIRS.isdisjoint(category.casefold().split())
    found = uses(masked, pair=1 if worn else 2)
    bound = [use for use in found if use.kind == "bound"]
    free = [use for use in found if use.kind == "free"]
    if not bound and is_refusal(masked):
        return Reading(None, "refused", None)
    chosen = _chosen(bound, free, others=len(found) > len(bound) + len(free))
    return _agreed(chosen) if chosen else _by_content(masked)


def _without_questions(text: str) -> str:
    """Drop restated questions, unless nothing else is there."""
    told = "".join(part.text for part in sentences(text) if "?" not in part.text)
    return told or text


def _chosen(bound: list[Use], free: list[Use], *, others: bool) -> list[Use]:
    """Pick the numbers that answer: a total over what is bound over what is free.

    A total that names nothing ("5 in total") may sum several categories; where others were
    counted too, an undisputed number of the category itself is better.
    """
    if len({use.answer for use in bound}) == 1 and others:
        return bound
    totals = [use for use in (*bound, *free) if use.total]
    if totals:
        return [max(totals, key=lambda use: use.number.start)]
    return bound or free


def _agreed(chosen: Sequence[Use]) -> Reading:
    answers = {use.answer for use in chosen}
    if len(answers) > 1:
        return Reading(None, "ambiguous", None)
    last = chosen[-1].number
    return Reading(last.value, last.status, last.flag)


def _by_content(text: str) -> Reading:
    """Read "There are no dogs" as 0 and "There is a dog" as 1."""
    claims = {claim(part.text) for part in sentences(text)} - {None}
    if claims == {False}:
        return Reading("0", "read", "by_content")
    if claims == {True} and text.count(MENTION) == 1 and _ARTICLE.search(text):
        return Reading("1", "read", "article")
    return Reading(None, silence(text), None)
