"""The three readings of the paper's Table IV that its text leaves open.

With calibrated softmaxes the two criteria are nested: S < T <= 1/N implies a ranking anomaly, so
T = 0.01 and T = 0.005 flag the same pairs of COCO under `either`, and yet the paper's counts
differ. Either its table rests on the score alone (`score`), or BLIP-2's cosines went into the
softmax as they are (`bare`), where every score over 80 categories is about 1/78. The third reading,
`either` with calibrated scores, is the paper's wording.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from oodexp.error import OodexpError
from oodexp.predict.bank import bank_of, vector_shelf
from oodexp.scorer.base import Pairwise

if TYPE_CHECKING:
    from oodexp.predict.loop import Loop
    from oodexp.predict.store import Store
    from oodexp.scorer.base import Scorer

BARE = " (bare)"
"""What the name of a scorer without temperature ends in."""
CRITERIA = {"score": "score", "either": "either", "bare": "either"}
"""Criterion of each reading."""


class Calibration(NamedTuple):
    """From a cosine to a logit: `scale * cosine + bias`."""

    scale: float
    """Factor, > 0."""
    bias: float
    """Added after it."""


def calibration(
    scorer: Scorer | Pairwise, store: Store, categories: Sequence[str], loop: Loop
) -> Calibration:
    """The calibration that a scorer's logits were made with.

    It stands in the store beside the category texts, so a scorer that has scored these categories
    is not loaded; the scale may be learned or a setting.

    Args:
        scorer: The scorer.
        store: Where its image vectors and texts are kept.
        categories: Category texts, in the order they were scored in.
        loop: How to load the scorer, if it has not scored these categories.

    Raises:
        OodexpError: If its logits are not scaled cosines.
    """
    if isinstance(scorer, Pairwise):
        raise OodexpError(
            f"{type(scorer).__name__}: its logits are no cosines, so there is no temperature to "
            "leave out; choose a scorer of image and text vectors"
        )
    fingerprint = scorer.fingerprint()
    folder = vector_shelf(store, scorer, fingerprint).folder
    bank = bank_of(scorer, fingerprint, folder, list(categories), loop.load)
    return Calibration(bank.scale, bank.bias)


def bare(logits: np.ndarray, known: Calibration) -> np.ndarray:
    """Cosines from logits: what a scorer gives whose temperature was dropped.

    Equal to the logits of the same scorer with scale 1 and no bias, up to float32 rounding (about
    1e-7 of a cosine).

    Args:
        logits: Scaled logits, float32, (image, category); NaN stays NaN.
        known: What they were made with.

    Raises:
        OodexpError: If the scale is not above 0.
    """
    if not known.scale > 0:
        raise OodexpError(f"scale={known.scale}: expected a factor above 0 from cosine to logit")
    cosine = (logits.astype(np.float64) - known.bias) / known.scale
    return np.asarray(cosine, np.float32)


def with_bare(
    logits: Mapping[str, np.ndarray], known: Mapping[str, Calibration]
) -> dict[str, np.ndarray]:
    """All logits, and those of the named scorers once more without temperature.

    Args:
        logits: Scaled logits by scorer, float32, (image, category).
        known: Calibration of the scorers to add, by name.

    Returns:
        By scorer; added ones are named with `BARE` and stand behind the others.
    """
    return {**logits, **{f"{n}{BARE}": bare(logits[n], of) for n, of in known.items()}}


def scorers_of(reading: str, scorers: Sequence[str], uncalibrated: Sequence[str]) -> list[str]:
    """Names of the scorers that divide in one reading of Table IV.

    Args:
        reading: `score`, `either` or `bare`.
        scorers: The scorers, in order.
        uncalibrated: Those that `bare` takes without temperature.

    Raises:
        OodexpError: If there is no such reading, or a scorer is not among the scorers.
    """
    if reading not in CRITERIA:
        raise OodexpError(f"reading={reading}: expected one of {', '.join(CRITERIA)}")
    unknown = sorted(set(uncalibrated) - set(scorers))
    if unknown:
        raise OodexpError(f"without temperature: no scorer {unknown}; have {list(scorers)}")
    if reading != "bare":
        return list(scorers)
    return [f"{name}{BARE}" if name in uncalibrated else name for name in scorers]
