"""The category texts of a scorer, from the store where they are."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from oodexp.predict.store import Shelf, Store, digest
from oodexp.scorer.base import TextBank, Worded
from oodexp.scratch import replacing

if TYPE_CHECKING:
    from oodexp.scorer.base import Scorer


def vector_shelf(store: Store, scorer: Scorer, fingerprint: Mapping[str, Any]) -> Shelf:
    """The shelf of a scorer's image vectors: one for all of its templates.

    Args:
        store: Where it is.
        scorer: The scorer.
        fingerprint: Its fingerprint.
    """
    wording = scorer.WORDING if isinstance(scorer, Worded) else ()
    return store.shelf("vectors", {k: v for k, v in fingerprint.items() if k not in wording})


def bank_of(
    scorer: Scorer, fingerprint: Mapping[str, Any], folder: Path, categories: list[str],
    load: Callable[[Scorer], Scorer],
) -> TextBank:  # fmt: skip
    """The text bank of the categories; the scorer is loaded only if they are new.

    Args:
        scorer: The scorer.
        fingerprint: Its fingerprint.
        folder: Its shelf.
        categories: Category texts, in order.
        load: Gives the scorer loaded in this process.
    """
    path = folder / f"texts-{digest([dict(fingerprint), categories])[:24]}.npz"
    bank = _read(path)
    if bank is None:
        bank = load(scorer).encode_texts(categories)
        with replacing(path) as scratch, scratch.open("wb") as sink:
            np.savez(sink, embeddings=bank.embeddings, scale=bank.scale, bias=bank.bias)
    return bank


def _read(path: Path) -> TextBank | None:
    """The kept bank; None where there is none, or a torn one that is then written anew."""
    try:
        with path.open("rb") as file, np.load(file) as kept:
            return TextBank(kept["embeddings"], float(kept["scale"]), float(kept["bias"]))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
