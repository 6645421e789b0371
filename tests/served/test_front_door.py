"""A served VLM through the front door: exit statuses, what a person reads, where no key stands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from tests.served.stub import KEY, completion, error, serving

MASKED = f"{KEY[:7]}...{KEY[-4:]}"


def run(runs: Path, url: str, *more: str, key: str | None = KEY) -> subprocess.CompletedProcess:
    settings = {
        "model": "stub", "base_url": url, "key_variable": "STUB_KEY", "backoff": 0.01,
        "concurrency": 4, "retries": 1,
    }  # fmt: skip
    command = [
        sys.executable, "-m", "oodexp.run", "experiment=main", "source.limit=6", "tracker=folder",
        "metric.resamples=200", "predict.accelerator=cpu", "predict.progress=false",
        f"paths.runs={runs}", "vlm=openai_api",
        *(f"vlm.openai_api.{name}={value}" for name, value in settings.items()), *more,
    ]  # fmt: skip
    environment = {k: v for k, v in os.environ.items() if k != "STUB_KEY"}
    environment |= {"COLUMNS": "200"} | ({} if key is None else {"STUB_KEY": key})
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=300
    )


def kept(runs: Path, name: str) -> pd.DataFrame:
    newest = max(runs.rglob(f"{name}.parquet"), key=lambda path: path.stat().st_mtime)
    return pd.read_parquet(newest)


@pytest.mark.slow
def test_a_run_pauses_with_status_4_and_the_same_command_goes_on(tmp_path):
    with serving(lambda *_: completion()) as stub:
        stub.script = lambda *_: (
            completion() if len(stub.times) <= 10 else error(429, "insufficient_quota", "no credit")
        )
        paused = run(tmp_path, stub.url)
        assert paused.returncode == 4, paused.stderr
        for word in ("quota", "no credit", "same command", "answered", "spent"):
            assert word in paused.stderr
        assert "Traceback" not in paused.stderr
        assert len(stub.answered) == 10
        stub.script = lambda *_: completion()
        done = run(tmp_path, stub.url)
        assert done.returncode == 0, done.stderr
    assert max(stub.answered.values()) == 1
    assert set(kept(tmp_path, "completions")["status"]) == {"ok"}
    assert len(kept(tmp_path, "requests")) == len(stub.answered) - 10


@pytest.mark.slow
def test_case_g21_failed_questions_leave_no_final_headline_and_no_key_anywhere(tmp_path, shared):
    """Also: a server that tells the key back, whole and masked, in errors and in replies."""
    expected = json.loads((shared / "cases/g21-failed-requests/expected.json").read_text())
    failing: set[str] = set()

    def script(body, _):
        text = body["messages"][-1]["content"][1]["text"]
        if text in failing or len(failing) < expected["failed"]:
            failing.add(text)
            return error(503, message=f"Bearer {KEY} of {MASKED} is overloaded")
        return completion(f"Yes, {KEY}")

    with serving(script) as stub:
        done = run(tmp_path, stub.url)
    completions = kept(tmp_path, "completions")
    failed = int((completions["status"] == "error").sum())
    assert failed >= expected["failed"]
    assert done.returncode == 3
    assert f"INCOMPLETE, {failed} of {len(completions)} questions failed" in done.stdout
    told = [f.read_bytes() for f in tmp_path.rglob("*") if f.is_file()]
    assert any(b"incomplete" in text for text in told)
    assert {"[key]" in reason for reason in completions["reason"].dropna()} == {True}
    for text in (*told, done.stdout.encode(), done.stderr.encode()):
        assert KEY.encode() not in text
        assert MASKED.encode() not in text


def test_a_key_that_is_not_there_is_named_before_anything_is_done(tmp_path):
    done = run(tmp_path, "http://127.0.0.1:9/v1", key=None)
    assert done.returncode == 2
    assert "STUB_KEY is not set" in done.stderr
    assert not list(tmp_path.rglob("pairs.parquet"))
