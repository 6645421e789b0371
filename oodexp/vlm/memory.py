"""Batches that shrink until they fit into memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from oodexp.vlm.base import Reply

Item = TypeVar("Item")


class Fitting:
    """Runs batches; one that does not fit is halved, and no later one is larger than what fits."""

    def __init__(self) -> None:
        self.most: int | None = None
        """Largest batch that is tried; None until one did not fit."""

    def run(
        self, items: Sequence[Item], work: Callable[[Sequence[Item]], list[Reply]]
    ) -> list[Reply]:
        """The replies of `work`, in order; an error reply for an item that does not fit alone.

        Args:
            items: What to work on.
            work: Gives one reply an item; raises torch.OutOfMemoryError when it does not fit.
        """
        replies: list[Reply] = []
        while len(replies) < len(items):
            some = items[len(replies) :][: self.most]
            done = _tried(some, work)
            if isinstance(done, str) and len(some) > 1:
                self.most = (len(some) + 1) // 2
            elif isinstance(done, str):
                replies.append(Reply(None, "error", done, None))
            else:
                replies += done
        return replies


def _tried(items: Any, work: Any) -> list[Reply] | str:
    """The replies, or why there are none; leaving the handler frees what the attempt held."""
    import torch

    try:
        return work(items)
    except torch.OutOfMemoryError as error:
        reason = f"one question does not fit into memory: {str(error).splitlines()[0]}"
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    return reason
