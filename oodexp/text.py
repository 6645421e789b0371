"""What a text of somebody else may hold besides words: control characters, halves of characters.

Names, ids, captions and completions come from data sets and servers. A terminal obeys what it is
sent, and a half of a surrogate pair, which JSON can write, is no character of any encoding.
"""

from __future__ import annotations

import re
import reprlib
from typing import Any

# C0 and C1 without tab and line feed; delete; what turns the direction of a line; line separators;
# halves of surrogate pairs; what is no character, and may not stand in XML.
_UNSHOWN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
_HALF = re.compile("[\ud800-\udfff]")


def printable(text: str) -> str:
    r"""The text with an escape in the place of everything that a terminal would obey.

    >>> printable("\x1b[31mred\u202e"), printable("two\nlines")
    ('\\x1b[31mred\\u202e', 'two\nlines')
    """
    return _UNSHOWN.sub(lambda m: m[0].encode("unicode_escape").decode("ascii"), text)


def broken(text: str) -> bool:
    r"""Whether the text holds half of a surrogate pair, so that it cannot be written.

    >>> broken("a\ud83d"), broken("\U0001f600")
    (True, False)
    """
    return _HALF.search(text) is not None


def mended(text: str, most: int = 300) -> str:
    """The text so that it can be written, cut at `most` letters: for a row of `problems`."""
    whole = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return whole if len(whole) <= most else f"{whole[:most]} ..."


def brief(value: Any) -> str:
    """A value of somebody else as a message shows it: never long, however large or deep it is.

    >>> brief([[[[[[1]]]]]]), len(brief("a" * 1_000_000))
    ('[[[[...]]]]', 80)
    """
    return _BRIEF.repr(value)


_BRIEF = reprlib.Repr()
_BRIEF.maxlevel, _BRIEF.maxstring, _BRIEF.maxother, _BRIEF.maxlong = 4, 80, 80, 80
