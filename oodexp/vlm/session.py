"""A connection to a chat-completions server: pace, attempts, money, and when to stop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

from oodexp.error import OodexpError, Paused
from oodexp.pixel import UnreadableImage
from oodexp.vlm.absence import Absence
from oodexp.vlm.base import AROUND, CHARACTERS_A_TOKEN, Attempt, Ledger, Reply, Request
from oodexp.vlm.clients import Clients
from oodexp.vlm.media import data_uri
from oodexp.vlm.outcome import WAITS, Outcome, judge
from oodexp.vlm.pace import Pace
from oodexp.vlm.redact import Redactor
from oodexp.vlm.terms import Terms

if TYPE_CHECKING:
    import httpx2

T = TypeVar("T")

PATIENCE = 900.0
"""Seconds after which a question is given up, however often the server only asked to wait."""

LONGEST_REPLY = 1 << 24
"""Bytes of a body that are read: a reply of a million tokens is shorter."""

HOPELESS = 8
"""So many refused requests and none answered: the settings are at fault, not the questions."""


@dataclass
class ApiSession:
    """See `base.Session`."""

    terms: Terms
    clients: Clients
    pace: Pace
    ledger: Ledger
    redactor: Redactor
    _answered: int = 0
    _refused: int = 0
    _longest: int = 0
    _absence: Absence = field(default_factory=Absence)
    _why: OodexpError | None = None
    _ended: asyncio.Event = field(default_factory=asyncio.Event)

    async def ask(self, request: Request) -> Reply:
        """See `base.Session`."""
        try:
            body = await asyncio.to_thread(self._body, request)
        except UnreadableImage as error:
            return Reply(None, "error", f"unreadable: {error}", None)
        failures = waits = 0
        patience = self.pace.clock.now() + PATIENCE
        while True:
            outcome = await self._attempt(request, body, failures + waits + 1)
            if outcome.kind == "reply" and outcome.reply is not None:
                self._answered += 1
                return outcome.reply._replace(text=self.redactor.completion(outcome.reply.text))
            said = f"{outcome.status}: {self.redactor.message(outcome.reason)}".rstrip(": ")
            self._look_for_an_end(outcome, said)
            # A server that asks to wait refuses nothing; one that is away ends the session.
            waits += outcome.kind in WAITS
            failures += outcome.kind not in WAITS
            if outcome.kind == "away":
                patience = self.pace.clock.now() + PATIENCE
            spent = failures > self.terms.retries or self.pace.clock.now() > patience
            if outcome.kind == "failed" or spent:
                number = failures + waits
                tried = "" if number == 1 else f" ({number} attempts)"
                return Reply(None, "error", said + tried, None)
            await self._hold(outcome, waits if outcome.kind in WAITS else failures)

    def end(self, why: OodexpError) -> None:
        """See `base.Session`."""
        self._why = self._why or why
        self._ended.set()

    async def _hold(self, outcome: Outcome, times: int) -> None:
        """Waits before the next attempt, after so many of this kind."""
        # To look whether somebody listens again costs nobody anything: that wait stays short.
        jitter = self.pace.jitter(min(times, 4) if outcome.kind == "away" else times)
        seconds = outcome.seconds or 0.0
        if outcome.kind in WAITS:
            # Everybody waits as long as the server says, and then each a while of its own: let
            # loose at once, they would meet the same limit again.
            self.pace.hold(seconds or jitter)
        await self._unless_ended(self.pace.clock.sleep(seconds + jitter))

    async def _unless_ended(self, wait: Awaitable[T]) -> T:
        """What is waited for, unless the session ends before: nobody waits for its end in vain."""
        waiting = asyncio.ensure_future(wait)
        ended = asyncio.ensure_future(self._ended.wait())
        try:
            await asyncio.wait((waiting, ended), return_when=asyncio.FIRST_COMPLETED)
            if self._why is not None:
                raise self._why
            return waiting.result()
        finally:
            waiting.cancel()
            ended.cancel()

    async def _attempt(self, request: Request, body: Mapping[str, Any], number: int) -> Outcome:
        limit = request.max_tokens or self.terms.tariff.max_tokens or 0
        about, most = self._prompt_tokens(request)
        most_cost = self._price(most, limit)
        share = await self._unless_ended(self.pace.turn(about + limit))
        self._check_budget(most_cost)
        at, start = datetime.now(UTC).isoformat(timespec="seconds"), time.perf_counter()
        name = self.ledger.begin(request.key, number, most_cost, at)
        outcome = await self._send(body)
        if outcome.kind != "away":
            self._absence.over()
        used = _used(outcome)
        if used is not None:
            share.amount = sum(used)
            self._longest = max(self._longest, used[0])
        prompt, new = used or (None, None)
        ended = Attempt(
            request.key, number, outcome.status, prompt, new, self._cost(outcome, used), most_cost,
            time.perf_counter() - start, at,
        )  # fmt: skip
        await self.ledger.end(name, ended)
        return outcome

    async def _send(self, body: Mapping[str, Any]) -> Outcome:
        import httpx2

        try:
            async with (
                asyncio.timeout(self.terms.timeout),
                self.clients.one() as client,
                client.stream("POST", self.terms.url, json=body) as response,
            ):
                text = await _text(response)
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            return Outcome("away", "no connection", reason=str(error))
        except (TimeoutError, httpx2.TimeoutException):
            said = f"no reply within {self.terms.timeout:g} s"
            return Outcome("retry", "timeout", reason=said, billed=None)
        except httpx2.HTTPError as error:
            return Outcome("retry", "connection lost", reason=str(error), billed=None)
        return judge(response.status_code, response.headers, text, time.time())

    def _look_for_an_end(self, outcome: Outcome, said: str) -> None:
        """Ends the session if nobody needs to go on.

        Raises:
            OodexpError: If it has ended, here or through another worker.
        """
        self._refused += outcome.kind == "failed"
        why = self._reason_to_end(outcome, said)
        if why is not None:
            self.end(why)
        if self._why is not None:
            raise self._why

    def _reason_to_end(self, outcome: Outcome, said: str) -> OodexpError | None:
        vlm = f"vlm {self.terms.name}"
        if outcome.kind == "away":
            return self._absence.too_long(self.terms, said, self.pace.clock.now())
        if outcome.kind == "pause":
            return Paused(f"{vlm}: the quota is exhausted ({said}); mend that at the provider")
        if outcome.kind == "key":
            # What the server says may hold the key, in a form that nobody can foresee.
            variable = self.terms.key_variable
            where = f"the key in {variable}" if variable else "a request without a key"
            return OodexpError(
                f"{vlm}: the server refused {where} ({outcome.status}); give a valid key with "
                "access to this model"
            )
        if outcome.kind == "stop":
            return OodexpError(f"{vlm}: {said}; check `model` and `base_url`")
        if self._refused >= HOPELESS and not self._answered:
            return OodexpError(
                f"{vlm}: the first {self._refused} requests were all refused, the last with "
                f"{said}; the settings are at fault"
            )
        return None

    def _check_budget(self, most_cost: float) -> None:
        budget = self.terms.budget
        if budget is not None and self.ledger.committed + most_cost > budget:
            told = f"one more question could pass the budget of {budget:g}; give a larger one"
            self.end(Paused(f"vlm {self.terms.name}: {told}"))
        if self._why is not None:
            raise self._why

    def _prompt_tokens(self, request: Request) -> tuple[int, int]:
        """About how many, and the most: no token stands for less than a byte."""
        words = request.prompt + (self.terms.system or "")
        image = self.terms.tariff.image_tokens or 0
        about = -(-len(words) // CHARACTERS_A_TOKEN) + AROUND + image
        most = len(words.encode()) + 2 * AROUND + image
        return max(about, self._longest), max(most, self._longest)

    def _price(self, prompt: int, completion: int) -> float:
        tariff = self.terms.tariff
        return (
            prompt * (tariff.prompt_price or 0) + completion * (tariff.completion_price or 0)
        ) / 1e6

    def _cost(self, outcome: Outcome, used: tuple[int, int] | None) -> float | None:
        if used is not None:
            return self._price(*used)
        return 0.0 if outcome.billed is False or self._free else None

    @property
    def _free(self) -> bool:
        return self.terms.tariff.prompt_price is None

    def _body(self, request: Request) -> dict[str, Any]:
        image: dict[str, Any] = {"url": data_uri(request.content)}
        if self.terms.detail is not None:
            image["detail"] = self.terms.detail
        content = [
            {"type": "image_url", "image_url": image},
            {"type": "text", "text": request.prompt},
        ]
        system = self.terms.system
        messages = [] if system is None else [{"role": "system", "content": system}]
        body = {**self.terms.body, "messages": [*messages, {"role": "user", "content": content}]}
        limit = request.max_tokens or self.terms.tariff.max_tokens
        return body if limit is None else {**body, self.terms.limit_field: limit}


async def _text(response: httpx2.Response) -> str:
    """The body: JSON is UTF-8, whatever the header says; what is no reply any more is cut off."""
    pieces, size = [], 0
    async for piece in response.aiter_bytes():
        pieces.append(piece)
        size += len(piece)
        if size > LONGEST_REPLY:
            break
    return b"".join(pieces)[:LONGEST_REPLY].decode("utf-8", "replace")


def _used(outcome: Outcome) -> tuple[int, int] | None:
    """Tokens of prompt and completion, where both are known."""
    reply = outcome.reply
    if reply is None or reply.prompt_tokens is None or reply.tokens is None:
        return None
    return reply.prompt_tokens, reply.tokens
