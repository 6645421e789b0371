"""Scorers over the images of a source: the whole matrix of logits, each image decoded once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from oodexp.error import OodexpError
from oodexp.predict.bank import bank_of, vector_shelf
from oodexp.predict.loop import Loop
from oodexp.predict.shot import Shots, by_content
from oodexp.predict.store import Shelf, Store
from oodexp.predict.vector import shape_of, spent, vectors_of, with_vector
from oodexp.scorer.base import Pairwise, Scorer

BLOCK = 1024
"""Rows whose logits are computed at once: fixed, so that a logit does not depend on the others."""

PART = 8 * BLOCK
"""Rows whose vectors are read at once."""


@dataclass(frozen=True, slots=True)
class Scored:
    """What scoring a source gave."""

    logits: dict[str, np.ndarray]
    """Scaled logits by scorer, float32, (image, category); NaN where unscored."""
    reasons: dict[str, str]
    """Why an image has no score, by image id."""
    fingerprints: dict[str, dict[str, Any]]
    """What each scorer's logits rest on, by scorer."""
    scored_images: int
    """Number of images that a model was run on; 0 when all came from the store."""
    seconds: dict[str, float] = field(default_factory=dict)
    """Wall time of the model on these images when it was run on them, by scorer; NaN where the
    store does not say. Decoding is not part of it."""


def score(
    images: pd.DataFrame, categories: Sequence[str], read: Callable[[str], bytes],
    scorers: Mapping[str, Scorer | Pairwise], store: Store, loop: Loop,
) -> Scored:  # fmt: skip
    """Logits of every readable image and category, from the store where they are.

    Args:
        images: `record.Image` rows of one source, with content hashes.
        categories: Category texts, in order.
        read: Gives an image's bytes by its id.
        scorers: Scorers by name, in order; pairwise ones are asked for these very categories.
        store: Keeps image vectors and text banks.
        loop: How to run.
    """
    known = images.dropna(subset="sha256")
    mine = by_content(images)
    heads = {name: part for name, part in scorers.items() if isinstance(part, Pairwise)}
    asked = {name: part.over(list(categories)) if isinstance(part, Pairwise) else part
             for name, part in scorers.items()}  # fmt: skip
    prints = {name: scorer.fingerprint() for name, scorer in asked.items()}
    shelves = {name: vector_shelf(store, asked[name], said) for name, said in prints.items()}
    # Both from one process: a file that another one cannot read is its failure, not another list.
    ordered, missing = loop.agreed(
        lambda: (mine, {n: s.missing(mine, retry=True) for n, s in shelves.items()})
    )
    banks = {n: bank_of(s, prints[n], shelves[n].folder, list(categories), loop.load)
             for n, s in asked.items()}  # fmt: skip
    for names, keys in _by_need(missing):
        _predict({k: ordered[k] for k in keys}, read, {n: asked[n] for n in names}, shelves, loop)
    reasons: dict[str, str] = {}
    seconds: dict[str, float] = {}
    logits = {n: np.full((len(images), len(categories)), np.nan, dtype=np.float32) for n in asked}
    readable = np.flatnonzero(images["sha256"].notna().to_numpy())
    sha = pa.array(known["sha256"], pa.large_string())
    for name, scorer in asked.items() if len(known) else ():
        stored = _Stored(name, partial(scorer.logits, bank=banks[name]), logits[name])
        for rows in shelves[name].read_parts(sha, loop.patience, PART):
            lost = stored.take(rows, readable)
            reasons |= {images["image_id"].iat[n]: why for n, why in lost.items()}
        seconds[name] = stored.seconds
    computed = {key for keys in missing.values() for key in keys}
    failed = set(known.loc[known["image_id"].isin(list(reasons)), "sha256"])
    prints |= {name: head.fingerprint() for name, head in heads.items()}
    return Scored(logits, reasons, prints, len(computed - failed), seconds)


def _by_need(missing: Mapping[str, Sequence[str]]) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """The images grouped by the scorers that still need them, in order: one decode for all."""
    needs: dict[str, tuple[str, ...]] = {}
    for name, keys in missing.items():
        for key in keys:
            needs[key] = (*needs.get(key, ()), name)
    order = {key: n for keys in missing.values() for n, key in enumerate(keys)}
    for names in dict.fromkeys(needs.values()):
        group = [key for key, need in needs.items() if need == names]
        yield names, sorted(group, key=order.__getitem__)


def _predict(
    images: Mapping[str, str], read: Callable[[str], bytes], scorers: Mapping[str, Scorer],
    shelves: Mapping[str, Shelf], loop: Loop,
) -> None:  # fmt: skip
    from oodexp.predict.module import ScoringModule

    loaded = loop.prepare(scorers.values())
    shots = Shots(images, read, scorers)
    module = ScoringModule(scorers, loaded)
    title = f"scoring images ({', '.join(scorers)})"
    mine = {name: shelves[name] for name in scorers}
    loop.run(title, module, shots, loop.scoring_batch, mine)


@dataclass(slots=True)
class _Stored:
    """Turns the stored vectors of a scorer into logits, some rows after the others."""

    name: str
    logits: Callable[[np.ndarray], np.ndarray]
    """From vectors to logits, (row, category)."""
    out: np.ndarray
    """Where they go, (image, category); NaN for a row without a vector."""
    seconds: float = 0.0
    shape: list[int] = field(default_factory=list)
    done: int = 0

    def take(self, rows: pa.Table, images: np.ndarray) -> dict[int, str]:
        """Fills in the next rows.

        Args:
            rows: Stored rows.
            images: Row of `out` of each stored row, of those before, too.

        Returns:
            Why an image has no vector, by its row of `out`.
        """
        place = images[self.done : self.done + rows.num_rows]
        self.done += rows.num_rows
        self.seconds += spent(rows)
        self.shape = shape_of(rows, f"scorer {self.name}", self.shape)
        good = with_vector(rows)
        for start in range(0, len(good), BLOCK):
            block = good[start : start + BLOCK]
            vectors = vectors_of(rows, block, self.shape)
            # Filled up to a whole block: a product of other many rows is rounded differently.
            found = self.logits(vectors[np.resize(np.arange(len(block)), BLOCK)])
            if found.shape != (BLOCK, self.out.shape[1]):
                raise OodexpError(
                    f"scorer {self.name}: logits of shape {found.shape}; expected "
                    f"{(BLOCK, self.out.shape[1])}"
                )
            found = found[: len(block)]
            self.out[place[block]] = np.where(np.isfinite(found), found, np.nan)
        why = rows["reason"].to_pylist()
        return {int(place[n]): text for n, text in enumerate(why) if text is not None}
