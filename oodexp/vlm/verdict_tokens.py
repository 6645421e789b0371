"""The probability of yes against no, read off the first token of an answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from oodexp.error import OodexpError

if TYPE_CHECKING:
    from torch import Tensor

_SPACES = ("", " ", "Ġ", "▁")  # as they are, and as byte-level and sentence-piece tokens write them
_YES = re.compile(r"\byes\b", re.IGNORECASE)
_NO = re.compile(r"\bno\b", re.IGNORECASE)


class Verdict(NamedTuple):
    """What a first token says."""

    yes: float
    """P(yes) / (P(yes) + P(no))."""
    mass: float
    """P(yes) + P(no)."""


def names_both(prompt: str) -> bool:
    """Whether a prompt offers yes and no as words, so that its answer is one of the two."""
    return bool(_YES.search(prompt) and _NO.search(prompt))


class VerdictTokens:
    """The tokens that are yes or no: small, capital or large letters, with and without a space.

    Args:
        tokenizer: A tokenizer of transformers.

    Raises:
        OodexpError: If either word is no single token.
    """

    def __init__(self, tokenizer: Any) -> None:
        self.yes, self.no = _tokens(tokenizer, "yes"), _tokens(tokenizer, "no")
        if not self.yes or not self.no or set(self.yes) & set(self.no):
            raise OodexpError(
                f"decode=logits: its tokenizer has the single tokens {self.yes} for yes and "
                f"{self.no} for no, and needs some for both; use decode=generate"
            )

    def read(self, logits: Tensor) -> list[Verdict]:
        """The verdict of each row of logits.

        Args:
            logits: Of the first position of the answer, (row, vocabulary); softmax over all of it.
        """
        import torch

        scores = logits.float()
        yes = scores[:, list(self.yes)].logsumexp(1)
        no = scores[:, list(self.no)].logsumexp(1)
        mass = (torch.logaddexp(yes, no) - scores.logsumexp(1)).exp()
        pairs = zip((yes - no).sigmoid().tolist(), mass.tolist(), strict=True)
        return [Verdict(*pair) for pair in pairs]


def _tokens(tokenizer: Any, word: str) -> Sequence[int]:
    known = tokenizer.get_vocab()
    found = set()
    for form in (word, word.capitalize(), word.upper()):
        found |= {known[space + form] for space in _SPACES if space + form in known}
        for text in (form, f" {form}"):
            ids = tokenizer.encode(text, add_special_tokens=False)
            found |= set(ids) if len(ids) == 1 else set()
    return sorted(found - {tokenizer.unk_token_id})
