"""Overlap of image-category pairs with training corpora (OODBench, IV and appendix C.1.2-C.1.3).

A pair is covered by a corpus if any of the corpus's texts of that image mentions the category: a
model that read the corpus may have learned it. The overlap rate of a model is r = H / |C|, H the
covered ones of the |C| pairs, over all its corpora together. The model treats the pairs as out of
distribution (Z = 1) if the upper 95 % confidence bound of r does not exceed epsilon.

The paper counts pairs as independent trials. Pairs on one image are not, so the bound over images
as clusters stands beside. A pair whose image is in no corpus counts as not covered, as in the
paper, and is counted apart: with the wrong image set, or names that do not match, all pairs are
such, and an overlap of 0 then says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from oodexp.error import OodexpError
from oodexp.evidence.mention import Finder
from oodexp.evidence.proportion import (
    Bounds,
    Side,
    beta_posterior,
    clopper_pearson,
    korn_graubard,
)

CHARACTERS = 1 << 22
"""Characters of text that are searched at a time; memory is a small multiple of it."""


class Coverage(NamedTuple):
    """What a corpus says of some pairs, in their order."""

    seen: np.ndarray
    """Whether the image has a text in the corpus, bool, (pair,)."""
    covered: np.ndarray
    """Whether one of these texts mentions the category, bool, (pair,)."""
    texts: int
    """Number of texts in the corpus."""
    searched: int
    """Number of texts of the pairs' images."""


class Overlap(NamedTuple):
    """The overlap of one model with one set of pairs."""

    covered: int
    """H: pairs whose category a text of their image mentions."""
    pairs: int
    """|C|."""
    unseen: int
    """Pairs whose image is in none of the model's corpora; they count as not covered."""
    images: int
    """Images that the pairs lie on."""
    rate: float
    """H / |C|, in [0, 1]; NaN without pairs."""
    seen_rate: float
    """H over the pairs whose image is in a corpus, in [0, 1]; NaN without any."""
    bounds: Bounds
    """Clopper-Pearson, as in the paper; the verdict rests on its upper end."""
    clustered: Bounds
    """Korn-Graubard over images."""
    out: bool | None
    """Z: whether the upper bound is <= epsilon; None where there is no bound."""
    clustered_out: bool | None
    """The same by the bound over images."""
    epsilon: float
    """Largest acceptable overlap rate."""
    reason: str | None
    """Why there is no verdict, or what it does not rest on."""


class Population(NamedTuple):
    """How many of the audited models treat the pairs as out of distribution."""

    out: int
    """k: models with Z = 1."""
    models: int
    """n: models with a verdict."""
    without: int
    """Models without a verdict; they are left out of n."""
    bounds: tuple[Bounds, ...]
    """Clopper-Pearson and Beta(1,1), each two-sided (the paper's) and one-sided, with its label."""
    reason: str | None
    """Why there are no bounds."""


def cover(
    images: Sequence[str],
    categories: Sequence[str],
    texts: Iterable[tuple[str, str]],
    finder: Finder,
) -> Coverage:
    """Which pairs a corpus covers: one pass over it, in memory that does not grow with it.

    Args:
        images: Key of each pair's image, (pair,); as the corpus names images.
        categories: Category of each pair, (pair,); the finder knows it.
        texts: The corpus: (key of the image, text), in any order, any number for an image.
        finder: Finds the categories in texts.

    Raises:
        OodexpError: If a category is not the finder's.
    """
    columns = {category: n for n, category in enumerate(finder.categories)}
    unknown = sorted(set(categories) - set(columns))
    if unknown:
        raise OodexpError(
            f"category {unknown[0]!r} of the pairs has no names to look for; make the finder from "
            "the categories of the same source"
        )
    rows = {image: n for n, image in enumerate(dict.fromkeys(images))}
    row = np.array([rows[image] for image in images], np.int64)
    cells = row * len(columns) + np.array([columns[c] for c in categories], np.int64)
    wanted = np.unique(cells)
    seen, hit = np.zeros(len(rows), bool), np.zeros(len(wanted), bool)
    told = [0, 0]
    for at, batch in _batches(texts, rows, told):
        seen[at] = True
        found = finder.find(batch)
        said = at[found.text] * len(columns) + found.category
        place = np.searchsorted(wanted, said)
        place[place == len(wanted)] = 0
        hit[place[wanted[place] == said]] = True
    return Coverage(seen[row], hit[np.searchsorted(wanted, cells)], told[0], told[1])


