"""The authors' rule, kept so that their numbers can be compared with ours.

>>> Paper().read("Yes, I see one.", polarity="present", category="dog").value
'yes'
>>> Paper().read("I cannot tell.", polarity="present", category="dog").value
'no'
"""

from __future__ import annotations

import re

from oodexp.answer.base import Reading

_YES = re.compile(r"\byes\b", re.IGNORECASE)
_NO = re.compile(r"\bno\b", re.IGNORECASE)


class Paper:
    """Yes exactly when the whole word "yes" occurs and "no" does not; everything else is no.

    No text is unread (OODBench's code, not its text). A verbose answer that holds both words
    therefore reads as no, and so do a refusal, an empty text and a reasoning that was cut off.
    """

    name: str = "paper"

    def read(self, completion: str | None, *, polarity: str, category: str) -> Reading:
        """Read one completion by the authors' rule.

        Args:
            completion: The text; None when the model gave none.
            polarity: Not used: the rule does not know what was asked.
            category: Not used, for the same reason.

        Returns:
            `yes` or `no` with status `read`; status `error` for None.
        """
        if completion is None:
            return Reading(None, "error", None)
        says_yes = _YES.search(completion) is not None and _NO.search(completion) is None
        return Reading("yes" if says_yes else "no", "read", None)
