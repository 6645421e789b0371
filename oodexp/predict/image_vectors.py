"""A scorer's own image vectors as an array, once it has scored the images."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from oodexp.error import OodexpError
from oodexp.predict.bank import bank_of, vector_shelf
from oodexp.predict.features import aligned
from oodexp.scorer.base import Pairwise

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from oodexp.predict.loop import Loop
    from oodexp.predict.store import Store
    from oodexp.scorer.base import Scorer


def image_vectors(
    images: pd.DataFrame, name: str, scorer: Scorer | Pairwise, store: Store, loop: Loop
) -> np.ndarray:
    """Unit vectors of scored images, float32, (image, dimension); NaN rows where there is none.

    Args:
        images: `record.Image` rows that the scorer has scored.
        name: Of the scorer.
        scorer: A scorer with one vector an image.
        store: Where its vectors are.
        loop: How long to wait for files that another machine wrote.

    Raises:
        OodexpError: If the scorer has no vector of an image, or several.
    """
    if isinstance(scorer, Pairwise):
        raise OodexpError(
            f"scorer {name}: it looks at image and text together and has no image vectors; choose "
            "a scorer of image and text vectors"
        )
    known = images["sha256"].notna().to_numpy()
    shelf = vector_shelf(store, scorer, scorer.fingerprint())
    rows = shelf.read(images.loc[known, "sha256"].tolist(), loop.patience)
    vectors, _ = aligned(images["image_id"], known, rows, f"scorer {name}")
    if vectors.ndim != 2:
        raise OodexpError(
            f"scorer {name}: {vectors.shape[1]} vectors an image; choose one with a single vector"
        )
    return vectors


def text_vectors(
    name: str, scorer: Scorer | Pairwise, texts: Sequence[str], store: Store, loop: Loop
) -> np.ndarray:
    """Unit vectors of texts through the scorer's templates, float32, (text, dimension).

    Args:
        name: Of the scorer.
        scorer: The scorer; loaded only for texts it has not seen.
        texts: Category texts or phrases.
        store: Keeps them.
        loop: How to load the scorer.

    Raises:
        OodexpError: If the scorer has no text vectors, or two texts are one to it.
    """
    if isinstance(scorer, Pairwise):
        raise OodexpError(f"scorer {name}: it has no text vectors; choose another")
    said = scorer.fingerprint()
    folder = vector_shelf(store, scorer, said).folder
    return bank_of(scorer, said, folder, list(texts), loop.load).embeddings
