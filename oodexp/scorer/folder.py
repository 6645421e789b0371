"""Image processor and tokenizer from the folder of a transformers model: its own, or none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from oodexp.error import OodexpError

_VOCABULARIES = (
    "tokenizer.json", "tokenizer.model", "vocab.json", "vocab.txt", "spiece.model",
    "sentencepiece.bpe.model",
)  # fmt: skip


def image_processor(folder: Path) -> Any:
    """The model's own transform.

    Raises:
        OodexpError: If the folder holds none.
    """
    import transformers

    library: Any = transformers  # its factory methods have no types
    return _read(library.AutoImageProcessor, folder)


def tokenizer(folder: Path) -> Any:
    """The model's own tokenizer.

    Raises:
        OodexpError: If the folder holds none, or one that needs a package that is not installed.
    """
    import transformers

    library: Any = transformers
    if not any((folder / name).is_file() for name in _VOCABULARIES):
        # transformers would make a tokenizer without words.
        raise OodexpError(
            f"{folder}: no vocabulary (one of {', '.join(_VOCABULARIES)}); complete the folder"
        )
    return _read(library.AutoTokenizer, folder)


def _read(kind: Any, folder: Path) -> Any:
    try:
        return kind.from_pretrained(folder)
    except (OSError, ValueError, ImportError) as error:
        raise OodexpError(
            f"{folder}: {kind.__name__} could not be read ({str(error).strip().splitlines()[0]}); "
            "the folder must hold the model's own image processor and tokenizer, and a tokenizer "
            "of the kind spiece.model needs `pip install sentencepiece protobuf`"
        ) from error
