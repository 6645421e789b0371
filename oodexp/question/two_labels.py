"""Samples of BAP: two categories of an image, at most one sample an image and split.

Every choice is made by digests of names and a seed, lowest first: which two categories of an image,
which images where there are more than the cap, and which way round the two are compared. So an
image's sample does not depend on the other images, and where another threshold moves a category,
only a sample that held it, or loses to it, changes.
"""

from __future__ import annotations

import hashlib

import pandas as pd

PAIR = ["source", "image_id", "category"]
IMAGE = ["source", "image_id", "split"]


def two_labels(
    members: pd.DataFrame, pairs: pd.DataFrame, second: str, ties: str, cap: int | None, seed: int
) -> pd.DataFrame:
    """Draws one sample of each image and split that holds two categories with a known count.

    Args:
        members: `record.Membership` rows of present pairs, those that may be drawn.
        pairs: `record.Pair` rows of all sources.
        second: `split` when both categories belong to the split; `any` when the second may be any
            present category of the image.
        ties: `keep` or `drop` samples of two equal counts.
        cap: Most images of a source and split; None for all.
        seed: Seed of all that is drawn.

    Returns:
        Columns `source`, `image_id`, `split`, `category`, `other`, `count`, `other_count`, by
        source, split and image; `count` > `other_count` in half of the samples of a source and
        split, or in as many as ties allow.
    """
    known = pairs.loc[pairs["count"].notna(), [*PAIR, "count"]]
    known = known.assign(draw=_digests(known[PAIR], seed, "category"))
    of_split = members[[*PAIR, "split"]].merge(known, on=PAIR, validate="one_to_one")
    first = _lowest(of_split, IMAGE)
    on = IMAGE if second == "split" else IMAGE[:2]
    others = (of_split if second == "split" else known)[[*on, "category", "count", "draw"]]
    both = first.merge(others, on=on, suffixes=("", "_of_other"))
    both = both[both["category"] != both["category_of_other"]]
    samples = _lowest(both, IMAGE, "draw_of_other").rename(
        columns={"category_of_other": "other", "count_of_other": "other_count"}
    )
    if ties == "drop":
        samples = samples[samples["count"] != samples["other_count"]]
    samples = samples.assign(draw=_digests(samples[IMAGE[:2]], seed, "image"))
    if cap is not None:
        samples = _ranked(samples)[lambda rows: rows["rank"] < cap]
    return _ordered(samples, seed)[[*IMAGE, "category", "other", "count", "other_count"]]


def _ordered(samples: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Each sample the one way round or the other, so that half of the comparisons are true."""
    samples = samples.assign(draw=_digests(samples[IMAGE[:2]], seed, "order"))
    tied = (samples["count"] == samples["other_count"]).astype(bool)
    size = samples.groupby(["source", "split"])["draw"].transform("size")
    yes = ~tied & (_ranked(samples.assign(tied=tied), ["tied"])["rank"] < size // 2)
    # The two of a tie also change places by chance: which is named first must tell nothing.
    swap = (samples["count"] > samples["other_count"]) != yes
    swap = swap.where(~tied, samples["draw"].str.slice(0, 1) < "8").astype(bool)
    for one, two in (("category", "other"), ("count", "other_count")):
        left, right = (
            samples[one].where(~swap, samples[two]),
            samples[two].where(~swap, samples[one]),
        )
        samples = samples.assign(**{one: left, two: right})
    return samples.sort_values(["source", "split", "image_id"], ignore_index=True)


def _ranked(samples: pd.DataFrame, also: list[str] | None = None) -> pd.DataFrame:
    """With `rank`, the place by digest within source and split (and the groups of `also`)."""
    by = ["source", "split", *(also or [])]
    return samples.assign(rank=samples.groupby(by)["draw"].rank(method="first").astype(int) - 1)


def _lowest(rows: pd.DataFrame, by: list[str], draw: str = "draw") -> pd.DataFrame:
    """The row of the lowest digest in each group."""
    return rows.sort_values([*by, draw], kind="stable").drop_duplicates(by)


def _digests(names: pd.DataFrame, seed: int, purpose: str) -> pd.Series:
    """A hex digest of each row: the chance that belongs to its names alone."""
    texts = ["\0".join((str(seed), purpose, *row)) for row in names.to_numpy().tolist()]
    digests = [hashlib.sha256(text.encode()).hexdigest() for text in texts]
    return pd.Series(digests, index=names.index, dtype="str")
