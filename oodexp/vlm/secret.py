"""Settings of a served VLM stand in every record of a run: a key must not be one of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from oodexp.error import OodexpError
from oodexp.vlm.redact import looks_like_key

_NAMES = (
    "key", "token", "secret", "sig", "password", "auth", "cookie", "credential", "bearer",
)  # fmt: skip
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_WHY = "which would stand in every record; put it into an environment variable"


def check_public(
    model: str, url: str, key_variable: str | None, headers: Mapping[str, str],
    extra: Mapping[str, Any],
) -> None:  # fmt: skip
    """Refuses settings that hold a key; no message repeats it.

    Args:
        model: Name of the model, for messages.
        url: Address of the server.
        key_variable: Name of the environment variable of the key.
        headers: More headers; a value `$NAME` is that of a variable.
        extra: More fields of the body.

    Raises:
        OodexpError: Names the setting and what to do instead.
    """
    if key_variable is not None and (
        looks_like_key(key_variable) or not _VARIABLE.fullmatch(key_variable)
    ):
        raise OodexpError(
            f"vlm {model}: key_variable is no name of an environment variable; it must name the "
            "variable that holds the key, as in key_variable=OPENAI_API_KEY, and not the key"
        )
    parts = urlsplit(url)
    named = any(_is_secret(name) for name, _ in parse_qsl(parts.query))
    if "@" in parts.netloc or named or looks_like_key(url):
        raise OodexpError(
            f"vlm {model}: base_url, of the host {parts.hostname}, holds a password or key, {_WHY} "
            "and name that as key_variable"
        )
    for name, value in headers.items():
        if not value.startswith("$") and (_is_secret(name) or looks_like_key(value)):
            raise OodexpError(
                f"vlm {model}: the header {name} holds a password or key, {_WHY} NAME and write "
                f"headers={{{name}: $NAME}}"
            )
    if any(map(looks_like_key, _texts(extra))):
        raise OodexpError(f"vlm {model}: extra holds a key, {_WHY} and send it as a header")


def _is_secret(name: str) -> bool:
    return any(word in name.lower() for word in _NAMES)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        value = [*value.keys(), *value.values()]
    if isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)
    elif isinstance(value, str):
        yield value
