"""Whether a concept benchmark may be released: named requirements after Table E1.

OODConceptBench lists what a release has to look at; what of it a table of images can show is
checked here, the rest must be declared. A requirement is met, waived by somebody who says why, or
missing; nothing passes in silence. What would make the benchmark wrong, not only incomplete, cannot
be waived.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from oodexp import table
from oodexp.error import OodexpError
from oodexp.record import Concept

if TYPE_CHECKING:
    from collections.abc import Callable

MET, WAIVED, MISSING = "met", "waived", "missing"
GENERATED = "generated"
"""The acquisition of images that a model made."""
UNKNOWN = "unknown"
"""The acquisition of an image of which nobody says how it was got."""
DECLARED = {
    "intended use": "what the benchmark is for",
    "excluded uses": "what it is not for",
    "scope": "what its protocol measures",
    "sensitive content": "who looked for it, and how",
    "privacy": "who looked at people and private data in the images, and how",
    "generated content": "which generator, and its terms",
    "source policy": "that the terms of the sources allow it",
}
"""What no table shows, with what is to be declared."""
FIRM = ("concepts", "phrases", "categories", "levels")
"""What cannot be waived."""


class Waiver(NamedTuple):
    """Somebody releases without a requirement and says why."""

    requirement: str
    """Name of the requirement."""
    by: str
    """Who waives it."""
    why: str
    """The reason."""


class Duplicates(NamedTuple):
    """What the search for near-duplicates came to."""

    method: str
    """How they were found, e.g. `perceptual hash within 6 bits, or feature cosine above 0.97`."""
    groups: int
    """Groups of images that are near-duplicates of one another."""
    images: int
    """Images in these groups."""
    removed: int
    """How many of them were removed; the others are in the benchmark."""


class Requirement(NamedTuple):
    """One line of the check."""

    name: str
    """What is required."""
    verdict: str
    """`met`, `waived` or `missing`."""
    words: str
    """What was found, what is lacking, who waived it and why."""
    lacking: int
    """Images that lack it; 0 where it is not an image's."""


class Release(NamedTuple):
    """What a release is checked on."""

    concepts: pd.DataFrame
    """`record.Concept`, a row an image."""
    levels: Mapping[str, np.ndarray]
    """Images of each level, bool, (image,) in the order of `concepts`, the widest level first."""
    duplicates: Duplicates | None = None
    """Near-duplicates; None when nobody looked."""
    declared: Mapping[str, str] = {}
    """Statements by name, some of `DECLARED`."""
    waivers: Sequence[Waiver] = ()
    """What is waived, at most once each."""


def check(release: Release) -> list[Requirement]:
    """All requirements in a fixed order.

    Args:
        release: What is checked.

    Raises:
        OodexpError: If the table is none of `record.Concept`, a level has another length, or a
            waiver or statement is not as it should be.
    """
    table.check(Concept, release.concepts)
    _check_levels(release)
    waivers = _waivers(release.waivers)
    found = [*(look(release) for look in _LOOKS), *_declarations(release)]
    return [_waived(each, waivers.get(each.name)) for each in found]


def releasable(requirements: Sequence[Requirement]) -> bool:
    """Whether nothing is missing."""
    return all(each.verdict != MISSING for each in requirements)


def _concepts(release: Release) -> Requirement:
    n = len(release.concepts)
    return Requirement("concepts", MET if n else MISSING, f"{n:,} images with a concept", 0)


def _phrases(release: Release) -> Requirement:
    return _filled(release, "phrases", "phrase", "a phrase")


def _categories(release: Release) -> Requirement:
    return _filled(release, "categories", "category", "a category")


def _acquisition(release: Release) -> Requirement:
    return _filled(release, "acquisition", "acquisition", "how it was acquired")


def _licence(release: Release) -> Requirement:
    return _filled(release, "licence", "licence", "a licence")


def _origin(release: Release) -> Requirement:
    return _filled(release, "origin", "origin", "where it is from")


