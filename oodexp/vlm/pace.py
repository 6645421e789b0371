"""When the next request may be sent: limits a minute, and waits that a server asked for."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import numpy as np

SPAN = 60.0
"""Seconds of a window: within any of this length, no more than the limit is sent."""

LONGEST_BACKOFF = 60.0
"""Seconds that growing waits end at."""


@dataclass
class Clock:
    """Time as the limits see it."""

    now: Callable[[], float] = time.monotonic
    """Seconds from any start."""
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    """Waits so many seconds."""


@dataclass
class Share:
    """What one request takes of a window."""

    at: float
    """When it was sent."""
    amount: float
    """What it counts; corrected once it is known."""


class Window:
    """At most so much within any 60 seconds.

    Args:
        limit: The most within a window; None for no limit. More than that at once has to wait for
            an empty window, as it could never be sent otherwise.
    """

    def __init__(self, limit: float | None) -> None:
        self._limit = limit
        self._taken: deque[Share] = deque()

    def wait(self, amount: float, now: float) -> float:
        """Seconds until there may be room; 0 when there is."""
        while self._taken and now - self._taken[0].at >= SPAN:
            self._taken.popleft()
        if self._limit is None or not self._taken:
            return 0.0
        if sum(share.amount for share in self._taken) + amount <= self._limit:
            return 0.0
        # Never nothing: the sum may round to just before the moment that is waited for.
        return max(self._taken[0].at + SPAN - now, 1e-3)

    def take(self, amount: float, now: float) -> Share:
        """Counts a request that is sent now."""
        share = Share(now, amount)
        if self._limit is not None:
            self._taken.append(share)
        return share


class Pace:
    """Both limits, and the wait that all workers share.

    Args:
        requests: Requests a minute; None for no limit.
        tokens: Tokens a minute; None for no limit.
        backoff: Seconds of the first growing wait at most.
        rng: Gives the jitter.
        clock: Tells the time and waits.
    """

    def __init__(
        self, requests: float | None, tokens: float | None, backoff: float,
        rng: np.random.Generator, clock: Clock,
    ) -> None:  # fmt: skip
        self._requests, self._tokens = Window(requests), Window(tokens)
        self._backoff, self._rng, self._clock = backoff, rng, clock
        self._until = 0.0
        self._first = asyncio.Lock()

    async def turn(self, tokens: float) -> Share:
        """Waits until a request may be sent, in the order of asking; gives its share of tokens."""
        async with self._first:
            while (wait := self._wait(tokens)) > 0:
                await self._clock.sleep(wait)
            now = self._clock.now()
            self._requests.take(1, now)
            return self._tokens.take(tokens, now)

    def hold(self, seconds: float) -> None:
        """Lets nobody send for so long."""
        self._until = max(self._until, self._clock.now() + seconds)

    async def back_off(self, failures: int) -> None:
        """Waits after so many failures in a row: anything from 0 to a bound that doubles."""
        bound = min(LONGEST_BACKOFF, self._backoff * 2.0 ** min(failures - 1, 30))
        await self._clock.sleep(float(self._rng.uniform(0, bound)))

    def _wait(self, tokens: float) -> float:
        now = self._clock.now()
        return max(
            self._until - now, self._requests.wait(1, now), self._tokens.wait(tokens, now)
        )
