"""The run of a process that works for another one's."""

from __future__ import annotations

import inspect
import sys

import pytest

from oodexp.tracker.base import Run
from oodexp.tracker.silent import Silent


def test_it_offers_all_that_a_run_does():
    for name, method in inspect.getmembers(Run, inspect.isfunction):
        if name.startswith("__") and name not in ("__enter__", "__exit__"):
            continue
        if name not in ("_no_init_or_replace_init",):
            wanted = list(inspect.signature(method).parameters)
            assert list(inspect.signature(getattr(Silent, name)).parameters) == wanted
    assert isinstance(Silent.run_id, str)
    assert isinstance(Silent.where, str)


def test_it_keeps_nothing_and_lets_nothing_be_printed(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Silent() as run:
        sys.stdout.write("a report\n")
        run.params({"a": 1})
        run.tags({"a": "b"})
        run.metrics({"a": 1.0})
        run.table("a", tmp_path / "none.parquet")
        run.text("a.txt", "a")
        with run.child("vlm", {}) as child:
            child.metrics({"a": 1.0})
            sys.stdout.write("more\n")
        sys.stdout.write("the end\n")
    sys.stdout.write("after\n")
    assert capsys.readouterr().out == "after\n"
    assert list(tmp_path.iterdir()) == []


def test_an_error_passes_and_printing_is_given_back(capsys):
    with pytest.raises(ValueError, match="no"), Silent():
        raise ValueError("no")
    sys.stdout.write("after\n")
    assert capsys.readouterr().out == "after\n"
