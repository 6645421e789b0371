"""Files of a data set that somebody else made: opened only where they may lie, and only if whole.

An annotation file may come from anyone. A path that leads out of its folder (`..`, absolute, a
link, a backslash) would let it make this program open, and send to a model, any file of the
machine; a pipe would make it wait for ever.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path, PurePosixPath
from typing import Literal

from oodexp.error import OodexpError

Links = Literal["inside", "anywhere"]
"""Where symbolic links below an image folder may lead. The folder itself may always be one."""

MOST_BYTES = 1 << 30
"""A larger file is no image: the largest that is decoded has 100 million pixels."""

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


def check_links(links: str) -> Links:
    """The setting.

    Raises:
        OodexpError: If it is neither.
    """
    if links not in ("inside", "anywhere"):
        raise OodexpError(f"source links={links}: expected inside or anywhere")
    return "inside" if links == "inside" else "anywhere"


def read_file(path: Path, most: int = MOST_BYTES) -> bytes:
    """The bytes of a regular file; never waits for a pipe or device.

    Args:
        path: The file.
        most: Bytes above which it is not read.

    Raises:
        OSError: If it cannot be read, is no regular file, or is larger.
    """
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:  # noqa: PTH123
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "no regular file but a pipe, socket or device", str(path))
        if found.st_size > most:
            raise OSError(errno.EFBIG, f"{found.st_size} bytes, more than {most}", str(path))
        return file.read()
