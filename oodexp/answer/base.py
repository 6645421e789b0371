"""What a reader gives back: a reading, its status, and how it was reached.

A reading answers the question *as it was asked*: for "Does this image not contain a dog?" the
value `yes` means that the dog is absent.

>>> Reading("no", "read", "by_content").value
'no'
>>> is_legal(Reading(None, "unknown", None)), is_legal(Reading("yes", "unknown", None))
(True, False)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple, Protocol

STATUSES: Mapping[str, str] = MappingProxyType(
    {
        "read": "the answer is clear; the only status that has a value",
        "unknown": "no answer was found, or the model says that it does not know",
        "ambiguous": "several answers were given and none was declared the final one",
        "conflict": "a yes or no, and a separate sentence that says the opposite of it",
        "refused": "the model declined to answer, or says that it cannot see images",
        "filtered": "the provider's content filter withheld the answer",
        "truncated": "the reasoning was cut off before an answer began",
        "empty": "nothing is left once reasoning, blanks and formatting marks are taken away",
        "error": "there is no text, or the text is another harness's failure notice",
        "invalid": "a number that cannot be a count, such as 3.5 or -1",
    }
)
"""What each status means. Everything but `read` counts as unread, hence as not correct."""

FLAGS: Mapping[str, str] = MappingProxyType(
    {
        "by_content": "from a sentence about the category; no explicit word or number was given",
        "letter": "from a bare `y` or `n`",
        "synonym": "from a word such as `true`, `absolutely`, `nope`",
        "conflict": "the word was read although the same answer states the opposite",
        "conflict:yes": "status `conflict`, and the word that was said is yes",
        "conflict:no": "status `conflict`, and the word that was said is no",
        "approximate": "from `about 10`, `maybe 3`, `a couple of`",
        "lower_bound": "from `at least 7`, `more than 7` or `>7`: the number as written",
        "upper_bound": "from `at most 7`, `fewer than 7` or `<7`: the number as written",
        "roman": "from Roman numerals",
        "other_script": "from digits that are not 0-9, e.g. Chinese or Arabic-Indic",
        "article": "one, from an article alone: `There is a dog`",
    }
)
"""How a reading was reached. All that starts with `conflict` make up the conflict rate."""

MAX_DIGITS = 18
"""Longest count, in digits, that is read as one: it fits a signed 64-bit integer."""

_VALUE = re.compile(rf"yes|no|0|[1-9][0-9]{{0,{MAX_DIGITS - 1}}}")


class Reading(NamedTuple):
    """One completion as one reader reads it."""

    value: str | None
    """`yes`, `no`, or a decimal integer >= 0 as text; None exactly when the status is not `read`"""
    status: str
    """A key of `STATUSES`."""
    flag: str | None
    """A key of `FLAGS`; None when an explicit word or number was read, or nothing was."""


class Reader(Protocol):
    """Reads completions; it holds no state that a completion could change."""

    @property
    def name(self) -> str:
        """The name under which the readings are stored."""
        ...

    def read(self, completion: str | None, *, polarity: str, category: str) -> Reading:
        """Read one completion.

        Args:
            completion: The text, word for word; None when the model gave none.
            polarity: `present` ("Does this image contain a dog?"), `absent` ("Does this image
                not contain a dog?"), `count` or `compare` ("Is the number of dog in the image
                greater than the number of cat?").
            category: The category as the question names it, e.g. "traffic light".

        Returns:
            The reading. No text is bad input: what cannot be read has a status that says why.
        """
        ...


def is_legal(reading: Reading) -> bool:
    """Tell whether value, status and flag are known and fit together.

    Returns:
        True when the value is there exactly if the status is `read`, and the flag `conflict:*`
        exactly if it is `conflict`.
    """
    flag = reading.flag
    return (
        reading.status in STATUSES
        and (flag is None or flag in FLAGS)
        and (reading.value is not None) == (reading.status == "read")
        and (reading.value is None or _VALUE.fullmatch(reading.value) is not None)
        and (flag is not None and flag.startswith("conflict:")) == (reading.status == "conflict")
        and (reading.status in {"read", "conflict"} or flag is None)
    )
