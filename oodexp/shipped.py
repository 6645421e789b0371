"""The files that ship with the package are those that were tested: their digests are pinned."""

from __future__ import annotations

import hashlib
from pathlib import Path

from oodexp.error import OodexpError

HOME = Path(__file__).resolve().parent / "miniature"
"""Holds the pinned folders."""

FOLDERS = ("data", "models")
"""Whose files are pinned."""

PINS = "SHA256SUMS"
"""The file of digests in `HOME`, as `sha256sum` writes and checks it."""


def pins(home: Path = HOME) -> dict[str, str]:
    """The pinned SHA-256 of each file, by its path below `home`."""
    lines = (home / PINS).read_text("utf-8").splitlines()
    return {path: digest for digest, path in (line.split("  ", 1) for line in lines)}


def pin(home: Path) -> None:
    """Pins what is there: for whoever made the files anew."""
    found = _digests(home, [file for name in FOLDERS for file in _files(home / name)])
    lines = "".join(f"{digest}  {path}\n" for path, digest in found.items())
    (home / PINS).write_text(lines, "utf-8")


def check_shipped(folder: Path, home: Path = HOME) -> None:
    """Compares a folder below `home` with its pins; nothing is done with another folder.

    Raises:
        OodexpError: Names a file that differs, is missing, or should not be there.
    """
    place = folder.resolve()
    if not place.is_relative_to(home):
        return
    below = place.relative_to(home).as_posix()
    wanted = {path: digest for path, digest in pins(home).items() if path.startswith(f"{below}/")}
    found = _digests(home, _files(place))
    wrong = [path for path in {**wanted, **found} if wanted.get(path) != found.get(path)]
    if wrong:
        raise OodexpError(
            f"{home}: {wrong[0]} is not the file that ships with this version of oodexp "
            f"({PINS}); install the package again, or give a folder of your own"
        )


def _files(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*") if file.is_file())


def _digests(home: Path, files: list[Path]) -> dict[str, str]:
    return {
        file.relative_to(home).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in files
    }
