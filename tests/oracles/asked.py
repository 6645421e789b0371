"""Asks a library that lives in an environment of its own, or in this one where it is installed."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from typing import Any

import pytest

VARIABLE = "OODEXP_ORACLES"
"""Environment variable: the Python interpreters of such environments, as PATH separates folders.
`make oracles` makes them."""


def ask(package: str, script: str, *arguments: str) -> Any:
    """What a script prints last, as JSON; the test is skipped when no interpreter has the package.

    Args:
        package: Name that the script imports.
        script: Python source; the arguments are its `sys.argv[1:]`.
        arguments: Passed on.
    """
    done = subprocess.run(
        [_interpreter(package), "-W", "ignore", "-c", script, *arguments],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def _interpreter(package: str) -> str:
    if importlib.util.find_spec(package):
        return sys.executable
    look = f"import importlib.util as u, sys; sys.exit(u.find_spec({package!r}) is None)"
    for python in filter(None, os.environ.get(VARIABLE, "").split(os.pathsep)):
        if subprocess.run([python, "-c", look], check=False).returncode == 0:
            return python
    pytest.skip(f"no interpreter with {package}; name one in {VARIABLE}")
