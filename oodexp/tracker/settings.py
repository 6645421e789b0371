"""What of a configuration decides a run's results: its hash, its leaves, its differences."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from oodexp.tracker.address import blot

ELSEWHERE = ("paths", "store", "tracker")
"""Top-level keys that say where things are kept, not what is computed."""


def plain(config: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration as JSON values only, with passwords in addresses blotted out."""
    text = json.dumps(config, ensure_ascii=False, default=str)
    return dict(json.loads(blot(text)))


def settings(config: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration without the keys that only say where things are kept."""
    return {key: value for key, value in plain(config).items() if key not in ELSEWHERE}


def digest(config: Mapping[str, Any]) -> str:
    """SHA-256 of the settings, whatever the order of their keys."""
    text = json.dumps(settings(config), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def leaves(config: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a nested configuration by dotted name.

    A list of plain values is one leaf; of a list with mappings, each item counts as a key.
    """
    return dict(_walk("", config))


def differences(stored: Mapping[str, Any], asked: Mapping[str, Any]) -> list[str]:
    """One line a setting that differs, such as `seed: 0 (stored) against 1 (asked)`."""
    old, new = leaves(settings(stored)), leaves(settings(asked))
    lines = []
    for name in dict.fromkeys([*old, *new]):
        before, after = _shown(old, name), _shown(new, name)
        if before != after:
            old_part, new_part = _around_difference(before, after)
            lines.append(f"{name}: {old_part} (stored) against {new_part} (asked)")
    return lines


def _walk(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping) and value:
        items: list[tuple[Any, Any]] = list(value.items())
    elif isinstance(value, list | tuple) and any(isinstance(v, Mapping) for v in value):
        items = list(enumerate(value))
    else:
        if name:
            yield name, value
        return
    for key, inner in items:
        yield from _walk(f"{name}.{key}" if name else str(key), inner)


def _shown(values: Mapping[str, Any], name: str) -> str:
    return json.dumps(values[name], ensure_ascii=False) if name in values else "absent"


def _around_difference(before: str, after: str, width: int = 80) -> tuple[str, str]:
    pairs = zip(before, after, strict=False)
    same = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(before), len(after)))
    start = max(0, same - width // 4) if max(len(before), len(after)) > width else 0
    first, second = (
        f"{'...' if start else ''}{text[start : start + width]}"
        f"{'...' if len(text) > start + width else ''}"
        for text in (before, after)
    )
    return first, second
