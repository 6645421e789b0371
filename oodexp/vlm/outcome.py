"""What a chat-completions server said: a reply, a reason to wait or to try again, or an end."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, Literal

from oodexp.vlm.base import Reply

Kind = Literal["reply", "wait", "away", "retry", "failed", "pause", "key", "stop"]

WAITS: tuple[Kind, ...] = ("wait", "away")
"""Kinds after which all wait."""

_QUOTA = ("insufficient_quota", "billing_hard_limit_reached", "credit", "billing_not_active")
_FILTER = ("content_filter", "content_policy", "safety")
_FLAGGED = ("moderation", "flagged")
"""In the message of a 403 that means the question and not the key."""

_RETRIED = (408, 409, 425)
"""Besides 5xx: the server or the way to it was at fault, not the request."""

_LATE = (408, 504, 524)
"""Somebody stopped waiting for a reply that may have been made, and billed."""

MOST_TOKENS = 10**9
"""A larger count is none, and would be paid for."""

LONGEST_WAIT = 3600.0
"""Seconds; a server that asks for more has a quota of a day or a month."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One attempt."""

    kind: Kind
    """`reply`: done. `wait`: all must wait, then again. `away`:
    nobody listens there: the same. `retry`: again after a growing wait.
    `failed`: this question is not answered. `pause`: nobody may go on now. `key`: the key is not
    accepted. `stop`: another mistake that every question would meet."""
    status: str
    """For the ledger: the reply's status, or what went wrong, in a word."""
    reply: Reply | None = None
    """Of `reply`."""
    reason: str = ""
    """What the server said, unredacted."""
    seconds: float | None = None
    """Of `wait`: how long; None when the server does not say."""
    billed: bool | None = False
    """Whether it was charged; None when nobody knows."""


def judge(code: int, headers: Mapping[str, str], text: str, now: float) -> Outcome:
    """Reads a response.

    Args:
        code: HTTP status.
        headers: With names in lower case.
        text: The body.
        now: Seconds since 1970, for a `Retry-After` that is a date.
    """
    if code == 200:
        return _answered(text)
    error = _error(text)
    word = " ".join(str(error.get(k) or "") for k in ("code", "type", "status")).lower()
    said = str(error.get("message") or text)
    status = f"http {code}"
    if 300 <= code < 400:
        where = headers.get("location", "")
        return Outcome("stop", status, reason=f"it redirects to {where!r}, which is not followed")
    if code == 402 or (code == 429 and any(w in word for w in _QUOTA)):
        return Outcome("pause", "quota", reason=said)
    if code in (429, *_RETRIED) or code >= 500:
        return _later(code, _retry_after(headers, now), said)
    flagged = code == 403 and any(w in said.lower() for w in _FLAGGED)
    if flagged or any(w in word for w in _FILTER):
        return Outcome("reply", "filtered", Reply(None, "filtered", None, None))
    if code in (401, 403):
        return Outcome("key", status, reason=said)
    return Outcome("stop" if code == 404 else "failed", status, reason=said)


def _later(code: int, seconds: float | None, said: str) -> Outcome:
    if seconds is not None and seconds > LONGEST_WAIT:
        return Outcome("pause", "quota", reason=f"it asks to wait {seconds:.0f} s: {said}")
    kind: Kind = "wait" if code == 429 or seconds is not None else "retry"
    billed = None if code in _LATE else False
    return Outcome(kind, f"http {code}", reason=said, seconds=seconds, billed=billed)


def _answered(text: str) -> Outcome:
    try:
        body = json.loads(text)
        choice = body["choices"][0]
        message = choice["message"]
        content = _text(message.get("content"))
        usage = body.get("usage") or {}
        tokens = usage.get("completion_tokens"), usage.get("prompt_tokens")
        status = _status(choice.get("finish_reason"), content, message.get("refusal"))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return Outcome("retry", "broken reply", reason=text[:100], billed=None)
    known = [n if _is_count(n) else None for n in tokens]
    billed = None if None in known else True
    return Outcome("reply", status, Reply(content, status, None, *known), billed=billed)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS


def _status(finish: str | None, content: str | None, refusal: str | None) -> str:
    if refusal:
        return "refused"
    if finish == "content_filter":
        return "filtered"
    if finish == "length":
        return "truncated"
    return "ok" if content and content.strip() else "empty"


def _text(content: Any) -> str | None:
    """The text alone: reasoning that stands in other fields is no part of the answer."""
    if content is None or isinstance(content, str):
        return content
    return "".join(part["text"] for part in content if part.get("type") == "text")


def _error(text: str) -> dict[str, Any]:
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    body = body[0] if isinstance(body, list) and body else body
    error = body.get("error", body) if isinstance(body, dict) else {}
    return error if isinstance(error, dict) else {"message": str(error)}


def _retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds of `retry-after-ms` or `retry-after`, which may be a date; None without."""
    try:
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        value = headers["retry-after"]
    except (KeyError, ValueError):
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - now)
    except (TypeError, ValueError):
        return None
