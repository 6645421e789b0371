"""Which code, on which machine, with which libraries, and which bytes."""

from __future__ import annotations

import hashlib
import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import oodexp
from oodexp.tracker.address import blot

PACKAGES = (
    "torch",
    "torchvision",
    "pytorch-lightning",
    "transformers",
    "open_clip_torch",
    "timm",
    "torchmetrics",
    "hydra-core",
    "mlflow",
    "numpy",
    "pandas",
    "pyarrow",
    "scipy",
    "scikit-learn",
    "pillow",
)
"""Distributions whose version can change a number."""


def provenance() -> dict[str, str]:
    """Names and values of what a result may depend on besides its configuration.

    Returns:
        `command` as it was typed, `git.commit` and `git.dirty` (`yes`, `no`) of the package's
        checkout, or `none`; `python`, `platform`, `cpus` (those this process may use), and
        `version.<distribution>`.
    """
    return {
        "command": blot(shlex.join(["python", *sys.orig_argv[1:]])),
        **_checkout(Path(oodexp.__file__).parent),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cpus": str(_cpus()),
        "version.oodexp": oodexp.__version__,
        **{f"version.{name}": _version(name) for name in PACKAGES},
    }


def belongs(name: str) -> bool:
    """Whether a label is one of `provenance`, of whichever version."""
    return name in ("command", "python", "platform", "cpus") or name.startswith(
        ("git.", "version.")
    )


def sha256(path: Path) -> str:
    """Hex digest of a file's bytes."""
    with path.open("rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()


def checksums(files: Mapping[str, Path]) -> dict[str, str]:
    """SHA-256 of several files, by the same names."""
    return {name: sha256(path) for name, path in files.items()}


def _checkout(package: Path) -> dict[str, str]:
    # A package installed into an environment may lie inside somebody else's repository.
    own = _git(package, "ls-files", "--error-unmatch", "__init__.py")
    commit = _git(package, "rev-parse", "HEAD") if own is not None else None
    changes = _git(package, "status", "--porcelain", "--", ".") if commit is not None else None
    if commit is None or changes is None:
        return {"git.commit": "none", "git.dirty": "none"}
    return {"git.commit": commit, "git.dirty": "yes" if changes else "no"}


def _git(folder: Path, *words: str) -> str | None:
    call = ["git", "-C", str(folder), *words]
    try:
        done = subprocess.run(call, capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def _cpus() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "not installed"
