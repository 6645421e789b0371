"""HTTP clients that share the questions in flight."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from oodexp.vlm.clients import SHARE, Clients


@pytest.mark.parametrize("concurrency", [1, SHARE, SHARE + 1, 5 * SHARE - 2])
def test_no_client_has_more_in_flight_than_its_share(concurrency):
    async def ask() -> tuple[Counter[int], int, set[int]]:
        now: Counter[int] = Counter()
        most, seen = 0, set()
        async with Clients.opened({"a": "b"}, concurrency, 5.0) as clients:

            async def one() -> None:
                nonlocal most
                async with clients.one() as client:
                    assert client.headers["a"] == "b"
                    seen.add(id(client))
                    now[id(client)] += 1
                    assert now[id(client)] <= SHARE
                    most = max(most, sum(now.values()))
                    await asyncio.sleep(0.001)
                    now[id(client)] -= 1

            await asyncio.gather(*(one() for _ in range(4 * concurrency)))
        return now, most, seen

    now, most, seen = asyncio.run(ask())
    assert most == concurrency
    assert len(seen) == -(-concurrency // SHARE)
    assert not any(now.values())


def test_one_request_after_the_other_goes_through_one_client():
    async def ask() -> set[int]:
        seen = set()
        async with Clients.opened({}, 4 * SHARE, 5.0) as clients:
            for _ in range(9):
                async with clients.one() as client:
                    seen.add(id(client))
        return seen

    assert len(asyncio.run(ask())) == 1


def test_a_request_that_fails_gives_its_place_back():
    async def ask() -> None:
        async with Clients.opened({}, 1, 5.0) as clients:
            for _ in range(3):
                with pytest.raises(RuntimeError):
                    async with clients.one():
                        raise RuntimeError
            async with asyncio.timeout(1), clients.one():
                pass

    asyncio.run(ask())
