"""The category texts of a scorer, from the store where they are."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from oodexp.predict.store import digest
from oodexp.scorer.base import TextBank

if TYPE_CHECKING:
    from oodexp.scorer.base import Scorer


def bank_of(
    scorer: Scorer, folder: Path, categories: list[str], load: Callable[[Scorer], None]
) -> TextBank:
    """The text bank of the categories; the scorer is loaded only if they are new.

    Args:
        scorer: The scorer.
        folder: Its shelf.
        categories: Category texts, in order.
        load: Loads the scorer onto its device.
    """
    path = folder / f"texts-{digest(categories)[:24]}.npz"
    if not path.exists():
        load(scorer)
        bank = scorer.encode_texts(categories)
        folder.mkdir(parents=True, exist_ok=True)
        scratch = folder / f".{path.name}.{os.getpid()}.tmp"
        with scratch.open("wb") as sink:
            np.savez(sink, embeddings=bank.embeddings, scale=bank.scale, bias=bank.bias)
        scratch.replace(path)
    with np.load(path) as kept:
        return TextBank(kept["embeddings"], float(kept["scale"]), float(kept["bias"]))
