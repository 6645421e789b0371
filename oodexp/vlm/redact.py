"""Keys taken out of what a server says, before anybody keeps or reads it."""

from __future__ import annotations

import re

SHORT = 8
"""Letters below which a key may be an ordinary word, as the `EMPTY` of local servers."""

MARK = "[key]"
"""What stands in place of a key."""

MOST = 300
"""Letters of a server's message that are kept."""

_MASKED = re.compile(r"[\w\-]*(?:\*{3,}|\.{3,}|…|•{3,})[\w\-]*")
_KEYS = re.compile(r"\b(?:sk|pk|gsk|hf|xai|nvapi)[-_][\w\-]{8,}|\bAIza[\w\-]{20,}")
_BEARER = re.compile(r"(?i)\b(bearer|basic|api[-_]key)([\s:=]+)\S+")


def looks_like_key(text: str) -> bool:
    """Whether a text holds what looks like a key of a provider, or says that it is one.

    >>> looks_like_key("Bearer abc"), looks_like_key("sk-0123456789"), looks_like_key("risk-averse")
    (True, True, False)
    """
    return bool(_KEYS.search(text) or _BEARER.search(text))


class Redactor:
    """Replaces secrets, and what looks like a key or a masked one.

    Args:
        secrets: Keys in use, and values of headers.
    """

    def __init__(self, *secrets: str) -> None:
        # The longest first: another one may be a part of it.
        self._secrets = sorted(filter(None, secrets), key=len, reverse=True)

    def message(self, text: str) -> str:
        """A server's message on one line, cut at `MOST` letters, without keys."""
        line = self._exact(" ".join(text.split()), 1)
        line = _BEARER.sub(rf"\1\2{MARK}", line)
        line = _KEYS.sub(MARK, _MASKED.sub(self._masked, line))
        return line if len(line) <= MOST else f"{line[:MOST]} ..."

    def completion(self, text: str | None) -> str | None:
        """A completion as it is, unless it holds the very key."""
        return text and self._exact(text, SHORT)

    def _exact(self, text: str, least: int) -> str:
        for secret in self._secrets:
            if len(secret) >= least:
                text = text.replace(secret, MARK)
        return text

    def _masked(self, found: re.Match[str]) -> str:
        """A word with letters left out is a key if it shows some of the key's ends."""
        word = found[0]
        if "*" in word or "•" in word:
            return MARK
        parts = re.split(r"\.{3,}|…", word)
        shows = any(
            (parts[0] and secret.startswith(parts[0])) or (parts[-1] and secret.endswith(parts[-1]))
            for secret in self._secrets
        )
        return MARK if shows else word
