"""The filter of OODConceptBench: three scores of an image, three rules, levels that nest.

Table 1: rule 1 keeps images far from all common categories (S_1K > T1), rule 2 those far from rare
references too (S_21K > T2), which makes L1; rule 3 keeps of these the images that their own phrase
fits badly (S_Txt < T3), which makes L2. The scores are not defined in the text that we have. In the
reading of our protocol, on features of unit length: S_1K = 1 - the highest cosine to a class text,
S_21K = 1 - the highest cosine to a long-tail reference vector, S_Txt = the cosine to the text of
the target phrase. All comparisons are strict: an image exactly at a threshold is filtered out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from oodexp.error import OodexpError

LEVELS = ("L0", "rule 1", "L1", "L2")
"""Stages of the filter, each a part of the one before; columns of `Cascade.kept`."""
STEPS = ("L0 to L1", "L1 to L2", "L0 to L2")
"""Columns of Table A4."""
_CHUNK = 4096
"""Images at once: bounds the memory, not the result."""
_LENGTH = 1e-3
"""How far from 1 the length of a feature may be; float32 keeps within 1e-6."""


class Scores(NamedTuple):
    """Scores of images, all float32, (image,); NaN where a feature is not finite."""

    common: np.ndarray
    """S_1K in [0, 2]; larger is farther from all common categories."""
    rare: np.ndarray
    """S_21K in [0, 2]; larger is farther from all rare references."""
    target: np.ndarray
    """S_Txt in [-1, 1]; smaller is less aligned with the image's own phrase."""


class Thresholds(NamedTuple):
    """Cut-offs of the three rules, compared in float32."""

    common: float
    """T1 of S_1K."""
    rare: float
    """T2 of S_21K."""
    target: float
    """T3 of S_Txt."""


PAPER = Thresholds(0.7175, 0.2976, 0.3031)
"""Table 1; for CLIP ViT-B/32 and the references of Table A1 alone."""


class Cascade(NamedTuple):
    """Which image is at which level."""

    kept: np.ndarray
    """bool, (image, 4), in the order of `LEVELS`; a column implies those before it."""
    reasons: tuple[str | None, ...]
    """Why an image is at no level, not even L0; None for the others. One each image."""


class Retention(NamedTuple):
    """How many images of each category stay (Table A4)."""

    counts: np.ndarray
    """int64, (..., 4), in the order of `LEVELS`."""
    rates: np.ndarray
    """In [0, 1], (..., 3), in the order of `STEPS`; NaN where the step has no image to begin."""
    reasons: np.ndarray
    """object, (..., 3): why a rate is NaN, else None."""


class Composition(NamedTuple):
    """What the levels hold (Figure 3)."""

    images: np.ndarray
    """int64, (category, acquisition, level); sums give panels a and b."""
    concepts: np.ndarray
    """int64, (category, level): phrases with at least one image (panel c). A phrase under two
    categories counts in both."""


def farness(images: np.ndarray, bank: np.ndarray, chunk: int = _CHUNK) -> np.ndarray:
    """1 - the highest cosine to a vector of a bank: float32, (image,), in [0, 2].

    S_1K with class texts as the bank, S_21K with long-tail prototypes or texts. Sums run in
    float64, so that neither the chunk nor the shard of an image decides its last digit.

    Args:
        images: Features of unit length, (image, dimension); rows that are not finite have no score.
        bank: Reference vectors of unit length, (reference, dimension), at least one.
        chunk: Images at once.

    Raises:
        OodexpError: If the bank is empty or not finite, or a vector is not of unit length.
    """
    if not len(bank):
        raise OodexpError("the reference bank is empty: expected at least one vector")
    _unit(images, bank, "reference")
    columns = bank.astype(np.float64).T
    found = np.empty(len(images), np.float32)
    for start in range(0, len(images), chunk):
        part = images[start : start + chunk].astype(np.float64)
        found[start : start + chunk] = 1 - (part @ columns).max(axis=1)
    return found


def alignment(
    images: np.ndarray, texts: np.ndarray, phrase: np.ndarray, chunk: int = _CHUNK
) -> np.ndarray:
    """S_Txt: cosine of each image to the text of its own phrase, float32, (image,), in [-1, 1].

    Args:
        images: As for `farness`.
        texts: Features of the phrases' prompts, of unit length, (phrase, dimension).
        phrase: Row of `texts` that is the image's target, int, (image,).
        chunk: Images at once.

    Raises:
        OodexpError: As `farness`; or if a row of `texts` is asked for that is not there.
    """
    _codes(phrase, len(texts), "phrase")
    _unit(images, texts, "phrase")
    found = np.empty(len(images), np.float32)
    for start in range(0, len(images), chunk):
        some = slice(start, start + chunk)
        own = texts[phrase[some]].astype(np.float64)
        found[some] = np.einsum("nd,nd->n", images[some].astype(np.float64), own)
    return found


