"""How this process uses its machine: waiting threads sleep, freed memory is kept, texts get out."""

from __future__ import annotations

import ctypes
import io
import os
import sys

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
"""Options of glibc's `mallopt`."""

KEPT = (1 << 31) - 1
"""Bytes of freed memory that stay with the process."""


def settle() -> None:
    """Sets them, unless the environment says otherwise; call it before torch is imported.

    Threads of OpenMP that spin while they wait cost ten times the time as soon as anything else
    runs on the machine. And glibc gives each large array back to the system when it is freed: the
    pages of a convolution's output are then cleared anew at every layer, which took three quarters
    of the time of an ImageNet classifier on a CPU.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a name that the terminal's encoding has not
            stream.reconfigure(errors="backslashreplace")
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    if sys.platform != "linux" or "MALLOC_MMAP_THRESHOLD_" in os.environ:
        return
    try:
        mallopt = ctypes.CDLL("libc.so.6").mallopt
    except (OSError, AttributeError):  # another C library, which has its own ways
        return
    mallopt(M_MMAP_THRESHOLD, 1 << 30)
    mallopt(M_TRIM_THRESHOLD, KEPT)


def give_back() -> None:
    """Gives freed memory back to the system, which `settle` keeps; at the end of a stage."""
    import pyarrow as pa

    pa.default_memory_pool().release_unused()
    try:
        ctypes.CDLL("libc.so.6").malloc_trim(0)
    except (OSError, AttributeError):  # another C library
        return
