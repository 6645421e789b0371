"""What an earlier process of the same run left of an export: it goes on from there, or anew."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable
from pathlib import Path

from oodexp.export.index import NAME


def sums_beside(folder: Path) -> Path:
    """The file beside an export that says that it is whole, as `sha256sum -c` reads it."""
    return folder.with_name(f"{folder.name}.sha256")


def sums(folder: Path, files: Iterable[Path]) -> str:
    """SHA-256 and path below the folder, a line a file."""
    lines = []
    for path in files:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        lines.append(f"{digest}  {path.relative_to(folder).as_posix()}\n")
    return "".join(lines)


def finished(folder: Path) -> str | None:
    """The sums of an export that is whole and unchanged; None where it is to be written."""
    beside = sums_beside(folder)
    text = beside.read_text("utf-8") if beside.is_file() else ""
    files = [folder / line.partition("  ")[2] for line in text.splitlines()]
    if not files or not all(path.is_file() for path in files):
        return None
    return text if sums(folder, files) == text else None


def clear(folder: Path) -> None:
    """Makes room for an export: half of one is removed, what may be a whole one is put aside.

    Args:
        folder: Of this run and format, so that nothing else was to be written there.
    """
    if (folder / NAME).is_file():
        number = 1
        while (aside := folder.with_name(f"{folder.name}.{number}")).exists():
            number += 1
        folder.rename(aside)
    elif folder.is_dir():
        shutil.rmtree(folder)