def union(parts: Sequence[Coverage]) -> Coverage:
    """What several corpora of one model say together of the same pairs.

    Raises:
        OodexpError: If there is no part, or the parts are not of the same pairs.
    """
    if not parts:
        raise OodexpError("a model without any corpus has no overlap; leave it out or name one")
    if len({len(part.seen) for part in parts}) > 1:
        raise OodexpError("corpora of one model were searched for different pairs")
    return Coverage(
        np.any([part.seen for part in parts], axis=0),
        np.any([part.covered for part in parts], axis=0),
        sum(part.texts for part in parts),
        sum(part.searched for part in parts),
    )


def measure(
    coverage: Coverage,
    images: Sequence[str],
    epsilon: float = 0.05,
    confidence: float = 0.95,
    side: Side = "one",
) -> Overlap:
    """Overlap rate of a model with its bounds, and whether the pairs are new to it.

    Args:
        coverage: Of all corpora of the model together.
        images: Key of each pair's image, (pair,): the clusters.
        epsilon: Largest acceptable overlap rate, in [0, 1].
        confidence: Of the upper bound.
        side: `one`: the bound alone has the confidence; `two`: it is the end of an interval.

    Raises:
        OodexpError: If epsilon is out of range, or images are not one a pair.
    """
    if not 0 <= epsilon <= 1:
        raise OodexpError(f"epsilon={epsilon}: expected a fraction, as 0.05")
    if len(images) != len(coverage.covered):
        raise OodexpError(f"{len(images)} images for {len(coverage.covered)} pairs; expected equal")
    pairs, covered = len(coverage.covered), int(coverage.covered.sum())
    seen = int(coverage.seen.sum())
    names = {image: n for n, image in enumerate(dict.fromkeys(images))}
    cluster = np.array([names[image] for image in images], np.int64)
    trials, hits = np.bincount(cluster), np.bincount(cluster[coverage.covered], None, len(names))
    bounds = clopper_pearson(covered, pairs, confidence, side)
    clustered = korn_graubard(hits, trials, confidence, side)
    nan = float("nan")
    return Overlap(
        covered,
        pairs,
        pairs - seen,
        len(trials),
        covered / pairs if pairs else nan,
        covered / seen if seen else nan,
        bounds,
        clustered,
        _within(bounds.upper, epsilon),
        _within(clustered.upper, epsilon),
        epsilon,
        _reason(pairs, seen),
    )


def population(verdicts: Sequence[bool | None], confidence: float = 0.95) -> Population:
    """How large a share of comparable models treats the pairs as out of distribution.

    Holds for models like those audited only if these were drawn from them; models of one family,
    trained on one corpus, are no independent draws.

    Args:
        verdicts: Z of each model, None without a verdict.
        confidence: Of the bounds.
    """
    known = [z for z in verdicts if z is not None]
    k, n = sum(known), len(known)
    bounds = tuple(
        bound(k, n, confidence, side)
        for bound in (clopper_pearson, beta_posterior)
        for side in ("two", "one")
    )
    return Population(k, n, len(verdicts) - n, bounds, None if n else "no model has a verdict")


def _batches(
    texts: Iterable[tuple[str, str]], rows: dict[str, int], told: list[int]
) -> Iterator[tuple[np.ndarray, list[str]]]:
    """Texts of known images in batches, with the number of each one's image."""
    at: list[int] = []
    batch: list[str] = []
    number = size = 0
    for image, text in texts:
        number += 1
        row = rows.get(image)
        if row is None:
            continue
        at.append(row)
        batch.append(text)
        size += len(text) + 1
        if size >= CHARACTERS:
            told[1] += len(batch)
            yield np.array(at, np.int64), batch
            at, batch, size = [], [], 0
    told[0], told[1] = number, told[1] + len(batch)
    if batch:
        yield np.array(at, np.int64), batch


def _within(upper: float, epsilon: float) -> bool | None:
    return None if np.isnan(upper) else bool(upper <= epsilon)


def _reason(pairs: int, seen: int) -> str | None:
    if pairs == 0:
        return "no pair"
    if seen == 0:
        return "no pair's image is in the corpora: the overlap of 0 is no evidence"
    return None
