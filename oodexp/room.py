"""Whether this machine has room for an array, asked before it is made."""

from __future__ import annotations

import os

from oodexp.error import OodexpError


def refuse_larger(size: int, what: str, remedy: str, most: int | None = None) -> None:
    """Refuses an array that would not fit: a process that fills the memory is ended without a word.

    Args:
        size: Bytes of the array.
        what: What it holds, with its shape, for the message.
        remedy: What to do instead, for the message.
        most: Most bytes; by default a quarter of this machine's memory.

    Raises:
        OodexpError: If it is larger.
    """
    if most is None:
        most = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 4
    if size > most:
        raise OodexpError(
            f"{what}: they take more than the {most:,} bytes that this machine has for them; "
            f"{remedy}"
        )
