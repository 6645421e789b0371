"""How a chat-completions server is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from oodexp.vlm.base import Tariff


@dataclass(frozen=True, slots=True)
class Terms:
    """What holds for every request of a session."""

    name: str
    """Of the model, for messages."""
    url: str
    """Where questions go."""
    body: Mapping[str, Any]
    """Fields of every request."""
    limit_field: str
    """Field of the most new tokens."""
    system: str | None
    """System message."""
    detail: str | None
    """Field `detail` of the image."""
    tariff: Tariff
    """Sizes and prices."""
    budget: float | None
    """The most that may be spent."""
    retries: int
    """Attempts after the first."""
    timeout: float
    """Seconds that one attempt may take."""
    outage: float
    """Seconds that the server may be away."""
    key_variable: str | None
    """Environment variable of the key, for messages."""
