"""Which requests the review page's server answers: those of its own page, and no others.

The server listens on this machine alone. A foreign page in the same browser can still send requests
to it, and by DNS rebinding under a name of its own: so the name in Host, the page in Origin, the
token that only the right address holds, and the media type are checked each time.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Mapping
from typing import NamedTuple

TOKEN = "x-oodexp-token"
"""Header that holds the token: a foreign page can neither know nor, without leave, send it."""

MOST_BYTES = 16_384
"""Size of the largest body that is taken."""

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
"""Headers of every response."""

_HOST = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?")


class Refusal(NamedTuple):
    """Why a request is not answered."""

    status: int
    """HTTP status."""
    reason: str
    """For the person who reads it."""


def refusal(method: str, path: str, headers: Mapping[str, str], token: str) -> Refusal | None:
    """Why a request is refused; None when it may be answered.

    Args:
        method: HTTP method, in capitals.
        path: Path of the address; below `/api/` the token is needed.
        headers: By name in lower case.
        token: What the address of the page holds.
    """
    host = headers.get("host", "")
    if not _HOST.fullmatch(host.lower()):
        return Refusal(403, "this server answers under 127.0.0.1 and localhost only")
    if not path.startswith("/api/"):
        return None if method in ("GET", "HEAD") else Refusal(405, "nothing to post here")
    return _foreign(method, headers, host) or _untrusted(headers, token) or _body(method, headers)


def _foreign(method: str, headers: Mapping[str, str], host: str) -> Refusal | None:
    origin = headers.get("origin")
    if origin is None and method not in ("GET", "HEAD"):
        return Refusal(403, "no Origin; only the review page may send verdicts")
    if origin is not None and origin.lower() != f"http://{host.lower()}":
        return Refusal(403, "another page may not use this server")
    if headers.get("sec-fetch-site", "same-origin") != "same-origin":
        return Refusal(403, "another page may not use this server")
    return None


def _untrusted(headers: Mapping[str, str], token: str) -> Refusal | None:
    given = headers.get(TOKEN, "")
    if hmac.compare_digest(given.encode(), token.encode()):
        return None
    return Refusal(
        401, "this address is not of the running review: open the one that it printed at its start"
    )


def _body(method: str, headers: Mapping[str, str]) -> Refusal | None:
    if method in ("GET", "HEAD"):
        return None
    if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        return Refusal(415, "expected application/json")
    length = headers.get("content-length", "")
    if not (length.isascii() and length.isdigit()):
        return Refusal(411, "expected a body of known length")
    if int(length) > MOST_BYTES:
        return Refusal(413, f"expected at most {MOST_BYTES} bytes")
    return None
