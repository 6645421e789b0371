"""Paths that others wrote down, kept in the folder that they should start from."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Literal

Links = Literal["inside", "anywhere"]
"""Where symbolic links below an image folder may lead. The folder itself may always be one."""

_OUT = "path leads out of the image folder"


def escape(file: str, root: Path, home: Path, links: Links | None = None) -> str | None:
    """Why a path may not be opened; None if it stays in the folder.

    Args:
        file: The path, as annotated.
        root: The folder that it starts from.
        home: The folder, resolved.
        links: The setting of whoever has one: with `anywhere`, a link may lead out of the folder;
            the path itself never may.
    """
    if "\\" in file or "\0" in file:
        return "path with a backslash or a null character"
    path = PurePosixPath(file)
    if path.is_absolute():
        return "absolute path"
    try:
        inside = (root / file).resolve().is_relative_to(home)
    except (OSError, RuntimeError, ValueError) as error:  # a loop of links, half of a character
        return f"path cannot be followed: {error}"
    if inside or (links == "anywhere" and ".." not in path.parts):
        return None
    if links is None or ".." in path.parts:
        return _OUT
    return f"{_OUT} by a link; links=anywhere of the source allows that"
