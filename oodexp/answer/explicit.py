"""Find the words yes and no where they answer, and not where they merely occur.

"No" before a noun ("no dog", "no doubt", "No. 5") and "yes" inside a phrase ("a yes sign") say
nothing about the question by themselves.

>>> text = "i notice a yes sign. no"
>>> [(word.value, word.sentence) for word in explicit_words(text, sentences(text))]
[('no', 1)]
>>> synonym("nope, nothing there"), synonym("absolutely not"), synonym("n")
(('no', 'synonym'), ('no', 'synonym'), ('no', 'letter'))
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

CHOICE = "\ue001"
"""Stands for a restated choice such as "yes or no"; `normalise` removes it from the text."""

_MARKS = "\ue000\ue001"
# A point before a digit is part of a number.
_SENTENCE = re.compile(r"(?:[^.!?\n。]|\.(?=\d))+[.!?\n。]*")
_WORD = re.compile(rf"(?<![\w{_MARKS}])(?<!\w-)(yes|no)(?![\w{_MARKS}])(?!-\w)")
_ANSWERS = re.compile(
    rf"\s*$|\n| ?[^\w\s{_MARKS}]| (?:there|the|it|its|i|we|you|he|she|they|this|that|these|those|"
    r"a|an|in|but|because|since|as|so|and|or|not|nothing|none|is|are|please|sorry)(?!\w)"
)
_FIRST = re.compile(rf"[\w{_MARKS}]")
_NUMBERED = re.compile(r"\.? ?\d")
_YES, _NO = r"[\"']?(?:yes|true)[\"']?", r"[\"']?(?:no|false)[\"']?"
_LINK = r"(?: ?[/|] ?| or |, or |,? ?and | ?& ?)"
_CHOICE = re.compile(rf"(?<!\w)(?:{_YES}{_LINK}{_NO}|{_NO}{_LINK}{_YES})(?!\w)")

_WHOLE = {
    "yes": "sure|right|exactly|indeed|of course|y",
    "no": "not at all|not really|wrong|negative|n",
}
_LEADING = {
    "yes": "true|correct|absolutely|certainly|definitely|affirmative|yeah|yep|yup",
    "no": "false|incorrect|nope|nah|(?:absolutely|certainly|definitely|of course) not",
}
_SYNONYMS = tuple(
    (
        value,
        re.compile(
            rf"\W*(?:(?:{_WHOLE[value]})\W*$|(?:{_LEADING[value]})(?=\s*$|\n| ?[^\w\s{_MARKS}]))"
        ),
    )
    for value in ("no", "yes")
)


class Word(NamedTuple):
    """A yes or no that answers."""

    value: str
    """`yes` or `no`."""
    sentence: int
    """Place of its sentence in the text, from 0."""
    leading: bool
    """Whether no other word stands before it in the text."""


class Sentence(NamedTuple):
    """A stretch of text up to a full stop, question or exclamation mark, or line break."""

    start: int
    """Place of its first character in the text, from 0."""
    text: str
    """The words with their end marks."""


def sentences(text: str) -> list[Sentence]:
    """Split a text into sentences, in order; together they hold every word of it."""
    return [Sentence(found.start(), found.group()) for found in _SENTENCE.finditer(text)]


def mark_choices(text: str) -> str:
    """Put `CHOICE` in the place of "yes or no", "Yes/No" and the like (text in lower case)."""
    return _CHOICE.sub(CHOICE, text)


def explicit_words(text: str, parts: list[Sentence]) -> list[Word]:
    """Find each yes and no that answers.

    Args:
        text: In lower case, mentions of the category and choices marked.
        parts: The sentences of that text.

    Returns:
        The words in order.
    """
    starts = [part.start for part in parts]
    first = _FIRST.search(text)
    found = []
    for match in _WORD.finditer(text):
        leading = first is not None and match.start() == first.start()
        if leading and match[1] == "yes":
            answers = True
        else:
            answers = _ANSWERS.match(text, match.end()) is not None
            if not leading and match[1] == "no" and _NUMBERED.match(text, match.end()):
                answers = False
        if answers:
            found.append(Word(match[1], bisect_right(starts, match.start()) - 1, leading))
    return found


def synonym(text: str) -> tuple[str, str] | None:
    """Read a bare letter, or a word at the start that stands for yes or no.

    Args:
        text: In lower case.

    Returns:
        The value and the flag (`letter` or `synonym`), or None.
    """
    for value, pattern in _SYNONYMS:
        found = pattern.match(text)
        if found:
            letter = found.group().strip(" .,!?;:()[]\"'\n-") in {"y", "n"}
            return value, "letter" if letter else "synonym"
    return None
