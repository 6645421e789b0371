"""Take an answer out of what models wrap it in, in time linear in the length of the text.

Think blocks, answer tags, boxes, JSON, code fences, "Answer:" markers, Markdown, odd Unicode.

>>> unwrap("<think>maybe not</think>**Answer:** No").declared
('No',)
>>> unwrap("<think>no, the dog might be").status
'truncated'
>>> in_plain_words("There isn't a Dog")
'there is not a dog'
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from oodexp.answer.markup import peel, plain
from oodexp.answer.status import FAILURE_PREFIXES

THINK_TAGS: tuple[tuple[str, str], ...] = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<seed:think>", "</seed:think>"),
    ("[think]", "[/think]"),
    ("◁think▷", "◁/think▷"),
)
"""Pairs that enclose reasoning, in any case; a reader can be given others."""

_DECLARED = 4
_NESTING = 4
_MARKS_IN_A_ROW = 30
_INVISIBLE = dict.fromkeys(
    map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u200f\ue000\ue001")
)  # the last two are our own marks, which a text must not bring along
_STRAIGHT = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb", '"'),
        **dict.fromkeys("\u2013\u2014\u2212", "-"),
    }
)
_MARKER = re.compile(
    r"(?<!\w)(?:answer|response|conclusion|verdict|prediction|output|result)[\"')\]]{0,2} ?"
    r"(?:[:=]|(?:is|would be|should be)(?!\w):?) ?|(?:^|(?<=\n))a: ?",
    re.IGNORECASE,
)
_CONTRACTIONS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(?<!\w)(?:can't|cannot|cant)(?!\w)"), "can not"),
    (re.compile(r"(?<!\w)won't(?!\w)"), "will not"),
    (re.compile(r"(?<=[a-z])n't(?!\w)"), " not"),
    (re.compile(r"(?<!\w)(is|are|was|were|do|does|did|could)nt(?!\w)"), r"\1 not"),
    (re.compile(r"(?<!\w)(there|it|that|here|this)'s(?!\w)"), r"\1 is"),
    (re.compile(r"(?<!\w)i'm(?!\w)"), "i am"),
    (re.compile(r"(?<=[a-z])'re(?!\w)"), " are"),
    (re.compile(r"(?<!\w)(?:appears?|seems?) to be(?!\w)"), "is"),
    (re.compile(r"(?<!\w)(?:appears?|seems?) to (?=\w)"), ""),
)


class Unwrapped(NamedTuple):
    """What is left of a completion."""

    text: str
    """All of it outside reasoning, without formatting; empty when the status is set."""
    declared: tuple[str, ...]
    """Passages given as the answer (after "Answer:", in a box ...), the last one first."""
    status: str | None
    """`error`, `truncated` or `empty` when there is nothing to read, else None."""


def unwrap(
    completion: str | None, think_tags: tuple[tuple[str, str], ...] = THINK_TAGS
) -> Unwrapped:
    """Take off reasoning and wrapping.

    Args:
        completion: The text, word for word; None when there is none.
        think_tags: Pairs of opening and closing tag, matched in any case.

    Returns:
        What is left, in the writer's own letter case, compatibility forms replaced (NFKC).
    """
    if completion is None:
        return Unwrapped("", (), "error")
    text = normalise(completion)
    if text.casefold().startswith(FAILURE_PREFIXES):
        return Unwrapped("", (), "error")
    spoken = without_thought(text, think_tags)
    if spoken is None:
        return Unwrapped("", (), "truncated")
    bare = plain(spoken)
    if not bare:
        return Unwrapped("", (), "empty")
    return Unwrapped(bare, _declared(spoken, bare), None)


def normalise(text: str) -> str:
    """Fold compatibility forms, straighten quotes and dashes, drop invisible characters."""
    folded = unicodedata.normalize("NFKC", _without_mark_runs(text.strip()))
    return folded.translate(_INVISIBLE).translate(_STRAIGHT).strip()


def _without_mark_runs(text: str) -> str:
    """Cut runs of combining marks at `_MARKS_IN_A_ROW`: sorting them is quadratic in NFKC."""
    if text.isascii():
        return text
    kept: list[str] = []
    run = 0
    for character in text:
        run = run + 1 if unicodedata.combining(character) else 0
        if run <= _MARKS_IN_A_ROW:
            kept.append(character)
    return "".join(kept)


def without_thought(text: str, tags: tuple[tuple[str, str], ...]) -> str | None:
    """Take reasoning off.

    A closing tag without an opening one ends reasoning that began before the text did (several
    chat templates put the opening tag into the prompt). What stood between two blocks is kept
    apart from what follows by a line break.

    Returns:
        The text outside reasoning; None when the last block is never closed.
    """
    closers = {opener.casefold(): closer.casefold() for opener, closer in tags}
    if not closers:
        return text
    either = "|".join(map(re.escape, sorted({*closers, *closers.values()}, key=len, reverse=True)))
    kept: list[str] = []
    awaited: str | None = None
    start = 0
    for tag in re.finditer(either, text, re.IGNORECASE):
        name = tag.group().casefold()
        if awaited is None and name in closers:
            kept.append(text[start : tag.start()])
            awaited = closers[name]
        elif awaited is None:
            kept.clear()
            start = tag.end()
        elif name == awaited:
            awaited = None
            start = tag.end()
    if awaited is not None:
        return None
    return "\n".join([*kept, text[start:]]).strip()


def in_plain_words(text: str) -> str:
    """Put a text in lower case and spell its contractions out ("isn't" becomes "is not")."""
    text = text.casefold()
    for contraction, words in _CONTRACTIONS:
        text = contraction.sub(words, text)
    return text


def _declared(spoken: str, bare: str) -> tuple[str, ...]:
    """Find the passages that are given as the answer, the most deliberate one first."""
    inner: str | None = None
    for _ in range(_NESTING):
        peeled = peel(spoken if inner is None else inner)
        if peeled is None:
            break
        inner = peeled
    source = bare if inner is None else plain(inner)
    marks = list(_MARKER.finditer(source))[-_DECLARED:]
    after = [source[mark.end() :] for mark in reversed(marks)]
    passages = after if inner is None else [*after, source]
    return tuple(passage for passage in passages if passage)
