"""Limits a minute and shared waits, on a clock that the test turns."""

from __future__ import annotations

import asyncio
import itertools

import numpy as np
import pytest

from oodexp.vlm.pace import LONGEST_BACKOFF, SPAN, Clock, Pace, Window


class Turned:
    """A clock that goes on only when everybody sleeps."""

    def __init__(self) -> None:
        self.time = 1000.0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._number = itertools.count()

    def clock(self) -> Clock:
        return Clock(lambda: self.time, self.sleep)

    async def sleep(self, seconds: float) -> None:
        woken = asyncio.get_running_loop().create_future()
        self._sleepers.append((self.time + seconds, next(self._number), woken))
        await woken

    async def run(self, *workers) -> None:
        tasks = [asyncio.ensure_future(worker) for worker in workers]
        while not all(task.done() for task in tasks):
            for _ in range(20):
                await asyncio.sleep(0)
            if self._sleepers:
                self._sleepers.sort()
                self.time, _, woken = self._sleepers.pop(0)
                woken.set_result(None)
        await asyncio.gather(*tasks)


def pace(turned: Turned, requests=None, tokens=None, backoff=1.0) -> Pace:
    rng = np.random.default_rng(0)
    return Pace(Window(requests), Window(tokens), rng, backoff, turned.clock())


def most_within(sent: list[tuple[float, float]]) -> float:
    """The most within any window, by a slow look at each one that begins with a request."""
    return max(sum(n for at, n in sent if start <= at < start + SPAN) for start, _ in sent)


def sent_by(turned: Turned, limits: Pace, amounts, workers=5, between=0.0):
    sent: list[tuple[float, float]] = []
    queue = iter(amounts)

    async def work() -> None:
        for amount in queue:
            await limits.turn(amount)
            sent.append((turned.time, amount))
            await turned.sleep(between)

    asyncio.run(turned.run(*(work() for _ in range(workers))))
    return sent


@pytest.mark.parametrize("seed", range(4))
def test_no_window_of_a_minute_holds_more_requests_than_the_limit(seed):
    turned = Turned()
    sent = sent_by(turned, pace(turned, requests=7), [1] * 40, between=seed * 3.7)
    assert len(sent) == 40
    assert most_within([(at, 1) for at, _ in sent]) == 7


@pytest.mark.parametrize("seed", range(6))
def test_no_window_of_a_minute_holds_more_tokens_than_the_limit(seed):
    turned = Turned()
    amounts = np.random.default_rng(seed).integers(1, 400, 60).tolist()
    sent = sent_by(turned, pace(turned, tokens=1000), amounts, between=seed * 2.3)
    assert sorted(n for _, n in sent) == sorted(amounts)
    assert 800 < most_within(sent) <= 1000


def test_both_limits_hold_at_once_whatever_a_server_makes_all_wait():
    turned = Turned()
    limits = pace(turned, requests=6, tokens=1000)
    sent: list[tuple[float, float]] = []
    queue = iter(np.random.default_rng(1).integers(1, 400, 60).tolist())

    async def work() -> None:
        for n, amount in enumerate(queue):
            await limits.turn(amount)
            sent.append((turned.time, amount))
            if n % 5 == 4:
                limits.hold(71.3)
            await turned.sleep(0.9)

    asyncio.run(turned.run(*(work() for _ in range(5))))
    assert len(sent) == 60
    assert most_within([(at, 1) for at, _ in sent]) <= 6
    assert most_within(sent) <= 1000


def test_nobody_waits_without_a_limit():
    turned = Turned()
    assert {at for at, _ in sent_by(turned, pace(turned), [1e6] * 30)} == {1000.0}


def test_what_is_more_than_the_limit_goes_alone():
    turned = Turned()
    sent = sent_by(turned, pace(turned, tokens=100), [500, 500, 10], workers=1)
    assert [at - 1000 for at, _ in sent] == [0, 60, 120]


def test_a_share_that_turns_out_smaller_makes_room():
    turned = Turned()
    limits = pace(turned, tokens=100)

    async def work() -> float:
        share = await limits.turn(90)
        share.amount = 10
        await limits.turn(90)
        return turned.time

    times = []

    async def note() -> None:
        times.append(await work())

    asyncio.run(turned.run(note()))
    assert times == [1000.0]


def test_a_hold_stops_every_worker_and_the_longest_counts():
    turned = Turned()
    limits = pace(turned)
    limits.hold(30)
    limits.hold(10)
    sent = sent_by(turned, limits, [1] * 8)
    assert {at for at, _ in sent} == {1030.0}


def test_a_hold_that_comes_while_others_wait_counts_for_them_too():
    turned = Turned()
    limits = pace(turned, requests=1)
    sent = []

    async def first() -> None:
        await limits.turn(1)
        await turned.sleep(59)
        limits.hold(100)

    async def second() -> None:
        await limits.turn(1)
        sent.append(turned.time)

    asyncio.run(turned.run(first(), second()))
    assert sent == [1159.0]


def test_growing_waits_lie_between_nothing_and_a_bound_that_doubles_to_its_end():
    limits = pace(Turned(), backoff=0.5)
    for failures in (1, 2, 3, 9, 60, 5000):
        bound = min(LONGEST_BACKOFF, 0.5 * 2.0 ** min(failures - 1, 60))
        waits = [limits.jitter(failures) for _ in range(2000)]
        assert 0 <= min(waits) < 0.02 * bound
        assert 0.98 * bound < max(waits) <= bound
        assert np.mean(waits) == pytest.approx(bound / 2, rel=0.06)


def test_the_same_seed_waits_the_same():
    assert pace(Turned()).jitter(3) == pace(Turned()).jitter(3)
