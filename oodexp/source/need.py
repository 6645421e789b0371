"""What a source needs on disk, from where, and whether it is there."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple, Protocol


class Need(NamedTuple):
    """One download of a data set."""

    what: str
    """What it is, with its size."""
    page: str
    """The official page, and what to choose on it."""
    path: str
    """Where it has to lie once unpacked."""
    files: int | None = None
    """Number of files in a folder; None for a single file."""
    md5: str | None = None
    """Published checksum of the single file, if there is one."""
    login: bool = False
    """Whether the page wants an account."""


class Planned(Protocol):
    """A source class that can say what it needs before it can be made."""

    @staticmethod
    def needs(**arguments: str) -> list[Need]:
        """The downloads, given the constructor's arguments."""


def found(need: Need) -> str:
    """What is there: `ok`, `missing`, or what is wrong, in a few words."""
    path = Path(need.path).expanduser()
    if need.files is None:
        if not path.is_file():
            return "missing"
        if (
            need.md5
            and hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest() != need.md5
        ):
            return "there, but its checksum is not the published one: incomplete or changed"
        return "ok"
    if not path.is_dir():
        return "missing"
    count = sum(1 for p in path.rglob("*") if p.is_file() and not p.name.startswith("."))
    if count < need.files:
        return f"incomplete: {count:,} of {need.files:,} files"
    return "ok" if count == need.files else f"ok, and {count - need.files:,} files more"


def _md5(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "md5").hexdigest()
