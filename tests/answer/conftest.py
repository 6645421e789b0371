"""The completions with their right readings, one test each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases"
LINES = {
    "yes_no_line": "answers/yes_no.jsonl",
    "count_line": "answers/count.jsonl",
    "reply": "g16-yesno-replies/replies.jsonl",
    "thought": "g17-think-tags/replies.jsonl",
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    # Parameters are needed before any fixture runs; the tests ask for `shared` as well, which
    # skips them by name where the folder is absent.
    for argument, place in LINES.items():
        if argument in metafunc.fixturenames:
            path = CASES / place
            text = path.read_text(encoding="utf-8") if path.is_file() else ""
            rows = [json.loads(line) for line in text.splitlines()]
            names = [repr(row.get("completion", row.get("reply"))) for row in rows]
            metafunc.parametrize(argument, rows, ids=names)
