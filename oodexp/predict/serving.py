"""Questions to a VLM behind a network: many in flight, every reply on disk as it comes."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa

from oodexp.error import OodexpError, Paused
from oodexp.predict.by_image import ByImage, Row
from oodexp.predict.completion import COLUMNS
from oodexp.vlm.base import Reply, Request

if TYPE_CHECKING:
    from oodexp.predict.journal import Journal
    from oodexp.vlm.base import Ledger, Remote, Session

WRITERS = 64
"""Threads that put replies and costs on disk."""

SCHEMA = pa.schema([("key", pa.string()), *COLUMNS.items(), ("seconds", pa.float64())])
"""Of a journaled completion."""


class Sent(NamedTuple):
    """One question of a batch."""

    request: Request | None
    """What is sent; None when the file could not be read."""
    key: str
    """sha256 over image bytes and prompt."""
    reason: str | None
    """Why there is no request."""


class Sending(ByImage["tuple[bytes | None, str | None]", Sent]):
    """Questions with the bytes of their images."""

    def _open(self, image_id: str) -> tuple[bytes | None, str | None]:
        try:
            return self._read(image_id), None
        except (OSError, KeyError) as error:
            return None, f"file not read: {getattr(error, 'strerror', None) or error}"

    def _item(self, row: Row, opened: tuple[bytes | None, str | None]) -> Sent:
        content, reason = opened
        if content is None:
            return Sent(None, row.key, reason)
        return Sent(Request(row.key, content, row.prompt, row.most), row.key, None)


class Desk:
    """Asks in an event loop of its own; a worker takes the next question when its reply is kept.

    Args:
        remote: The VLM.
        ledger: Keeps what is spent.
        journal: Keeps replies.
    """

    def __init__(self, remote: Remote, ledger: Ledger, journal: Journal) -> None:
        self.answered = 0
        """Replies that are no failure."""
        self._remote, self._ledger, self._journal = remote, ledger, journal
        self._room = threading.Semaphore(2 * remote.concurrency)
        self._failure: BaseException | None = None
        self._session: Session | None = None
        self._loop = asyncio.new_event_loop()
        # They wait for the disk, which writes what many of them wait for at once.
        waiting = ThreadPoolExecutor(min(WRITERS, remote.concurrency + 4), "asking")
        self._loop.set_default_executor(waiting)
        self._queue: asyncio.Queue[Request | None] = asyncio.Queue()
        self._thread = threading.Thread(target=self._run, name="asking", daemon=True)
        self._thread.start()

    def put(self, sent: Sent) -> None:
        """Hands a question on; waits while too many are waiting.

        Raises:
            OodexpError: That ended the asking.
        """
        if sent.request is None:
            self._keep(sent.key, Reply(None, "error", sent.reason, None), 0.0)
            return
        while not self._room.acquire(timeout=0.2):
            self._check()
        self._check()
        try:
            self._loop.call_soon_threadsafe(self._queue.put_nowait, sent.request)
        except RuntimeError:  # the loop has ended since
            self._check()
            raise

    def finish(self) -> None:
        """Waits for all replies.

        Raises:
            OodexpError: That ended the asking; what was in flight is kept.
        """
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._dismiss)
        self._thread.join()
        self._check()

    def close(self) -> None:
        """Ends the asking, if it has not ended; what is in flight is waited for: it is paid for."""
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._end, Paused("the asking was interrupted"))
        self._thread.join()

    def _check(self) -> None:
        if self._failure is not None:
            self._thread.join()
            raise self._failure

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._serve())
        except BaseException as error:  # raised again by whoever asks next
            self._failure = self._failure or error
        finally:
            self._loop.close()

    async def _serve(self) -> None:
        async with self._remote.session(self._ledger) as self._session:
            await asyncio.gather(*(self._work() for _ in range(self._remote.concurrency)))

    async def _work(self) -> None:
        assert self._session is not None
        while self._failure is None and (request := await self._queue.get()) is not None:
            start = time.perf_counter()
            try:
                reply = await self._session.ask(request)
                seconds = time.perf_counter() - start
                await asyncio.to_thread(self._keep, request.key, reply, seconds)
                self.answered += reply.status != "error"
            except Exception as error:
                self._end(error)
                return
            self._room.release()

    def _end(self, error: Exception) -> None:
        """Lets nobody begin another request; the others keep what they have in flight."""
        self._failure = self._failure or error
        if self._session is not None:
            told = error if isinstance(error, OodexpError) else Paused("another question failed")
            self._session.end(told)
        self._dismiss()

    def _dismiss(self) -> None:
        for _ in range(self._remote.concurrency):
            self._queue.put_nowait(None)

    def _keep(self, key: str, reply: Reply, seconds: float) -> None:
        values = dict(zip(COLUMNS, reply, strict=True))
        self._journal.append({"key": key, **values, "seconds": seconds})
