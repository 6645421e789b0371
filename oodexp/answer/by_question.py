"""Yes/no questions to one reader, counting questions to another.

>>> from oodexp.answer.count import Count
>>> from oodexp.answer.yes_no import YesNo
>>> reader = ByQuestion(YesNo(), Count())
>>> reader.read("No, two.", polarity="count", category="dog").value
'2'
>>> reader.read("No, two.", polarity="compare", category="dog").value
'no'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oodexp.answer.base import Reader, Reading


class ByQuestion:
    """Reads each completion with the reader for what was asked.

    Args:
        yes_no: Reads the polarities `present`, `absent` and `compare`.
        count: Reads the polarity `count`.
        name: The name under which the readings are stored.
    """

    def __init__(self, yes_no: Reader, count: Reader, name: str = "by_question") -> None:
        self.name = name
        self._yes_no = yes_no
        self._count = count

    def read(self, completion: str | None, *, polarity: str, category: str) -> Reading:
        """See `base.Reader`."""
        reader = self._count if polarity == "count" else self._yes_no
        return reader.read(completion, polarity=polarity, category=category)
