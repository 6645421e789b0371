"""Prompts as SigLIP's makers write them: lower case, no punctuation, single blanks.

Their evaluations clean every text so, and their models lose much of their accuracy without it.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Literal

from oodexp.error import OodexpError

Cleaning = Literal["family", "as_is", "lower", "canonical"]
"""`family` for what a family of models was evaluated with; the others by name."""

_CLEANINGS = ("family", "as_is", "lower", "canonical")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def check_cleaning(cleaning: Cleaning) -> Cleaning:
    """The name, if it is one of `Cleaning`.

    Raises:
        OodexpError: If it is not.
    """
    if cleaning not in _CLEANINGS:
        raise OodexpError(f"clean {cleaning!r}: expected one of {', '.join(_CLEANINGS)}")
    return cleaning


def cleaned(texts: Sequence[str], cleaning: str) -> list[str]:
    """The texts as `as_is`, `lower` or `canonical` leaves them.

    >>> cleaned(["A photo of a Pick-up_truck!"], "canonical")
    ['a photo of a pickup truck']
    """
    if cleaning == "as_is":
        return list(texts)
    if cleaning == "lower":
        return [text.lower() for text in texts]
    return [_canonical(text) for text in texts]


def _canonical(text: str) -> str:
    # The underscore parts words, so it becomes a blank; other punctuation goes without a trace.
    return " ".join(text.replace("_", " ").translate(_NO_PUNCTUATION).lower().split())
