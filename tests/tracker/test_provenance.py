"""Which code, machine and libraries a number came from."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from importlib.metadata import version

import oodexp
from oodexp.tracker import provenance


def test_everything_a_number_may_depend_on_is_named_as_text():
    facts = provenance.provenance()
    assert facts["version.numpy"] == version("numpy")
    assert facts["version.oodexp"] == oodexp.__version__
    assert facts["python"] == sys.version.split()[0]
    assert int(facts["cpus"]) >= 1
    assert {"git.commit", "git.dirty", "platform", "version.mlflow"} <= facts.keys()
    assert all(isinstance(value, str) and value for value in facts.values())


def test_a_package_that_is_absent_is_said_to_be(monkeypatch):
    monkeypatch.setattr(provenance, "PACKAGES", ("no-such-distribution",))
    assert provenance.provenance()["version.no-such-distribution"] == "not installed"


def test_without_git_nothing_fails(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    facts = provenance.provenance()
    assert facts["git.commit"] == facts["git.dirty"] == "none"


def test_the_commit_and_later_changes_of_a_checkout_are_seen(tmp_path):
    package = _repository(tmp_path)
    clean = provenance._checkout(package)
    assert clean == {"git.commit": _git(tmp_path, "rev-parse", "HEAD"), "git.dirty": "no"}
    (package / "__init__.py").write_text("x = 2\n")
    assert provenance._checkout(package) == {**clean, "git.dirty": "yes"}


def test_a_new_file_in_the_package_counts_as_a_change(tmp_path):
    package = _repository(tmp_path)
    (tmp_path / "notes.txt").write_text("beside the package\n")
    assert provenance._checkout(package)["git.dirty"] == "no"
    (package / "new.py").write_text("y = 1\n")
    assert provenance._checkout(package)["git.dirty"] == "yes"


def test_somebody_else_s_repository_is_not_the_package_s(tmp_path):
    _repository(tmp_path)
    installed = tmp_path / "env" / "package"
    installed.mkdir(parents=True)
    (installed / "__init__.py").write_text("")
    assert provenance._checkout(installed) == {"git.commit": "none", "git.dirty": "none"}


def test_checksums_are_those_of_the_bytes(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"\x00bytes" * 100_000)
    expected = hashlib.sha256(path.read_bytes()).hexdigest()
    assert provenance.checksums({"name": path}) == {"name": expected}


def _repository(folder):
    package = folder / "package"
    package.mkdir()
    (package / "__init__.py").write_text("x = 1\n")
    _git(folder, "init", "-q")
    _git(folder, "add", "package")
    _git(folder, "commit", "-q", "-m", "first")
    return package


def _git(folder, *words):
    person = ["-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false"]
    call = ["git", "-C", str(folder), *person, *words]
    return subprocess.run(call, capture_output=True, text=True, check=True).stdout.strip()
