"""Values as a tracker can keep them: texts of bounded length, finite numbers."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any

from oodexp.error import OodexpError


def as_text(value: Any) -> str:
    """A parameter's value as text: text as it is, other plain values as JSON."""
    if value is None or isinstance(value, bool | int | float | list | tuple | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def cut(text: str, limit: int | None) -> str:
    """The text, or as much of its start as fits beside a note of its length and SHA-256.

    Args:
        text: Any text.
        limit: Characters that the result may have, at least 120; None for any number.
    """
    if limit is None or len(text) <= limit:
        return text
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    note = f"... [cut from {len(text)} characters, sha256 {digest}]"
    return text[: limit - len(note)] + note


def parted(values: Mapping[str, float | None]) -> tuple[dict[str, float], dict[str, str]]:
    """Metrics that have a value, and why the others have none (`none` or `NaN`).

    Raises:
        OodexpError: Names the metrics that are infinite or no numbers.
    """
    defined: dict[str, float] = {}
    undefined: dict[str, str] = {}
    refused: list[str] = []
    for name, value in values.items():
        try:
            number = None if value is None else float(value)
        except (TypeError, ValueError):
            refused.append(f"{name!r} = {value!r}")
            continue
        if number is None:
            undefined[name] = "none"
        elif math.isnan(number):
            undefined[name] = "NaN"
        elif math.isinf(number):
            refused.append(f"{name!r} = {number}")
        else:
            defined[name] = number
    if refused:
        raise OodexpError(
            f"metrics that are not finite numbers: {', '.join(refused)}; "
            "give None for a value that is undefined"
        )
    return defined, undefined
