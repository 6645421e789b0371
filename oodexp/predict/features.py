"""A feature extractor over the images of a source: a vector an image, computed once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from oodexp.feature.base import Extractor
from oodexp.predict.loop import Loop
from oodexp.predict.shot import Shots, by_content
from oodexp.predict.store import UNREADABLE, Shelf, Store
from oodexp.predict.vector import shape_of, vectors_of, with_vector

NO_CONTENT = f"{UNREADABLE}its bytes are not known; see `problems`"
"""Reason of an image whose file could not be read when it was hashed."""

NOT_FINITE = "the model's vector is not finite"
"""Reason of an image whose vector holds a NaN or an infinity."""


class Features(NamedTuple):
    """The images of a source as an extractor sees them."""

    vectors: np.ndarray
    """float32, (image, dimension), in the order of the images; a row of NaN where there is none.
    Of dimension 0 where no image has a vector."""
    reasons: dict[str, str]
    """Why an image has no vector, by image id."""
    computed_images: int
    """Number of images that the model was run on; 0 when all came from the store."""
    fingerprint: dict[str, Any]
    """What the vectors rest on."""


def features(
    images: pd.DataFrame, read: Callable[[str], bytes], extractor: Extractor, store: Store,
    loop: Loop,
) -> Features:  # fmt: skip
    """Vectors of every readable image, from the store where they are.

    Args:
        images: `record.Image` rows of one source, with content hashes.
        read: Gives an image's bytes by its id.
        extractor: The model; not loaded where the store has all vectors.
        store: Keeps the vectors.
        loop: How to run.

    Raises:
        OodexpError: If the extractor gives vectors of another shape than (image, dimension).
    """
    said = extractor.fingerprint()
    shelf = store.shelf("features", said)
    mine = by_content(images)
    # Both from one process: a file that another one cannot read is its failure, not another list.
    ordered, missing = loop.agreed(lambda: (mine, shelf.missing(mine, retry=True)))
    name = type(extractor).__name__
    if missing:
        _predict({key: ordered[key] for key in missing}, read, {name: extractor}, shelf, loop)
    known = images["sha256"].notna().to_numpy()
    rows = shelf.read(images.loc[known, "sha256"].tolist(), loop.patience)
    vectors, reasons = aligned(images["image_id"], known, rows, f"feature {name}")
    seen = rows["key"].take(pa.array(with_vector(rows))).to_pylist() if missing else []
    return Features(vectors, reasons, len({*missing} & {*seen}), said)


def _predict(
    images: dict[str, str], read: Callable[[str], bytes], models: dict[str, Extractor],
    shelf: Shelf, loop: Loop,
) -> None:  # fmt: skip
    from oodexp.predict.module import FeatureModule

    (name,) = models
    loaded = loop.prepare(models.values())
    shots = Shots(images, read, models)
    module = FeatureModule(models, loaded)
    loop.run(f"features of images ({name})", module, shots, loop.scoring_batch, {name: shelf})


def aligned(
    image_ids: pd.Series, known: np.ndarray, rows: pa.Table, model: str
) -> tuple[np.ndarray, dict[str, str]]:
    """Vectors in the order of the images, and why some have none.

    Args:
        image_ids: Ids of all images, (image,).
        known: Which images have a row, bool, (image,).
        rows: Stored rows of those images, in their order.
        model: Whose they are, for messages.
    """
    reasons = dict.fromkeys(image_ids[~known], NO_CONTENT)
    if not rows.num_rows:
        return np.full((len(image_ids), 0), np.nan, dtype=np.float32), reasons
    ids = image_ids[known].to_numpy()
    why = pd.Series(rows["reason"].to_pandas().to_numpy(), index=ids).dropna()
    shape, good = shape_of(rows, model), with_vector(rows)
    place = np.flatnonzero(known)[good]
    vectors = np.full((len(image_ids), *(shape or [0])), np.nan, dtype=np.float32)
    if len(good):
        vectors[place] = vectors_of(rows, good, shape)
    broken = place[~np.isfinite(vectors[place]).all(axis=1)]
    vectors[broken] = np.nan
    reasons |= why.to_dict() | dict.fromkeys(image_ids.to_numpy()[broken], NOT_FINITE)
    return vectors, reasons
