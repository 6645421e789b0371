"""Names that every tracker and file system takes, no two alike unless they were so before."""

from __future__ import annotations

import hashlib
import posixpath
import re

from oodexp.error import OodexpError

FILE_LIMIT = 200
"""Bytes of a file name: file systems allow 255, and endings and temporary marks come on top."""

_BAD = re.compile(r"[^\w.\- /:]")
_MARK = re.compile(r"\.x[0-9a-f]{12}\Z")
_MARK_BYTES = 14


def clean(name: str, limit: int, slash: bool = True) -> str:
    """The name itself where it may be used as it is, else a legible stand-in with a mark.

    The mark, `.x` and 12 digits of the name's SHA-256, keeps two names apart that look alike once
    cleaned; a name that already ends like a mark gets one too, so nothing can pose as a stand-in.

    Args:
        name: Any text that is not blank.
        limit: Bytes (UTF-8) that the result may have; at least 32.
        slash: Whether a slash may stay, as a divider of folders.

    Raises:
        OodexpError: If the name is blank.
    """
    if not name.strip():
        raise OodexpError(f"the name {name!r} is blank: a metric, parameter or file needs a name")
    if _usable(name, limit, slash):
        return name
    raw = name.encode("utf-8", "surrogatepass")
    text = _legible(name if slash else name.replace("/", "_"))
    kept = text.encode()[: limit - _MARK_BYTES].decode(errors="ignore")
    return f"{kept}.x{hashlib.sha256(raw).hexdigest()[:12]}"


def _usable(name: str, limit: int, slash: bool) -> bool:
    if _BAD.search(name) or _MARK.search(name) or (not slash and "/" in name):
        return False
    # A name may become a path: it must not be another path in disguise, nor lead outside.
    if posixpath.normpath(name) != name or name.startswith(("..", "/")) or name == ".":
        return False
    return len(name.encode()) <= limit


def _legible(name: str) -> str:
    parts = [part if part.strip(".") else "_" for part in _BAD.sub("_", name).split("/")]
    text = "/".join(parts)
    return f"_{text}" if text.startswith("..") else text
