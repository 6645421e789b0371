"""What scoring will still take: worked out from the images that a scorer has been run on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa

from oodexp.predict.bank import vector_shelf
from oodexp.predict.scoring import score
from oodexp.predict.shot import by_content
from oodexp.predict.vector import spent, with_vector
from oodexp.scorer.base import Pairwise

if TYPE_CHECKING:
    import pandas as pd

    from oodexp.predict.loop import Loop
    from oodexp.predict.store import Store
    from oodexp.scorer.base import Scorer

SAMPLE = 16
"""Images that a scorer is run on to be timed, where the store knows nothing of it; kept."""
FLOAT = 4
"""Bytes of a number in the store, before compression."""


class Outlook(NamedTuple):
    """What one scorer still has to do on one source."""

    scorer: str
    """Name of the scorer."""
    source: str
    """Name of the data set."""
    images: int
    """Different images."""
    stored: int
    """How many of them are in the store."""
    seconds: float
    """The model's time on the others, decoding not counted; NaN where it has not been timed."""
    size: float
    """Bytes that their vectors will take; NaN where no vector has been seen."""
    timed: int
    """Images that seconds and size rest on."""


def outlook(
    name: str, scorer: Scorer | Pairwise, source: str, images: pd.DataFrame,
    categories: Sequence[str], read: Callable[[str], bytes], store: Store, loop: Loop,
) -> Outlook:  # fmt: skip
    """What a scorer still has to do; a scorer that the store knows nothing of runs on a sample.

    Args:
        name: Of the scorer.
        scorer: The scorer.
        source: Name of the data set.
        images: `record.Image` rows, with content hashes.
        categories: Category texts, in order.
        read: Gives an image's bytes by its id.
        store: Keeps the vectors, those of the sample too.
        loop: How to run.
    """
    asked = scorer.over(list(categories)) if isinstance(scorer, Pairwise) else scorer
    shelf = vector_shelf(store, asked, asked.fingerprint())
    keys = list(by_content(images))
    missing = shelf.missing(keys, retry=True)
    rows = _stored(keys, missing, shelf.read)
    if missing and not len(with_vector(rows)):
        sample = images[images["sha256"].isin(missing[:SAMPLE])]
        score(sample, categories, read, {name: scorer}, store, loop)
        missing = shelf.missing(keys, retry=True)
        rows = _stored(keys, missing, shelf.read)
    timed = len(with_vector(rows))
    each, size = float("nan"), float("nan")
    if timed:
        each = spent(rows) / timed
        size = FLOAT * len(rows["vector"].drop_null().combine_chunks().flatten()) / timed
    left = len(missing)
    return Outlook(name, source, len(keys), len(keys) - left, each * left, size * left, timed)


def _stored(
    keys: Sequence[str], missing: Sequence[str], read: Callable[[Sequence[str]], pa.Table]
) -> pa.Table:
    """Rows of the keys that are there."""
    lost = set(missing)
    rows = read([key for key in keys if key not in lost])
    if "vector" in rows.column_names:
        return rows
    empty = {"vector": pa.list_(pa.float32()), "seconds": pa.float64()}
    return pa.schema(list(empty.items())).empty_table()
