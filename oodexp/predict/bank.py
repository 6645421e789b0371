"""The category texts of a scorer, from the store where they are."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from oodexp.predict.store import digest
from oodexp.scorer.base import TextBank

if TYPE_CHECKING:
    from oodexp.scorer.base import Scorer


def bank_of(
    scorer: Scorer, folder: Path, categories: list[str], load: Callable[[Scorer], Scorer]
) -> TextBank:
    """The text bank of the categories; the scorer is loaded only if they are new.

    Args:
        scorer: The scorer.
        folder: Its shelf.
        categories: Category texts, in order.
        load: Gives the scorer loaded in this process.
    """
    path = folder / f"texts-{digest(categories)[:24]}.npz"
    bank = _read(path)
    if bank is None:
        bank = load(scorer).encode_texts(categories)
        folder.mkdir(parents=True, exist_ok=True)
        scratch = folder / f".{path.name}.{os.getpid()}.tmp"
        with scratch.open("wb") as sink:
            np.savez(sink, embeddings=bank.embeddings, scale=bank.scale, bias=bank.bias)
        scratch.replace(path)
    return bank


def _read(path: Path) -> TextBank | None:
    """The kept bank; None where there is none, or a torn one that is then written anew."""
    try:
        with path.open("rb") as file, np.load(file) as kept:
            return TextBank(kept["embeddings"], float(kept["scale"]), float(kept["bias"]))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
