"""The stratified sample that people see, and the order each of them sees it in."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

PAIR = ["source", "image_id", "category"]
RULE = "1"
"""Version of the question, the verdicts and the reasons: others are another sample."""

_COLUMNS = [*PAIR, "split", "stratum", "population"]


@dataclass(frozen=True)
class Sample:
    """Pairs to be judged."""

    rows: pd.DataFrame
    """A pair a row, sorted by source, image and category: its key, `split`, `stratum` and
    `population` (pairs of the stratum)."""
    seed: int
    """Of the draw and of the raters' orders."""
    bytes_of: tuple[str, ...]
    """SHA-256 of each pair's image, empty where it is not known."""

    @cached_property
    def digest(self) -> str:
        """SHA-256 of pairs, images, strata, seed and rule: what a verdict is an answer to."""
        content = [RULE, self.seed, self.rows[_COLUMNS].to_numpy().tolist(), self.bytes_of]
        text = json.dumps(content, ensure_ascii=False)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    def order(self, rater: str) -> list[int]:
        """Rows in the order that a rater sees them; another rater has another order."""
        rng = np.random.default_rng([self.seed, *_entropy(self.digest, rater)])
        return rng.permutation(len(self.rows)).tolist()


def population(memberships: pd.DataFrame, drawn: bool, by: list[str]) -> pd.DataFrame:
    """The present pairs of a division that can be sampled, with their strata.

    Args:
        memberships: `record.Membership`.
        drawn: Whether only pairs of the benchmark count.
        by: Columns that name a stratum.

    Returns:
        The columns of `Sample.rows`, sorted, indexed from 0.
    """
    rows = memberships[memberships["present"] & memberships["split"].notna()]
    rows = rows[rows["drawn"]] if drawn else rows
    rows = rows[[*PAIR, "split"]].sort_values(PAIR, ignore_index=True).astype(object)
    named = rows[by].agg(" / ".join, axis=1) if len(rows) else pd.Series(dtype=object)
    return rows.assign(stratum=named, population=named.map(named.value_counts()).astype(np.int64))


def draw(pairs: pd.DataFrame, images: pd.DataFrame, per_stratum: int | None, seed: int) -> Sample:
    """Draws so many pairs of each stratum, without replacement.

    The pairs drawn from a stratum depend on its pairs and the seed alone, not on other strata.

    Args:
        pairs: Of `population`.
        images: `record.Image`.
        per_stratum: Number of pairs, >= 1; a smaller stratum is taken whole. None takes all.
        seed: Of the draw, >= 0.
    """
    taken: list[int] = []
    for name, rows in pairs.groupby("stratum", sort=True):
        size = len(rows) if per_stratum is None else min(per_stratum, len(rows))
        rng = np.random.default_rng([seed, *_entropy(str(name))])
        taken += rng.choice(rows.index.to_numpy(), size=size, replace=False).tolist()
    return of(pairs.loc[sorted(taken)], images, seed)


def of(rows: pd.DataFrame, images: pd.DataFrame, seed: int) -> Sample:
    """A sample of given pairs.

    Args:
        rows: Rows of `population`.
        images: `record.Image`.
        seed: Of the raters' orders.
    """
    known = images.set_index(["source", "image_id"])["sha256"]
    keys = pd.MultiIndex.from_frame(rows[["source", "image_id"]])
    sums = known.reindex(keys).fillna("").astype(str)
    return Sample(rows.reset_index(drop=True), seed, tuple(sums))


def _entropy(*texts: str) -> list[int]:
    """Whole numbers that differ where the texts do."""
    digest = hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).digest()
    return np.frombuffer(digest, dtype=np.uint32).tolist()
