"""A key leaves no trace in what a run keeps or prints, whatever the server tells back."""

from __future__ import annotations

import gzip
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.served.stub import Said, completion, error, serving

KEY = "zebra-9f8e7d6c5b4a3210-quagga"
OTHER = "okapi-00112233445566778899-gnu"
"""Of a header that is read from the environment, too."""


def run(runs: Path, url: str, *more: str, tracker: str = "mlflow") -> subprocess.CompletedProcess:
    command = [
        sys.executable, "-m", "oodexp.run", "experiment=main", "source.limit=4",
        "scorer=[open_clip_miniature]", "metric.resamples=100", "predict.accelerator=cpu",
        f"tracker={tracker}", f"paths.runs={runs}", "vlm=openai_api", "vlm.model=stub",
        f"vlm.base_url={url}", "vlm.key_variable=STUB_KEY", "vlm.headers={api-key: $STUB_OTHER}",
        "vlm.backoff=0.01", "vlm.retries=1", *more,
    ]  # fmt: skip
    environment = os.environ | {"STUB_KEY": KEY, "STUB_OTHER": OTHER, "COLUMNS": "200"}
    return subprocess.run(
        command, env=environment, capture_output=True, check=False, timeout=300, cwd=runs
    )


def contents(folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Everything below a folder, unpacked: a compressed table would hide what it holds."""
    for file in folder.rglob("*"):
        if not file.is_file():
            continue
        yield file, file.read_bytes()
        if file.suffix == ".parquet":
            yield file, pd.read_parquet(file).to_json(force_ascii=False).encode()
        elif file.suffix == ".db":
            with sqlite3.connect(file) as held:
                yield file, "\n".join(held.iterdump()).encode("utf-8", "replace")
        elif file.suffix == ".gz":
            yield file, gzip.decompress(file.read_bytes())


def assert_no_trace(folder: Path, done: subprocess.CompletedProcess) -> None:
    found = list(contents(folder))
    found += [(Path("stdout"), done.stdout), (Path("stderr"), done.stderr)]
    for secret in (KEY, OTHER):
        forms = {secret, secret[:9] + "..." + secret[-6:], secret[:8] + "****" + secret[-6:]}
        for place, content in found:
            assert not [form for form in forms if form.encode() in content], place


def command_lines() -> bytes:
    """What any user of this machine sees of its processes."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found.append(file.read_bytes())
        except OSError:
            continue
    return b"\n".join(found)


def echoing(body: Any, turn: int, seen: list[bytes]) -> Said:
    """Tells the key back in replies, errors and headers, whole and masked, or breaks off."""
    number = len(seen)
    seen.append(command_lines() if number == 3 else b"")
    told = (
        f"Bearer {KEY} and {OTHER}, that is {KEY[:9]}...{KEY[-6:]} or {OTHER[:8]}****{OTHER[-6:]}"
    )
    echo = {"X-Echo": KEY, "Set-Cookie": f"k={KEY}"}
    return [
        completion(f"Yes, {KEY}, {OTHER}"),
        error(500, message=told, headers=echo),
        error(400, message=told),
        Said(200, f"<html>{told}"),
        Said(act="close"),
        error(429, "rate", told, {"Retry-After": "0"}),
        Said(503, told, echo),
        Said(418, [told]),
    ][number % 8]


@pytest.mark.slow
@pytest.mark.parametrize("tracker", ["mlflow", "folder"])
def test_a_run_whose_server_tells_the_key_back_keeps_and_prints_no_key(tmp_path, tracker):
    seen: list[bytes] = []
    with serving(lambda body, turn: echoing(body, turn, seen)) as stub:
        done = run(tmp_path, stub.url, tracker=tracker)
    assert done.returncode == 3, done.stderr
    assert len(seen) > 16
    listed = b"".join(seen)
    assert b"oodexp.run" in listed
    assert KEY.encode() not in listed
    assert OTHER.encode() not in listed
    kept = [content for _, content in contents(tmp_path)]
    assert any(b"[key]" in content for content in kept)  # replies and reasons are among them
    assert any(b"INCOMPLETE" in content for content in (done.stdout, *kept))
    assert_no_trace(tmp_path, done)


@pytest.mark.parametrize(
    "said",
    [error(401, "invalid_api_key", f"Incorrect API key provided: {KEY} {OTHER}"),
     pytest.param(
         error(404, "model_not_found", f"no model for {KEY} {OTHER}"), marks=pytest.mark.slow),
     pytest.param(
         Said(302, f"{KEY} {OTHER}", {"Location": f"http://h.example/?key={KEY}&other={OTHER}"}),
         marks=pytest.mark.slow)],
)  # fmt: skip
def test_a_run_that_the_server_ends_tells_no_key(tmp_path, said):
    with serving(lambda *_: said) as stub:
        done = run(tmp_path, stub.url)
    assert done.returncode == 2, done.stderr
    assert stub.asked, done.stderr
    assert b"oodexp: vlm stub: " in done.stderr
    assert (tmp_path / "mlflow.db").is_file()
    assert_no_trace(tmp_path, done)


@pytest.mark.parametrize(
    "setting",
    [f"vlm.base_url='http://h.example/v1?api_key={KEY}'", f"vlm.base_url=http://u:{KEY}@h.example/v1",
     f"vlm.headers={{X-Api-Key: {KEY}}}", f"vlm.headers={{Authorization: Bearer {KEY}}}",
     "vlm.headers={x-token: '${oc.env:STUB_KEY}'}", "vlm.key_variable=sk-0123456789abcdef",
     f"vlm.key_variable={KEY}", f"vlm.extra={{user: Bearer {KEY}}}"],
)  # fmt: skip
def test_a_key_on_the_command_line_is_refused_before_anything_is_kept(tmp_path, setting):
    done = run(tmp_path, "http://127.0.0.1:9/v1", setting)
    assert done.returncode == 2, done.stderr
    assert b"environment variable" in done.stderr
    assert b"sk-0123456789abcdef" not in done.stderr
    assert not (tmp_path / "mlflow.db").exists()
    assert_no_trace(tmp_path, done)
