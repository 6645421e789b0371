"""Which verdicts could change when every logit may be wrong by a known band.

A scorer that computes in a fast number format gives logits within a band b of those in float32.
Let every logit of an image move by at most b, each in its own direction.

- Softmax: S = 1 / (1 + sum over competitors of exp(l - own)) rises with the pair's own logit and
  falls with every competitor's, so it is least at own - b and competitors + b, and most at the
  opposite corner. A shift that all logits share cancels: the corners are own - 2b and own + 2b
  against competitors that stay.
- Sigmoid: S rests on the pair's own logit alone: own - b and own + b.
- Sign of the margin, either link: it is that of own - top. The best competitor's logit moves by at
  most b, whichever competitor is the best then, so the gap moves by at most 2b.
- Size of the margin, which only the rule `mean` asks for, softmax: the log odds of S and of the
  best competitor's share move by at most 2b each; the bound is the difference of their corners.

Every flag falls or stays as S and Delta rise, and OOD-H rises or stays as flags do. So if all pairs
stand at their worst corner and then at their best, and flags and splits are the same, nothing in
between gives others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from oodexp.division.signal import Signals, measures
from oodexp.division.standing import Standing
from oodexp.division.verdict import verdicts

_WIDEST = 1e6
"""A band that is infinite is taken for this: no score survives it."""
_ULP = 4 * np.finfo(np.float64).eps


def corners(place: Standing, band: np.ndarray, link: str) -> tuple[Signals, Signals]:
    """Bounds of S and Delta, the worst and the best, in float32; the sign of Delta is exact.

    Args:
        place: The pairs.
        band: b of each pair in units of a logit, >= 0, (pair,).
        link: `softmax` or `sigmoid`.
    """
    # A sliver more than the band: rounding of the sums must not decide.
    reach = np.where(band > 0, np.minimum(band * (1 + 1e-6) + 1e-9, _WIDEST), 0)
    if link == "sigmoid":
        low = place._replace(own=place.own - reach, top=place.top + reach)
        high = place._replace(own=place.own + reach, top=place.top - reach)
        ends = measures(low, link), measures(high, link)
    else:
        ends = _softmax_corners(place, reach)
    (least, worst), (most, best) = ends
    slack = np.where(band > 0, _ULP, 0)
    least, most = least * (1 - slack), np.minimum(most * (1 + slack), 1)
    return _rounded(least, worst, place), _rounded(most, best, place)


def _rounded(score: np.ndarray, margin: np.ndarray, place: Standing) -> Signals:
    return Signals(score.astype(np.float32), margin.astype(np.float32), place.surrogate)


def _softmax_corners(
    place: Standing, reach: np.ndarray
) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    score, margin = measures(place, "softmax")
    least, below = measures(place._replace(own=place.own - 2 * reach), "softmax")
    most, above = measures(place._replace(own=place.own + 2 * reach), "softmax")
    share = score - margin  # of the best competitor
    worst = np.where(reach > 0, least - _moved(share, 2 * reach), margin)
    best = np.where(reach > 0, most - _moved(share, -2 * reach), margin)
    tiny = -np.float64(np.finfo(np.float32).smallest_subnormal)
    worst = np.where(below.astype(np.float32) >= 0, np.maximum(worst, 0), np.minimum(worst, below))
    best = np.where(above.astype(np.float32) < 0, np.minimum(best, tiny), np.maximum(best, above))
    return (least, worst), (most, best)


def _moved(share: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """A probability whose log odds move by `shift`."""
    with np.errstate(over="ignore"):
        return share / (share + (1 - share) * np.exp(-shift))


def unsure(
    places: Mapping[str, Standing], bands: Mapping[str, np.ndarray], links: Mapping[str, str],
    limits: Sequence[float], options: Mapping[str, str],
) -> np.ndarray:  # fmt: skip
    """The pairs that must be scored again in float32 before their verdict is known.

    Args:
        places: The pairs as each scorer stands to them, by scorer.
        bands: b of each pair by scorer, (pair,); 0 where its logits are those of float32.
        links: `softmax` or `sigmoid` by scorer; `softmax` where not named.
        limits: T of each scorer.
        options: `criterion`, `combine` and `rule`; see `verdict.verdicts`.

    Returns:
        bool, (pair, scorer): where the scorer's own flag may change, or where it takes part in a
        split that may; a pair without a score by a fast format is among them.
    """
    ends = [corners(place, bands[n], links.get(n, "softmax")) for n, place in places.items()]
    worst, best = (
        verdicts(
            np.stack([end[k].score for end in ends], axis=1),
            np.stack([end[k].margin for end in ends], axis=1), limits, **options,
        )
        for k in (0, 1)
    )  # fmt: skip
    fast = np.stack([bands[name] > 0 for name in places], axis=1)
    found = (worst.flagged != best.flagged) | ~worst.scored
    if options["rule"] == "mean" or options["combine"] == "per_criterion":
        # There a split rests on more than the flags: on the scores of all, or on each criterion.
        found |= (worst.split != best.split)[:, None]
    return found & fast
