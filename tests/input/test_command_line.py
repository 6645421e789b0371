"""Hostile data sets through the real command: exit status, one line, no escape sequence."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.source.made import png

SOURCE = {"source": "coco", "tracker": "folder", "experiment": "inspect"}


def oodexp(folder: Path, document: Any, *more: str, **environment: str) -> Any:
    (folder / "images").mkdir(exist_ok=True)
    (folder / "images/a.png").write_bytes(png(1))
    data = document if isinstance(document, bytes) else json.dumps(document).encode()
    (folder / "f.json").write_bytes(data)
    given = SOURCE | {
        "source.annotations": folder / "f.json", "source.images": folder / "images",
        "paths.runs": folder / "runs",
    }  # fmt: skip
    command = [sys.executable, "-m", "oodexp.run", *(f"{k}={v}" for k, v in given.items()), *more]
    return subprocess.run(
        command, capture_output=True, check=False, timeout=100,
        env={**os.environ, "COLUMNS": "200", **environment},
    )  # fmt: skip


def document(**more: Any) -> dict[str, Any]:
    return {
        "images": [{"id": 0, "file_name": "a.png"}],
        "annotations": [{"id": 0, "image_id": 0, "category_id": 0}],
        "categories": [{"id": 0, "name": "dog"}],
    } | more


NASTY = "\x1b]0;owned\x07\x9b2J [red]dog[/blue] \u202e日本"


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1"])
def test_names_with_escape_sequences_are_shown_and_not_obeyed(tmp_path, encoding):
    kinds = [{"id": 0, "name": NASTY}]
    done = oodexp(tmp_path, document(categories=kinds), PYTHONIOENCODING=encoding)
    assert done.returncode == 0, done.stderr
    for stream in (done.stdout, done.stderr):
        assert not any(mark in stream for mark in (b"\x1b", b"\x07", b"\xc2\x9b", b"\xe2\x80\xae"))
    assert b"\\x1b]0;owned\\x07" in done.stdout
    assert b"[red]dog[/blue]" in done.stdout


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "not JSON"),
        (b'{"images": ' + b"[" * 200_000, "lists within lists without end"),
        (document(categories=[{"id": 0, "name": "\x1b[31m"}] * 2), "is repeated"),
        (document(images=[{"id": 0, "file_name": "\ud800"}]), "half of a surrogate pair"),
        (document(images=[{"id": 0, "file_name": "/etc/passwd"}]), "nothing to divide"),
    ],
)
def test_a_file_that_cannot_be_used_is_told_in_one_line_with_status_2(tmp_path, data, said):
    done = oodexp(tmp_path, data)
    assert done.returncode == 2
    assert b"Traceback" not in done.stdout + done.stderr
    lines = done.stderr.decode().splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("oodexp: ")
    assert said in lines[0]
    assert b"\x1b" not in done.stderr


def test_pipes_and_links_are_left_out_with_status_3(tmp_path):
    (tmp_path / "images").mkdir()
    os.mkfifo(tmp_path / "images/pipe.png")
    (tmp_path / "images/link.png").symlink_to("/etc/passwd")
    names = ["a.png", "pipe.png", "link.png"]
    images = [{"id": n, "file_name": name} for n, name in enumerate(names)]
    done = oodexp(tmp_path, document(images=images))
    assert done.returncode == 3, done.stderr
    shown = " ".join(done.stdout.decode().split())
    assert "no regular file" in shown
    assert "links=anywhere" in shown


@pytest.mark.parametrize(
    "words",
    [["recipe=os.system"], ["paths.runs=${paths.exports}"], ["source.annotations=${source.coco}"],
     ["source.coco.links=everywhere"], ["source.coco._target_=os.path"], ["source=[coco"]],
)  # fmt: skip
def test_a_command_line_that_cannot_be_run_ends_with_status_2(tmp_path, words):
    done = oodexp(tmp_path, document(), *words)
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith(b"oodexp: ")
    assert b"Traceback" not in done.stderr
