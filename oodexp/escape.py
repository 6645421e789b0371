"""Paths that others wrote down, kept in the folder that they should start from."""

from __future__ import annotations

from pathlib import Path, PurePosixPath


def escape(file: str, root: Path, home: Path) -> str | None:
    """Why a path may not be opened; None if it stays in the folder.

    Args:
        file: The path, as annotated.
        root: The folder that it starts from.
        home: The folder, resolved.
    """
    if "\\" in file or "\0" in file:
        return "path with a backslash or a null character"
    if PurePosixPath(file).is_absolute():
        return "absolute path"
    try:
        inside = (root / file).resolve().is_relative_to(home)
    except (OSError, RuntimeError) as error:  # a link that leads to itself
        return f"path cannot be followed: {error}"
    return None if inside else "path leads out of the image folder"
