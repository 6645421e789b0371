"""What a sentence says about the category: that it is there, that it is not, or nothing.

Each mention is followed backwards to what governs it ("contains a ...", "there is no ...") and
forwards to what is said of it ("... is visible"), a bounded number of words each way.

>>> from oodexp.answer.mention import MENTION as DOG
>>> [claim(f"there is not a {DOG}"), claim(f"it is not moving, but a {DOG} is there")]
[False, True]
>>> print(claim(f"a picture of a {DOG}"))
None
"""

from __future__ import annotations

import re

from oodexp.answer import vocabulary as voc
from oodexp.answer.mention import MENTION
from oodexp.answer.status import is_hedged, is_refusal

_REACH = 14
_TOKEN = re.compile(rf"{MENTION}|[^\W_]+(?:['-][^\W_]+)*|[,:;()&]")
_IDIOM = re.compile(r"(?<!\w)(?:without|no) (?:a |any )?(?:doubt|question)(?!\w),?")
# "One" and "it" stand for the category only where the clause ends with them.
_PRONOUN_ABSENT = re.compile(
    r"(?<!\w)(?:there (?:is|are) (?:not (?:one|any)|none)|it does not|"
    r"(?:do not|can not) see (?:one|any))(?= *(?:$|[.,;!\n]))"
)
_PRONOUN_PRESENT = re.compile(r"(?<!\w)there (?:is|are) one(?= *(?:$|[.,;!\n]))")


def claim(sentence: str) -> bool | None:
    """Read one sentence.

    Args:
        sentence: In lower case, contractions spelt out, mentions of the category replaced by
            `MENTION`.

    Returns:
        True when it says that the category is there, False when it says that it is not, None
        when it asks, doubts, refuses, contradicts itself or speaks of something else.
    """
    if "?" in sentence or is_hedged(sentence) or is_refusal(sentence):
        return None
    tokens = _TOKEN.findall(_IDIOM.sub("", sentence))
    found = {_claim_of(tokens, i) for i, token in enumerate(tokens) if token == MENTION}
    if _PRONOUN_ABSENT.search(sentence):
        found.add(False)
    if _PRONOUN_PRESENT.search(sentence):
        found.add(True)
    found.discard(None)
    return found.pop() if len(found) == 1 else None


def _claim_of(tokens: list[str], i: int) -> bool | None:
    if _is_subject(tokens, i):
        said = _predicate(tokens[i + 1 : i + 8])
        if said is not None:
            return said
    return _governor(tokens, i)


def _is_subject(tokens: list[str], i: int) -> bool:
    """Tell whether nothing but a determiner and adjectives opens the clause before a mention."""
    for j in range(i - 1, max(-1, i - 5), -1):
        token = tokens[j]
        if token in voc.CLAUSE_STARTS or token in voc.JOINERS:
            return True
        if (
            token in voc.STOPS
            or token in voc.NONE_OF
            or token in voc.NEGATORS
            or token in voc.VERBS
        ):
            return False
        if token == "of" or token in voc.COPULAS or token in voc.RELATIONS:
            return False
    return i <= 4


def _predicate(after: list[str]) -> bool | None:
    """Read what is said of a mention that is the subject of its clause."""
    if not after or after[0] not in voc.COPULAS | {"can", "could"}:
        return None
    rest = [token for token in after[1:] if token not in {"be", "also", "being", "currently"}]
    rest = [token for token in rest if not (token.endswith("ly") and token != "only")]
    if rest and rest[0] in voc.GONE:
        return False
    if len(rest) > 1 and rest[0] == "not":
        in_scene = rest[1] == "in" and any(token in voc.SCENES for token in rest[2:4])
        return False if rest[1] in voc.DENIABLE or in_scene else None
    stands = bool(rest) and (rest[0] in voc.PRESENCE or rest[0].endswith("ing"))
    return True if stands else None


def _governor(tokens: list[str], i: int) -> bool | None:
    """Walk back from a mention to the verb or negation that governs it."""
    joined = related = determined = False
    for j in range(i - 1, max(-1, i - 1 - _REACH), -1):
        token = tokens[j]
        if token in voc.VERBS or _is_existential(tokens, j):
            negated = _is_negated(tokens, j)
            return None if negated and related else not negated
        if token in voc.NONE_OF or token == "not":
            settled = not related and not (joined and (determined or token == "not"))
            return False if settled and _binds(tokens, j) else None
        if token in voc.LIKENESS:
            return False if "nothing" in tokens[max(0, j - 4) : j] else None
        if token in voc.STOPS or (token == "of" and not _passes(tokens, j)):
            return None
        joined |= token in voc.JOINERS
        related |= token in voc.RELATIONS
        determined |= token in voc.DETERMINERS
    return None


def _is_existential(tokens: list[str], j: int) -> bool:
    return tokens[j] in voc.COPULAS and any(
        t in voc.COPULA_SUBJECTS for t in tokens[max(0, j - 2) : j]
    )


def _is_negated(tokens: list[str], j: int) -> bool:
    for token in reversed(tokens[max(0, j - 5) : j]):
        if token in voc.NEGATORS:
            return True
        if token in voc.JOINERS or token in {"but", ";", ":"}:
            return False
    return False


def _binds(tokens: list[str], j: int) -> bool:
    """Tell a negation that reaches what follows from "No, a dog" and "not only a dog"."""
    return tokens[j + 1] not in {",", "only", "just", "merely", "necessarily"}


def _passes(tokens: list[str], j: int) -> bool:
    return j > 0 and tokens[j - 1] in voc.TRANSPARENT_OF