def _nested(release: Release) -> Requirement:
    """Every level lies within the one before."""
    names = list(release.levels)
    if not names:
        return Requirement("levels", MISSING, "no level is given", 0)
    for wide, within in pairwise(names):
        outside = int((release.levels[within] & ~release.levels[wide]).sum())
        if outside:
            words = f"{outside:,} images are in {within} and not in {wide}"
            return Requirement("levels", MISSING, words, outside)
    sizes = ", ".join(f"{name} {int(release.levels[name].sum()):,}" for name in names)
    return Requirement("levels", MET, f"each within the one before: {sizes}", 0)


def _near_duplicates(release: Release) -> Requirement:
    found = release.duplicates
    if found is None:
        return Requirement("near-duplicates", MISSING, "nobody looked for them", 0)
    kept = found.images - found.removed
    words = (
        f"{found.images:,} images in {found.groups:,} groups, {found.removed:,} removed, {kept:,} "
        f"kept ({found.method})"
    )
    return Requirement("near-duplicates", MET, words, 0)


_LOOKS: tuple[Callable[[Release], Requirement], ...] = (
    _concepts, _phrases, _categories, _nested, _acquisition, _origin, _licence, _near_duplicates,
)  # fmt: skip


def _filled(release: Release, name: str, column: str, what: str) -> Requirement:
    """Whether every image has a text of its own in a column."""
    texts = release.concepts[column].fillna("").astype(str).str.strip()
    empty = texts == ""
    if column == "acquisition":
        empty |= texts.str.casefold() == UNKNOWN
    lacking, n = int(empty.sum()), len(texts)
    if lacking:
        return Requirement(name, MISSING, f"{lacking:,} of {n:,} images lack {what}", lacking)
    return Requirement(name, MET, f"{n:,} of {n:,} images have {what}", 0)


def _declarations(release: Release) -> list[Requirement]:
    unknown = sorted(set(release.declared) - set(DECLARED))
    if unknown:
        raise OodexpError(f"declared {unknown}: expected some of {', '.join(DECLARED)}")
    found = []
    for name, wanted in DECLARED.items():
        said = release.declared.get(name, "").strip()
        if said:
            found.append(Requirement(name, MET, said, 0))
        elif name == "generated content" and not _generated(release.concepts):
            found.append(Requirement(name, MET, "no image is marked as generated", 0))
        else:
            found.append(Requirement(name, MISSING, f"nobody declared {wanted}", 0))
    return found


def _generated(concepts: pd.DataFrame) -> bool:
    return bool((concepts["acquisition"].str.strip().str.casefold() == GENERATED).any())


def _waivers(waivers: Sequence[Waiver]) -> dict[str, Waiver]:
    allowed = ["acquisition", "origin", "licence", "near-duplicates", *DECLARED]
    found: dict[str, Waiver] = {}
    for waiver in waivers:
        if waiver.requirement not in allowed or waiver.requirement in found:
            firm = " (it cannot be waived)" if waiver.requirement in FIRM else ""
            raise OodexpError(
                f"waiver of {waiver.requirement!r}{firm}: expected one of {', '.join(allowed)}, "
                "each once"
            )
        if not waiver.by.strip() or not waiver.why.strip():
            raise OodexpError(
                f"waiver of {waiver.requirement!r}: by={waiver.by!r}, why={waiver.why!r}; expected "
                "who waives it and for what reason"
            )
        found[waiver.requirement] = waiver
    return found


def _waived(found: Requirement, waiver: Waiver | None) -> Requirement:
    if waiver is None:
        return found
    if found.verdict == MET:
        return found._replace(words=f"{found.words}; waived by {waiver.by} without need")
    words = f"{found.words}; waived by {waiver.by}: {waiver.why}"
    return found._replace(verdict=WAIVED, words=words)


def _check_levels(release: Release) -> None:
    for name, inside in release.levels.items():
        if np.shape(inside) != (len(release.concepts),) or inside.dtype != bool:
            raise OodexpError(
                f"level {name!r}: {inside.dtype} of the shape {np.shape(inside)}, expected bool of "
                f"({len(release.concepts)},): whether each image of the table is in it"
            )
