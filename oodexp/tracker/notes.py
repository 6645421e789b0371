"""Small JSON artifacts of a run that grow while it is recorded."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from oodexp.tracker.store import Store

NAMES, UNDEFINED, CHECKSUMS = "metrics/names.json", "metrics/undefined.json", "checksums.json"
"""Metric names that are stored under another one; metrics without a value; SHA-256 of files."""


class Notes:
    """JSON objects kept beside a run, one an artifact.

    Args:
        store: Where the run is kept.
        run_id: The run.
        resumed: Whether earlier notes may exist, which then stay.
    """

    def __init__(self, store: Store, run_id: str, resumed: bool) -> None:
        self._store, self._run_id, self._resumed = store, run_id, resumed
        self._held: dict[str, dict[str, Any]] = {}

    def get(self, artifact: str) -> dict[str, Any]:
        """What is noted so far."""
        if artifact not in self._held:
            stored = self._store.read(self._run_id, artifact) if self._resumed else None
            self._held[artifact] = dict(json.loads(stored)) if stored else {}
        return dict(self._held[artifact])

    def add(self, artifact: str, values: Mapping[str, Any], drop: Iterable[str] = ()) -> None:
        """Adds or replaces entries, removes others, and stores the artifact if it changed."""
        before = self.get(artifact)
        gone = set(drop) - set(values)
        after = {**{key: v for key, v in before.items() if key not in gone}, **values}
        if after != before:
            self._held[artifact] = after
            self._store.write(self._run_id, artifact, as_json(after))


def as_json(value: Mapping[str, Any]) -> bytes:
    """An indented JSON file, keys sorted, readable in any script."""
    text = json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False)
    return f"{text}\n".encode("utf-8", "backslashreplace")
