"""A VLM that says what it is told to: the constant baselines, and a partner for tests."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from oodexp.error import OodexpError
from oodexp.vlm.base import Reply

if TYPE_CHECKING:
    from PIL.Image import Image


class Scripted:
    """Replies by rule, without looking at the image.

    Args:
        replies: One text for every prompt, or a mapping from a regular expression (searched in the
            prompt, first match wins) to a reply. A reply is a text, null for none (status `error`),
            or a mapping with the fields of `Reply` that differ from a plain answer.
    """

    def __init__(self, replies: str | Mapping[str, Any]) -> None:
        rules = {"": replies} if isinstance(replies, str) else dict(replies)
        try:
            self._rules = [(re.compile(p, re.DOTALL), _reply(r)) for p, r in rules.items()]
        except (re.error, TypeError) as error:
            raise OodexpError(f"scripted replies {rules}: {error}") from error

    def fingerprint(self) -> dict[str, Any]:
        """The script."""
        return {"kind": "scripted", "replies": [[p.pattern, *r] for p, r in self._rules]}

    def load(self, device: str) -> None:
        """Nothing is loaded."""

    def complete(
        self, images: Sequence[Image], prompts: Sequence[str],
        max_tokens: Sequence[int | None] | None = None,
    ) -> list[Reply]:  # fmt: skip
        """The reply of the first rule that fits each prompt; an error where none does."""
        return [self._answer(prompt) for _, prompt in zip(images, prompts, strict=True)]

    def _answer(self, prompt: str) -> Reply:
        for pattern, reply in self._rules:
            if pattern.search(prompt):
                return reply
        return Reply(None, "error", "no scripted reply fits the prompt", None)


def _reply(told: Any) -> Reply:
    if told is None:
        return Reply(None, "error", "scripted: no text", None)
    if isinstance(told, str):
        return Reply(told, "ok", None, None)
    return Reply(**{"text": None, "status": "ok", "reason": None, "tokens": None, **dict(told)})
