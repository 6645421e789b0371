"""What a chat-completions server may answer: bodies, codes and headers with mistakes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random

from oodexp.vlm.outcome import MOST_TOKENS, judge
from oodexp.vlm.redact import MOST, Redactor
from tests.input.kind import Kind, Result
from tests.input.odd import changed, damaged, dumped
from tests.input.texts import text

KEY = "sk-campaign-0123456789abcdefXYZ"
CODES = [200, 200, 200, 200, 301, 400, 401, 402, 403, 404, 408, 413, 425, 429, 500, 503, 529, 999]
AFTER = ["1", "-1", "nan", "inf", "1e400", "", "soon", "\ud800", "Thu, 99 Foo 2099", "9" * 500,
         "Wed, 21 Oct 9999 07:28:00 GMT", "Wed, 21 Oct 2015 07:28:00 +9999"]  # fmt: skip
STATUSES = {"ok", "truncated", "refused", "filtered", "empty"}


def body(random: Random, folder: Path) -> Result:
    """Every response is a reply, a reason to wait or try again, or an end; no key gets through."""
    said = random.choice(["Yes", "No", text(random, 4), f"the key {KEY}"])
    reply = {
        "id": "r", "model": "m", "object": "chat.completion",
        "choices": [
            {"index": 0, "finish_reason": random.choice(["stop", "length", "content_filter", None]),
             "message": {"role": "assistant", "content": said, "refusal": None}}
        ],
        "usage": {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11},
    }  # fmt: skip
    error = {"error": {"message": f"Incorrect key {KEY}", "code": "invalid", "type": "x"}}
    document = changed(random.choice([reply, reply, error, [error], {"error": said}]), random)
    data = damaged(dumped(document, random), random).decode("utf-8", "replace")
    headers = {}
    if random.random() < 0.4:
        name = random.choice(["retry-after", "retry-after-ms", "location"])
        headers[name] = random.choice(AFTER)
    code = random.choice(CODES)
    found = judge(code, headers, data, now=1_700_000_000.0)
    told = Redactor(KEY).message(f"{found.status}: {found.reason}")
    assert KEY not in told
    assert len(told) <= MOST + 4
    assert found.seconds is None or 0 <= found.seconds < float("inf")
    if found.kind != "reply":
        assert found.reply is None
        return "named"
    assert found.reply is not None
    assert found.reply.status in STATUSES
    for count in (found.reply.tokens, found.reply.prompt_tokens):
        assert count is None or 0 <= count <= MOST_TOKENS
    kept = Redactor(KEY).completion(found.reply.text)
    assert kept is None or KEY not in kept
    return "right" if _is(document, data, found.reply.text) else "named"


def _is(document: object, data: str, said: str | None) -> bool:
    """Whether the text is what the body holds, looked up without the program."""
    try:
        held = json.loads(data)["choices"][0]["message"]["content"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return False
    return bool(held == said)


def message(random: Random, folder: Path) -> Result:
    """A key in any surrounding is taken out of a message."""
    around = [text(random, 3), text(random, 3)]
    told = Redactor(KEY).message(KEY.join(around) + f" {KEY[:6]}...{KEY[-4:]} Bearer {KEY}x")
    assert KEY not in told
    assert not re.search(re.escape(KEY[-4:]) + r"\b", told)
    return "right"


KINDS = [Kind("served: bodies, codes, headers", body, 3.0), Kind("served: messages", message, 0.5)]
