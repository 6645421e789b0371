"""Many questions in flight, and how their asking ends."""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import asynccontextmanager

import pytest

from oodexp.error import OodexpError, Paused
from oodexp.predict.ledger import Account
from oodexp.predict.serving import SCHEMA, Desk, Sent
from oodexp.vlm.base import Reply, Request
from oodexp.vlm.openai_api import OpenAIApi
from tests.served.conftest import QUICK
from tests.served.stub import completion, error, serving


def sent(n: int, content: bytes = b"") -> Sent:
    return Sent(Request(f"k{n}", content, f"No. {n}?", None), f"k{n}", None)


class Remote:
    """Answers through a coroutine of the test; counts how many wait for it at once."""

    concurrency = 3

    def __init__(self, reply) -> None:
        self.reply = reply
        self.now = self.most = 0
        self.told: list[OodexpError] = []

    def end(self, why) -> None:
        self.told.append(why)

    async def ask(self, request):
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            return await self.reply(request)
        finally:
            self.now -= 1

    @asynccontextmanager
    async def session(self, ledger):
        yield self


@pytest.fixture
def shelf(store):
    return store.shelf("completions", {}, SCHEMA)


@pytest.fixture
def journal(shelf):
    journal = shelf.journal()
    yield journal
    journal.fold()


def keys(shelf) -> set[str]:
    return set(shelf.rows()["key"].to_pylist())


def test_as_many_are_in_flight_as_may_be_and_one_slow_reply_holds_nobody_up(shelf, journal):
    async def reply(request):
        await asyncio.sleep(0.4 if request.key == "k0" else 0.01)
        return Reply("Yes", "ok", None, 1)

    remote, start = Remote(reply), time.monotonic()
    desk = Desk(remote, None, journal)
    for n in range(60):
        desk.put(sent(n))
    before = time.monotonic() - start
    desk.finish()
    assert remote.most == 3
    assert before < 0.38
    assert desk.answered == 60
    assert keys(shelf) == {f"k{n}" for n in range(60)}


def test_a_reply_is_on_disk_before_its_worker_asks_again(shelf, journal):
    lost = []

    async def reply(request):
        n = int(request.key[1:])
        lost.extend({f"k{i}" for i in range(n - 2)} - keys(shelf))
        return Reply("Yes", "ok", None, 1)

    desk = Desk(Remote(reply), None, journal)
    for n in range(30):
        desk.put(sent(n))
    desk.finish()
    assert lost == []


def test_no_more_wait_in_memory_than_twice_those_in_flight(journal):
    go = threading.Event()

    async def reply(_):
        while not go.is_set():
            await asyncio.sleep(0.005)
        return Reply("Yes", "ok", None, 1)

    desk, put = Desk(Remote(reply), None, journal), []

    def feed() -> None:
        for n in range(20):
            desk.put(sent(n))
            put.append(n)

    feeder = threading.Thread(target=feed)
    feeder.start()
    time.sleep(0.3)
    assert len(put) == 6
    go.set()
    feeder.join()
    desk.finish()
    assert desk.answered == 20


def test_an_error_of_one_ends_all_and_what_is_in_flight_is_kept(shelf, journal):
    async def reply(request):
        await asyncio.sleep(0.02 if request.key == "k1" else 0.2)
        if request.key == "k1":
            raise ZeroDivisionError("a mistake of the program")
        return Reply("Yes", "ok", None, 1)

    remote = Remote(reply)
    desk = Desk(remote, None, journal)
    for n in range(3):
        desk.put(sent(n))
    with pytest.raises(ZeroDivisionError):
        desk.finish()
    assert keys(shelf) == {"k0", "k2"}
    assert len(remote.told) == 1


def test_a_file_that_cannot_be_read_is_a_row_and_no_request(shelf, journal):
    async def reply(_):
        raise AssertionError("asked")

    desk = Desk(Remote(reply), None, journal)
    desk.put(Sent(None, "k0", "file not read: gone"))
    desk.finish()
    (row,) = shelf.rows().to_pylist()
    assert (row["status"], row["reason"]) == ("error", "file not read: gone")
    assert desk.answered == 0


def test_an_interruption_waits_for_what_is_in_flight_and_for_no_long_wait(
    store, shelf, journal, world
):
    def script(body, _):
        if "No. 0?" in str(body):
            return error(429, "rate_limit_exceeded", headers={"Retry-After": "60"})
        time.sleep(0.3)
        return completion()

    with serving(script) as stub, Account(store, {}).opened() as account:
        vlm = OpenAIApi("m", stub.url, **(QUICK | {"concurrency": 3, "timeout": 5.0}))
        desk = Desk(vlm, account, journal)
        for n in (1, 2, 0):
            desk.put(sent(n, world.read("0")))
        while len(stub.times) < 3:
            time.sleep(0.01)
        time.sleep(0.1)
        start = time.monotonic()
        desk.close()
        assert time.monotonic() - start < 2.0
    assert keys(shelf) == {"k1", "k2"}


def test_a_quota_that_ends_wakes_those_who_wait(store, journal, world):
    def script(body, _):
        if "No. 0?" in str(body):
            return error(503, headers={"Retry-After": "30"})
        time.sleep(0.2)
        return error(402, message="pay")

    with serving(script) as stub, Account(store, {}).opened() as account:
        vlm = OpenAIApi("m", stub.url, **(QUICK | {"concurrency": 2, "timeout": 5.0}))
        desk, start = Desk(vlm, account, journal), time.monotonic()
        for n in (0, 1):
            desk.put(sent(n, world.read("0")))
        with pytest.raises(Paused, match="quota"):
            desk.finish()
        assert time.monotonic() - start < 5.0
