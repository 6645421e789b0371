"""Read a yes/no answer, knowing which way the question was asked.

>>> reader = YesNo()
>>> reader.read("**Yes**", polarity="present", category="dog")
Reading(value='yes', status='read', flag=None)
>>> reader.read("There is no dog.", polarity="absent", category="dog")
Reading(value='yes', status='read', flag='by_content')
>>> reader.read("No. There is no dog.", polarity="absent", category="dog")
Reading(value=None, status='conflict', flag='conflict:no')
"""

from __future__ import annotations

from oodexp.answer.base import Reading
from oodexp.answer.declarative import claim
from oodexp.answer.explicit import (
    CHOICE,
    Sentence,
    Word,
    explicit_words,
    mark_choices,
    sentences,
    synonym,
)
from oodexp.answer.mention import mask
from oodexp.answer.status import is_refusal, silence
from oodexp.answer.unwrap import THINK_TAGS, in_plain_words, unwrap

POLARITIES = ("present", "absent", "compare")


class YesNo:
    """The default reader of yes/no questions; it never falls back on a class.

    In this order: a declared answer ("Answer: no", a box, JSON), the words yes and no where they
    answer, synonyms, what the sentences say about the category, and last why there is no answer.

    When the word and a sentence contradict each other, the sentence's place decides. Within one
    sentence ("No, there is no dog" to the negated question) the word answers and the rest
    explains: the word is read and flagged `conflict`. In sentences of their own ("No. There is
    no dog.") the question was answered twice with opposite results: status `conflict`, no value,
    and the flag keeps the word that was said. Both make up the conflict rate. A declared answer
    was set apart on purpose, so it is read, and flagged, even against the sentences before it.

    Attributes:
        think_tags: Pairs of opening and closing tag around reasoning, matched in any case.
    """

    name: str = "yes_no"

    def __init__(self, think_tags: tuple[tuple[str, str], ...] = THINK_TAGS) -> None:
        self.think_tags = tuple((opener, closer) for opener, closer in think_tags)

    def read(self, completion: str | None, *, polarity: str, category: str) -> Reading:
        """Read one completion.

        Args:
            completion: The text, word for word; None when the model gave none.
            polarity: `present` or `absent`: what the question asked about the category; `compare`
                when it compared two numbers, which a sentence about the category cannot answer.
            category: The category as the question names it.

        Returns:
            `yes` or `no` as an answer to the question as asked, or why there is none.

        Raises:
            ValueError: If the polarity is none of the three.
        """
        if polarity not in POLARITIES:
            raise ValueError(
                f"polarity is {polarity!r}; a yes/no question is one of {POLARITIES}. "
                "Use the count reader for counting questions."
            )
        unwrapped = unwrap(completion, self.think_tags)
        if unwrapped.status is not None:
            return Reading(None, unwrapped.status, None)
        whole = _Passage(unwrapped.text, polarity, category)
        for text in unwrapped.declared:
            declared = _Passage(text, polarity, category).read()
            if declared.status != "unknown":
                return _reconcile(declared, whole)
        return whole.read()


class _Passage:
    """A stretch of text under one question."""

    def __init__(self, text: str, polarity: str, category: str) -> None:
        self.text = mark_choices(mask(in_plain_words(text), category))
        self.sentences: list[Sentence] = sentences(self.text)
        self.words: list[Word] = explicit_words(self.text, self.sentences)
        self.polarity = polarity
        self._answers: dict[int, str] | None = None

    def read(self) -> Reading:
        values = {word.value for word in self.words}
        if len(values) > 1 or (not values and CHOICE in self.text):
            return Reading(None, "ambiguous", None)
        if values == {"no"} and is_refusal(self.text) and self.content() is None:
            return Reading(None, "refused", None)
        if values:
            return self._checked(values.pop(), {word.sentence for word in self.words}, None)
        spoken = synonym(self.text)
        if spoken is not None:
            return self._checked(spoken[0], {0}, spoken[1])
        content = self.content()
        if content is not None:
            return Reading(content, "read", "by_content")
        if len(set(self.answers().values())) > 1:
            return Reading(None, "ambiguous", None)
        return Reading(None, silence(self.text), None)

    def answers(self) -> dict[int, str]:
        """What each sentence that speaks of the category answers, by its place."""
        if self._answers is None:
            told = [] if self.polarity == "compare" else self.sentences
            said = {i: claim(sentence.text) for i, sentence in enumerate(told)}
            asks_present = self.polarity == "present"
            self._answers = {
                i: "yes" if there == asks_present else "no"
                for i, there in said.items()
                if there is not None
            }
        return self._answers

    def content(self) -> str | None:
        """What all those sentences answer, or None when they differ or there are none."""
        found = set(self.answers().values())
        return found.pop() if len(found) == 1 else None

    def _checked(self, value: str, places: set[int], flag: str | None) -> Reading:
        """Hold a word against the sentences."""
        if self.content() in (None, value):
            return Reading(value, "read", flag)
        if places.isdisjoint(self.answers()):
            return Reading(None, "conflict", f"conflict:{value}")
        return Reading(value, "read", "conflict")


def _reconcile(declared: Reading, whole: _Passage) -> Reading:
    """Hold a declared answer against the rest of the completion."""
    if declared.value is None:
        return declared
    if any(word.leading and word.value != declared.value for word in whole.words):
        return Reading(None, "ambiguous", None)
    if whole.content() in (None, declared.value):
        return declared
    return Reading(declared.value, "read", "conflict")
