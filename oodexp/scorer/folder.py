"""Image processor and tokenizer from the folder of a transformers model: its own, or none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from oodexp.error import OodexpError
from oodexp.transformers_folder import image_processor, read_part

__all__ = ["image_processor", "tokenizer"]

_VOCABULARIES = (
    "tokenizer.json", "tokenizer.model", "vocab.json", "vocab.txt", "spiece.model",
    "sentencepiece.bpe.model",
)  # fmt: skip


def tokenizer(folder: Path) -> Any:
    """The model's own tokenizer.

    Raises:
        OodexpError: If the folder holds none, or one that needs a package that is not installed.
    """
    import transformers

    library: Any = transformers  # its factory methods have no types
    if not any((folder / name).is_file() for name in _VOCABULARIES):
        # transformers would make a tokenizer without words.
        raise OodexpError(
            f"{folder}: no vocabulary (one of {', '.join(_VOCABULARIES)}); complete the folder"
        )
    return read_part(library.AutoTokenizer, folder)