def cascade(scores: Scores, thresholds: Thresholds) -> Cascade:
    """The levels of images; one whose scores are not all finite is at none.

    Args:
        scores: The three scores of each image.
        thresholds: T1, T2, T3.

    Raises:
        OodexpError: If a threshold is NaN.
    """
    limits = [np.float32(value) for value in thresholds]
    for name, limit in zip(Thresholds._fields, limits, strict=True):
        if np.isnan(limit):
            raise OodexpError(
                f"threshold of {name} is NaN: its calibration says why; fix a number instead, the "
                f"paper's is {getattr(PAPER, name)}"
            )
    finite = np.isfinite(np.stack(scores, axis=1))
    known = finite.all(axis=1)
    first = known & (scores.common > limits[0])
    second = first & (scores.rare > limits[1])
    kept = np.stack((known, first, second, second & (scores.target < limits[2])), axis=1)
    return Cascade(kept, tuple(_lacking(row) for row in finite))


def retention(kept: np.ndarray, category: np.ndarray, categories: int) -> Retention:
    """Images that stay, by category.

    Args:
        kept: Of `Cascade`, bool, (image, 4).
        category: Category of each image, 0 ... categories - 1, (image,).
        categories: How many there are.

    Raises:
        OodexpError: If a code is out of range.
    """
    _codes(category, categories, "category")
    counts = np.zeros((categories, len(LEVELS)), np.int64)
    np.add.at(counts, category, kept)
    return retained(counts)


def retained(counts: np.ndarray) -> Retention:
    """The rates of counts, (..., 4), as `LEVELS`; of summed counts they are image-weighted."""
    before, after = counts[..., [0, 2, 0]], counts[..., [2, 3, 3]]
    rates = np.divide(after, before, out=np.full(before.shape, np.nan), where=before > 0)
    reasons = np.full(before.shape, None, dtype=object)
    for column, step in enumerate(STEPS):
        reasons[before[..., column] == 0, column] = f"no image at {step[:2]}"
    return Retention(counts, rates, reasons)


def composition(
    kept: np.ndarray, category: np.ndarray, acquisition: np.ndarray, concept: np.ndarray,
    shape: tuple[int, int, int],
) -> Composition:  # fmt: skip
    """What the levels hold, by category, by source of the image, and in concepts.

    Args:
        kept: Of `Cascade`, bool, (image, 4).
        category: Code of each image's category, (image,).
        acquisition: Code of how the image was got, (image,).
        concept: Code of its phrase, (image,).
        shape: How many categories, acquisitions and concepts there are.

    Raises:
        OodexpError: If a code is out of range.
    """
    named = zip((category, acquisition, concept), shape, ("category", "acquisition", "concept"),
                strict=True)  # fmt: skip
    for codes, count, name in named:
        _codes(codes, count, name)
    images = np.zeros((*shape[:2], len(LEVELS)), np.int64)
    np.add.at(images, (category, acquisition), kept)
    active = np.zeros((shape[0], shape[2], len(LEVELS)), bool)
    np.logical_or.at(active, (category, concept), kept)
    return Composition(images, active.sum(axis=1))


def _lacking(finite: np.ndarray) -> str | None:
    names = [name for name, has in zip(Scores._fields, finite, strict=True) if not has]
    return f"no finite score of: {', '.join(names)}" if names else None


def _codes(codes: np.ndarray, count: int, name: str) -> None:
    if len(codes) and not 0 <= codes.min() <= codes.max() < count:
        raise OodexpError(
            f"{name} codes {codes.min()} ... {codes.max()}; expected 0 ... {count - 1}"
        )


def _unit(images: np.ndarray, others: np.ndarray, name: str) -> None:
    for vectors, kind in ((images, "image"), (others, name)):
        length = np.sqrt(np.einsum("nd,nd->n", vectors, vectors, dtype=np.float64))
        # An image without a feature has no score; a reference without one is a fault.
        wrong = (np.abs(length - 1) > _LENGTH) | ((kind != "image") & ~np.isfinite(length))
        if wrong.any():
            row = int(wrong.argmax())
            raise OodexpError(
                f"feature of {kind} {row} has length {length[row]:.4g}; expected 1: divide "
                "features by their length"
            )
