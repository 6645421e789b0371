"""What requests cost, what they may cost at most, and the budget that must not be passed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from oodexp.error import Paused

if TYPE_CHECKING:
    from oodexp.vlm.base import Attempt

MILLION = 1_000_000

AROUND = 64
"""Tokens that a chat template may put around the messages."""


class Price(NamedTuple):
    """Price of a million tokens, in the currency that the budget is in."""

    prompt: float
    """Of prompt and image."""
    completion: float
    """Of the reply, reasoning included."""

    def of(self, prompt: int, completion: int) -> float:
        """What so many tokens cost."""
        return (prompt * self.prompt + completion * self.completion) / MILLION


class Worst(NamedTuple):
    """Bounds of a request that is not sent yet."""

    tokens: int
    """Most tokens of prompt and reply."""
    prompt: int
    """Most tokens of the prompt."""
    cost: float | None
    """Most that it can cost; None without a price."""


class Bill:
    """Keeps what was spent, what may have been, and what is under way.

    Args:
        price: Price of a million tokens of `prompt` and `completion`; None when unknown or none.
        budget: The most that all requests of the ledger may cost; None for no bound.
        image_tokens: Most tokens of an image; raised when a server counts more.
        past: Requests of earlier runs.
    """

    def __init__(
        self, price: Mapping[str, float] | None, budget: float | None, image_tokens: int,
        past: Iterable[Attempt],
    ) -> None:  # fmt: skip
        self._price = None if price is None else Price(price["prompt"], price["completion"])
        self._budget, self._image_tokens = budget, image_tokens
        self._known = self._unknown = self._under_way = 0.0
        self._lost = 0
        self._settled = asyncio.Condition()
        for attempt in past:
            self._enter(attempt)

    def worst(self, texts: Iterable[str | None], most: int | None) -> Worst:
        """Bounds of a request: a token is at least one byte of text.

        Args:
            texts: What is said beside the image.
            most: Most tokens of the reply; None when it is not bounded, which a budget rules out.
        """
        said = sum(len(text.encode()) for text in texts if text)
        prompt, reply = self._image_tokens + said + AROUND, most or 0
        cost = None if self._price is None else self._price.of(prompt, reply)
        return Worst(prompt + reply, prompt, cost)

    def cost(self, prompt: int | None, completion: int | None) -> float | None:
        """What a reply costs; None when its tokens or the price are not known."""
        if self._price is None or prompt is None or completion is None:
            return None
        return self._price.of(prompt, completion)

    def counted(self, worst: Worst, prompt: int | None) -> None:
        """Learns from what a server counted."""
        if prompt is not None and prompt > worst.prompt:
            self._image_tokens += prompt - worst.prompt

    async def reserve(self, worst: Worst) -> None:
        """Sets aside what a request may cost, once it is sure that the budget holds.

        Raises:
            Paused: If it would not, even when all that is under way turned out cheap.
        """
        if worst.cost is None or self._budget is None:
            return
        async with self._settled:
            while self._spent + self._under_way + worst.cost > self._budget:
                if self._under_way <= 0:
                    raise Paused(
                        f"the budget of {self._budget:g} is used up (the next request may cost "
                        f"{worst.cost:.6f}); set a higher budget to go on"
                    )
                await self._settled.wait()
            self._under_way += worst.cost

    async def settle(self, worst: Worst, attempt: Attempt | None) -> None:
        """Puts what a request did cost in place of what it might have; None if it was not sent."""
        async with self._settled:
            if worst.cost is not None and self._budget is not None:
                rest = self._under_way - worst.cost
                self._under_way = rest if rest > 1e-12 else 0.0
            if attempt is not None:
                self._enter(attempt)
            self._settled.notify_all()

    def said(self) -> str:
        """What was spent, for people."""
        if self._price is None:
            return "not known without a price"
        lost = f" and at most {self._unknown:.6f} for {self._lost} of unknown cost"
        return f"{self._known:.6f}{lost if self._lost else ''}"

    @property
    def _spent(self) -> float:
        return self._known + self._unknown

    def _enter(self, attempt: Attempt) -> None:
        cost = attempt.cost
        if cost is None:
            cost = self.cost(attempt.prompt_tokens, attempt.completion_tokens)
        if cost is not None:
            self._known += cost
        else:
            self._unknown += attempt.worst_cost or 0.0
            self._lost += 1
