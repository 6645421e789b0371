"""HTTP clients that share the questions in flight.

The connection pool of a client looks through all of its connections at every request: at 500 in
flight that took half of the processor time of asking. Several small pools look through a few each.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx2

SHARE = 8
"""Most requests in flight of one client."""


class Clients:
    """Gives a client to each request; a LIFO, so that few connections are open for few requests.

    Args:
        clients: The clients.
        concurrency: Most requests in flight, of all together.
    """

    def __init__(self, clients: list[httpx2.AsyncClient], concurrency: int) -> None:
        self._free: asyncio.LifoQueue[httpx2.AsyncClient] = asyncio.LifoQueue()
        for n in reversed(range(concurrency)):
            self._free.put_nowait(clients[n // SHARE])

    @classmethod
    @asynccontextmanager
    async def opened(
        cls, headers: Mapping[str, str], concurrency: int, timeout: float
    ) -> AsyncIterator[Clients]:
        """Open clients, as many as are needed.

        Args:
            headers: Of each request.
            concurrency: Most requests in flight.
            timeout: Seconds that a connection, a part of a reply, ... may take.
        """
        import httpx2

        limits, trust = httpx2.Limits(max_connections=SHARE), httpx2.create_ssl_context()
        async with AsyncExitStack() as stack:
            clients = [
                await stack.enter_async_context(
                    httpx2.AsyncClient(
                        headers=dict(headers), limits=limits, timeout=timeout, verify=trust
                    )
                )
                for _ in range(-(-concurrency // SHARE))
            ]
            yield cls(clients, concurrency)

    @asynccontextmanager
    async def one(self) -> AsyncIterator[httpx2.AsyncClient]:
        """A client with room for a request."""
        client = await self._free.get()
        try:
            yield client
        finally:
            self._free.put_nowait(client)
