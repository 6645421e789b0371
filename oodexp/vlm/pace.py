"""When the next request may be sent: limits a minute, and waits that a server asked for."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

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


@dataclass
class Pace:
    """Both limits, and the wait that all workers share."""

    requests: Window
    """Requests a minute."""
    tokens: Window
    """Tokens a minute, estimated until they are known."""
    rng: np.random.Generator
    """Gives the jitter."""
    backoff: float
    """Seconds of the first growing wait at most."""
    clock: Clock = field(default_factory=Clock)
    """Tells the time and waits."""
    _until: float = float("-inf")
    _first: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def turn(self, tokens: float) -> Share:
        """Waits until a request may be sent, in the order of asking; gives its share of tokens."""
        # One at a time through both limits: what has room in one must not age before the other.
        async with self._first:
            while (wait := self._wait(tokens)) > 0:
                await self.clock.sleep(wait)
            now = self.clock.now()
            self.requests.take(1, now)
            return self.tokens.take(tokens, now)

    def hold(self, seconds: float) -> None:
        """Lets nobody send for so long."""
        self._until = max(self._until, self.clock.now() + seconds)

    def jitter(self, failures: int) -> float:
        """Seconds to wait after so many failures: anything from 0 to a bound that doubles."""
        bound = min(LONGEST_BACKOFF, self.backoff * 2.0 ** min(failures - 1, 30))
        return float(self.rng.uniform(0, bound))

    def _wait(self, tokens: float) -> float:
        now = self.clock.now()
        waits = (self._until - now, self.requests.wait(1, now), self.tokens.wait(tokens, now))
        return max(waits)
