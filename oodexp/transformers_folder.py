"""What the folder of a transformers model holds: its network, whole or refused, and its parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from oodexp.error import OodexpError
from oodexp.weights import fit_loading_bar


def image_processor(folder: Path) -> Any:
    """The model's own transform.

    Raises:
        OodexpError: If the folder holds none.
    """
    import transformers

    library: Any = transformers  # its factory methods have no types
    return read_part(library.AutoImageProcessor, folder)


def read_part(kind: Any, folder: Path) -> Any:
    """A part of a model by the factory of transformers that reads it; runs no code of the folder.

    Args:
        kind: A class with `from_pretrained`.
        folder: The model's folder.

    Raises:
        OodexpError: If it cannot be read.
    """
    try:
        return kind.from_pretrained(folder, trust_remote_code=False)
    except (OSError, ValueError, ImportError) as error:
        raise OodexpError(
            f"{folder}: {kind.__name__} could not be read ({str(error).strip().splitlines()[0]}); "
            "the folder must hold the model's own image processor and tokenizer, and a tokenizer "
            "of the kind spiece.model needs `pip install sentencepiece protobuf`"
        ) from error


def whole_net(
    kind: Any, folder: Path, config: Any = None, unused: Callable[[str], bool] = lambda _: False
) -> Any:
    """A network in float32, none of whose weights that are used is random.

    Args:
        kind: Its class in transformers.
        folder: The model's folder.
        config: Its configuration, None for the folder's.
        unused: Whether what is made of the network does not depend on a weight of that name.

    Raises:
        OodexpError: If a weight is not in the files, or has another shape there.
    """
    import torch

    fit_loading_bar(folder)
    with _no_report():
        net, seen = kind.from_pretrained(
            folder, config=config, dtype=torch.float32, output_loading_info=True,
            ignore_mismatched_sizes=True, trust_remote_code=False,
        )  # fmt: skip
    lost = {*seen["missing_keys"], *(row[0] for row in seen["mismatched_keys"])}
    lost = {name for name in lost if not unused(name)}
    if lost:
        raise OodexpError(
            f"{folder}: {sorted(lost)[:5]} of {kind.__name__} are not in its weights, or of "
            "another shape there, and would be random; use a checkpoint of the whole model"
        )
    return net


@contextmanager
def _no_report() -> Iterator[None]:
    """Within it, transformers is silent on weights that differ: what matters is raised."""
    from transformers.utils import logging

    said: Any = logging  # its functions have no types
    before = said.get_verbosity()
    said.set_verbosity_error()
    try:
        yield
    finally:
        said.set_verbosity(before)
