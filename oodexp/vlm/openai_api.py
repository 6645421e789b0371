"""Any OpenAI-compatible endpoint: GPT-4o, Gemini, vLLM, SGLang, llama.cpp, `transformers serve`."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import numpy as np

from oodexp.error import OodexpError
from oodexp.outage import LONGEST
from oodexp.vlm.base import Ledger, Session, Tariff
from oodexp.vlm.clients import Clients
from oodexp.vlm.pace import Clock, Pace, Window
from oodexp.vlm.redact import SHORT, Redactor
from oodexp.vlm.secret import check_public
from oodexp.vlm.session import ApiSession
from oodexp.vlm.terms import Terms

FIELDS = ("max_tokens", "max_completion_tokens")


class OpenAIApi:
    """A VLM behind an OpenAI-compatible server.

    The file's bytes are sent as they are, unless a server might show other pixels (see `media`).
    The key is read from the environment when it is needed and kept nowhere.

    Args:
        model: Name that the server knows the model by.
        base_url: Address up to `/v1`; its query, as `?api-version=...`, goes with each request.
        key_variable: Environment variable that holds the key; null for a server without one.
        max_tokens: Most new tokens of a reply; null for no limit.
        max_tokens_field: `max_tokens`, or `max_completion_tokens` for newer models of OpenAI.
        temperature: Null for the server's default.
        top_p: Null for the server's default.
        seed: Null for none.
        system: System message; null for none.
        detail: OpenAI's field `detail` of an image: `low`, `high`, `auto`; null for none.
        extra: More fields of the request's body.
        headers: More headers; a value `$NAME` is that of the environment variable NAME, for what
            must not stand in a record.
        concurrency: Most questions in flight.
        timeout: Seconds that an attempt may take.
        retries: Failed attempts after the first, before a question is recorded as failed; where
            the server only asks to wait, a quarter of an hour is the limit.
        backoff: Seconds of the first growing wait at most; it doubles with every failure.
        requests_per_minute: Null for no limit.
        tokens_per_minute: Of prompts and replies; null for no limit.
        price: `prompt` and `completion`, of a million tokens; null when asking costs no money.
        budget: The most that may be spent on this model of this server, by all runs of the store
            together and whatever their decoding; null for no limit.
        image_tokens: Tokens of an image at the most, for limits, budget and estimates.
        jitter: Seed of the waits.
        outage: Seconds that nobody may listen at the address before the run pauses; a server that
            loads a large model again takes minutes.

    Raises:
        OodexpError: If a setting is not as it should be.
    """

    def __init__(
        self, model: str, base_url: str, key_variable: str | None = None,
        max_tokens: int | None = 256, max_tokens_field: str = "max_tokens",
        temperature: float | None = None, top_p: float | None = None, seed: int | None = None,
        system: str | None = None, detail: str | None = None,
        extra: Mapping[str, Any] | None = None, headers: Mapping[str, str] | None = None,
        concurrency: int = 16, timeout: float = 120.0, retries: int = 6, backoff: float = 1.0,
        requests_per_minute: float | None = None, tokens_per_minute: float | None = None,
        price: Mapping[str, float] | None = None, budget: float | None = None,
        image_tokens: int | None = None, jitter: int = 0, outage: float = LONGEST,
    ) -> None:  # fmt: skip
        if max_tokens_field not in FIELDS:
            raise OodexpError(f"vlm {model}: max_tokens_field is one of {', '.join(FIELDS)}")
        _check_url(model, base_url)
        check_public(model, base_url, key_variable, headers or {}, extra or {})
        if concurrency < 1 or retries < 0 or timeout <= 0 or backoff < 0:
            raise OodexpError(f"vlm {model}: concurrency >= 1, retries >= 0, timeout > 0 expected")
        if price is not None and set(price) != {"prompt", "completion"}:
            raise OodexpError(f"vlm {model}: price has the keys prompt and completion")
        if budget is not None and None in (price, max_tokens, image_tokens):
            raise OodexpError(
                f"vlm {model}: a budget can only be kept with price, max_tokens and image_tokens"
            )
        self.model, self.base_url, self.key_variable = model, base_url, key_variable
        self.concurrency, self.timeout, self.retries = concurrency, timeout, retries
        self._decoding = {"temperature": temperature, "top_p": top_p, "seed": seed}
        self._max_tokens, self._field = max_tokens, max_tokens_field
        self._system, self._detail = system, detail
        self._extra, self._headers = dict(extra or {}), dict(headers or {})
        self._limits = requests_per_minute, tokens_per_minute
        self._price, self._budget, self._image_tokens = dict(price or {}), budget, image_tokens
        self._backoff, self._jitter, self._outage = backoff, jitter, outage

    def fingerprint(self) -> dict[str, Any]:
        """Server, model and decoding; the pinned name is all that tells the weights.

        Raises:
            OodexpError: If the variable that should hold the key is not set.
        """
        self._key()
        for name, value in self._headers.items():
            self._header(name, value)
        return {
            "kind": "openai_api",
            "server": _bare(self.base_url),
            "model": self.model,
            "max_tokens": self._max_tokens,
            "system": self._system,
            "detail": self._detail,
            "extra": self._extra,
            **self._decoding,
        }

    def payee(self) -> dict[str, Any]:
        """See `base.Remote`."""
        return {"kind": "openai_api", "server": _bare(self.base_url), "model": self.model}

    def tariff(self) -> Tariff:
        """Limits and prices."""
        return Tariff(
            self._max_tokens, self._image_tokens, self._price.get("prompt"),
            self._price.get("completion"),
        )  # fmt: skip

    def load(self, device: str) -> None:
        """Nothing is loaded."""

    def session(self, ledger: Ledger) -> AbstractAsyncContextManager[Session]:
        """See `base.Remote`."""
        return self._session(ledger)

    @asynccontextmanager
    async def _session(self, ledger: Ledger) -> AsyncIterator[Session]:
        key, clock = self._key(), Clock()
        headers = {name: self._header(name, value) for name, value in self._headers.items()}
        secrets = [value for value in headers.values() if len(value) >= SHORT]
        if key is not None:
            headers["Authorization"] = f"Bearer {key}"
            secrets.append(key)
        requests, tokens = (Window(limit) for limit in self._limits)
        rng = np.random.default_rng(self._jitter)
        pace = Pace(requests, tokens, rng, self._backoff, clock)
        async with Clients.opened(headers, self.concurrency, self.timeout) as clients:
            yield ApiSession(self._terms(), clients, pace, ledger, Redactor(*secrets))

    def _terms(self) -> Terms:
        given = {k: v for k, v in self._decoding.items() if v is not None}
        return Terms(
            self.model, _endpoint(self.base_url), {"model": self.model, **given, **self._extra},
            self._field, self._system, self._detail, self.tariff(), self._budget, self.retries,
            self.timeout, self._outage, self.key_variable,
        )  # fmt: skip

    def _header(self, name: str, value: str) -> str:
        if not value.startswith("$"):
            return value
        return self._of_environment(value[1:], f"the header {name}")

    def _key(self) -> str | None:
        if self.key_variable is None:
            return None
        return self._of_environment(self.key_variable, "the key")

    def _of_environment(self, variable: str, what: str) -> str:
        value = os.environ.get(variable, "").strip()
        if not value:
            raise OodexpError(
                f"vlm {self.model}: the environment variable {variable} is not set; put {what} "
                "there (it is kept nowhere), or set key_variable=null for a server without a key"
            )
        if not (value.isascii() and value.isprintable()):
            raise OodexpError(
                f"vlm {self.model}: the environment variable {variable} holds a letter that no "
                "header may hold, such as a line break; set it anew"
            )
        return value


def _check_url(model: str, url: str) -> None:
    try:
        parts = urlsplit(url)
        right = parts.scheme in ("http", "https") and parts.hostname and (parts.port or True)
    except ValueError:  # no port, no address
        raise OodexpError(f"vlm {model}: base_url is no address of a server") from None
    if not right:
        raise OodexpError(f"vlm {model}: base_url={_bare(url)}: expected http(s)://HOST/v1")


def _bare(url: str) -> str:
    """The address without user, password and query, which may hold a key."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", ""))


def _endpoint(url: str) -> str:
    parts = urlsplit(url)
    path = parts.path.rstrip("/") + "/chat/completions"
    return urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))
