"""Why an answer holds no reading: refusals, abstentions, failure notices.

All functions take text from `oodexp.answer.unwrap.in_plain_words`: lower case, "can't" spelt out.

>>> silence("i am sorry, but i can not help with identifying that")
'refused'
>>> silence("i am sorry, i can not determine that"), silence("the sky is blue")
('unknown', 'unknown')
"""

from __future__ import annotations

import re

FAILURE_PREFIXES = (
    "[lmms_eval_request_failed",
    "[lmms_eval_budget_exceeded",
    "failed to obtain answer",
)
"""How other harnesses begin the text that they store in place of a completion, in lower case.

Our own runner reports failures as a status; these reach a reader only through imported files.
"""

_CAN_NOT = (
    r"(?:can not|could not|will not|unable to|not able to|not allowed to|not permitted to|"
    r"decline to|refuse to|do not have the ability to)"
)
_PICTURE = r"(?:images?|pictures?|photos?|photographs?|attachments?|visuals?)"
_REFUSAL = re.compile(
    r"(?<!\w)(?:"
    r"as an? (?:ai|text|language|large language|text-based|text-only)(?!\w)"
    r"|i am (?:just |only )?an? (?:ai|text|language|large language)(?!\w)"
    rf"|{_CAN_NOT} (?:\w+ )?(?:help|assist|comply|answer|respond|process|view|access|"
    r"analy[sz]e|provide|fulfill?|do that|do this)(?!\w)"
    rf"|(?:{_CAN_NOT}|do not) (?:\w+ )?see (?:(?:the|this|that|your|any|an) )?{_PICTURE}(?!\w)"
    rf"|no {_PICTURE} (?:was|were|is|are|has been|have been) (?:provided|attached|uploaded|given)"
    r"|against (?:my|our|the) (?:policy|policies|guidelines)"
    r")"
)
_APOLOGY = re.compile(r"(?<!\w)(?:sorry|apologi[sz]e|apologies)(?!\w)")
_HEDGE = re.compile(
    r"(?<!\w)(?:"
    r"whether|if|may|might|maybe|perhaps|possibly|could be"
    r"|not (?:\w+ )?(?:sure|certain|clear|applicable)|unsure|uncertain|unclear|n/a"
    r"|(?:can not|could not|unable to|not able to) (?:\w+ ){0,2}"
    r"(?:determine|determined|tell|say|confirm|confirmed|verify|verified|judge|know)"
    r"|(?:difficult|hard|impossible) to|do not know"
    r")(?!\w)"
)


def is_refusal(text: str) -> bool:
    """Tell whether a text says outright that the model will not or cannot answer."""
    return _REFUSAL.search(text) is not None


def is_hedged(text: str) -> bool:
    """Tell whether a text leaves open what it speaks of ("might", "I cannot determine if")."""
    return _HEDGE.search(text) is not None


def silence(text: str) -> str:
    """Name the status of a text in which no answer was found.

    Returns:
        `refused` for a refusal, or for an apology that does not speak of doubt; else `unknown`.
    """
    if is_refusal(text):
        return "refused"
    return "refused" if _APOLOGY.search(text) and not is_hedged(text) else "unknown"
