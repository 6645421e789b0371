"""Weights of somebody else are tensors and nothing besides: no program in them is run.

A pickle can run any program when it is opened; so can the methods of a TorchScript archive. Files
in the format of safetensors cannot, and are taken wherever a folder has both. A pickled checkpoint
is looked through before anything is loaded, and is later read by torch's reader of tensors only.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

from oodexp.error import OodexpError

PICKLED = (".bin", ".pth", ".pt", ".ckpt")
"""Endings of files that torch reads as pickles."""

_SCRIPT = """\
a TorchScript archive, which is a program; if you trust where it comes from, write its tensors: \
python -c 'import sys, torch; from safetensors.torch import save_file; \
s = torch.jit.load(sys.argv[1], "cpu").state_dict(); \
[s.pop(k, None) for k in ("input_resolution", "context_length", "vocab_size")]; \
save_file({k: v.contiguous() for k, v in s.items()}, sys.argv[2])' IN.pt OUT.safetensors, \
and say activation=quick_gelu for a model of OpenAI"""


def refuse_programs(files: Iterable[Path]) -> None:
    """Looks through pickled weights without loading them.

    Raises:
        OodexpError: If a file holds more than tensors, and what.
    """
    for file in files:
        stat = file.stat()
        wrong = _wrong(file, stat.st_size, stat.st_mtime_ns)
        if wrong is not None:
            raise OodexpError(f"{file}: {wrong}")


@lru_cache(maxsize=256)
def _wrong(file: Path, size: int, changed: int) -> str | None:
    if file.suffix == ".npz":
        return _of_arrays(file)
    if file.suffix not in PICKLED:
        return None
    if is_torchscript(file):
        return _SCRIPT
    import torch

    try:
        found: list[str] = torch.serialization.get_unsafe_globals_in_checkpoint(file)
    except Exception:  # not a ZIP archive: the older form, or no checkpoint at all
        return _of_older_form(file)
    if found:
        return (
            f"a pickle that would call {', '.join(sorted(found)[:5])} when it is opened, and not "
            "tensors alone; use a copy in the format of safetensors"
        )
    return None


def is_torchscript(checkpoint: Path) -> bool:
    """Whether the file is a TorchScript archive, the form of OpenAI's own downloads."""
    if not zipfile.is_zipfile(checkpoint):
        return False
    with zipfile.ZipFile(checkpoint) as archive:
        return any(name.endswith("constants.pkl") for name in archive.namelist())


def _of_older_form(file: Path) -> str | None:
    import torch

    try:
        torch.load(file, map_location="meta", weights_only=True)
    except Exception as error:  # torch's reader of tensors refuses, or finds something else
        told = str(error).strip().splitlines() or [type(error).__name__]
        return f"no checkpoint of tensors alone ({told[0][:200]}); use the format of safetensors"
    return None


def _of_arrays(file: Path) -> str | None:
    import numpy as np

    try:
        with zipfile.ZipFile(file) as archive:
            for name in archive.namelist():
                with archive.open(name) as array:
                    if _kind(array).hasobject:
                        return f"{name} is a pickled object and no array of numbers"
    except (zipfile.BadZipFile, ValueError, OSError, np.exceptions.AxisError) as error:
        return f"not a file of NumPy arrays ({error})"
    return None


def _kind(array: IO[bytes]) -> Any:
    from numpy.lib import format as form

    version = form.read_magic(array)
    read = form.read_array_header_1_0 if version == (1, 0) else form.read_array_header_2_0
    return read(array)[2]
