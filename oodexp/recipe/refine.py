"""Verdicts that hang on the rounding of a fast number format, settled in float32.

A scorer in bfloat16 does the bulk. How far its logits are off is measured on a sample; every image
with a verdict that could change within that band is scored again by the scorer's float32 twin, on
the twin's own shelf. What is seen then widens the band if it must, until nothing is in doubt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from oodexp.division.base import Refinable
from oodexp.predict.scoring import Scored
from oodexp.predict.scoring import score as score_images
from oodexp.predict.store import digest
from oodexp.scorer.base import Fast
from oodexp.scorer.precision import error_band

if TYPE_CHECKING:
    from oodexp.recipe.base import Desk, Parts
    from oodexp.recipe.world import World
    from oodexp.scorer.base import Pairwise, Scorer

SAMPLE = 64
"""Images that the band is first measured on: of the lowest sha256, whatever their order."""

SAFETY = 2.0
"""The band is this many times the largest difference seen: other images may differ by more."""


@dataclass(slots=True)
class Refined:
    """What refining a source changed for one scorer."""

    band: float
    """By how much a logit may be off, in units of a logit."""
    again: np.ndarray
    """bool, (image,): rows of logits that are those of float32."""
    changed: int
    """Number of present pairs whose verdict by this scorer is another now."""
    fingerprint: dict[str, object]
    """What the rows of float32 rest on."""


@dataclass(slots=True)
class _Twin:
    """A fast scorer's logits beside those of float32, as far as they are known."""

    scorer: Scorer | Pairwise
    fast: np.ndarray
    exact: np.ndarray
    known: np.ndarray
    used: np.ndarray
    fingerprint: dict[str, object] = field(default_factory=dict)

    @property
    def band(self) -> float:
        return SAFETY * error_band(self.fast[self.known], self.exact[self.known])

    @property
    def logits(self) -> np.ndarray:
        return np.where(self.used[:, None], self.exact, self.fast)


def refine(parts: Parts, world: World, scored: Scored) -> tuple[Scored, dict[str, Refined]]:
    """Logits whose verdicts are those of float32 within the measured band.

    Args:
        parts: The parts of the run.
        world: The source.
        scored: Its logits as the scorers gave them.

    Returns:
        The logits with rows of float32 in them, and what was done, by fast scorer; unchanged and
        empty when no scorer is fast, the divider cannot tell, or `predict.refine` is off.
    """
    fast = {
        name: part
        for name, part in parts.scorers.items()
        if isinstance(part, Fast) and part.precision != "float32"
    }
    if not fast or not parts.loop.refine or not isinstance(parts.division, Refinable):
        return scored, {}
    twins = {name: _twin(part, scored.logits[name]) for name, part in fast.items()}
    readable = _readable(world, scored)
    order = np.argsort(world.images["sha256"].fillna("").to_numpy(dtype=str), kind="stable")
    sample = np.zeros_like(readable)
    sample[order[readable[order]][:SAMPLE]] = True
    _score(parts, world, twins, dict.fromkeys(twins, sample))
    links = {name: part.link for name, part in parts.scorers.items()}
    while wanted := _in_doubt(parts.division, world, scored, twins, links, readable):
        _score(parts, world, twins, wanted)
        for name, rows in wanted.items():
            twins[name].used |= rows
    logits = scored.logits | {name: twin.logits for name, twin in twins.items()}
    before = parts.division.flags(world.matrix, scored.logits, links)
    after = parts.division.flags(world.matrix, logits, links)
    done = {
        name: Refined(
            twin.band, twin.used, int((before[name] != after[name]).sum()), twin.fingerprint
        )
        for name, twin in twins.items()
    }
    return Scored(logits, scored.reasons, scored.fingerprints, scored.scored_images), done


def marks(mark: str, done: Refined | None) -> str | np.ndarray:
    """The digest of what each row of logits rests on, (image,); the one of all where all are alike.

    Args:
        mark: Digest of the scorer's own fingerprint.
        done: What refining did.
    """
    if done is None or not done.again.any():
        return mark
    return np.where(done.again, digest(done.fingerprint), mark).astype(object)


def tell(desk: Desk, settled: Sequence[Mapping[str, Refined]]) -> dict[str, float]:
    """Notes a line for the report and keeps the twins' fingerprints.

    Args:
        desk: The run's desk.
        settled: What refining did, by fast scorer, of each source.

    Returns:
        Metrics `scorer/<name>/error_band` (the widest of the sources), `rescored_images` and
        `changed_verdicts`.
    """
    found: dict[str, float] = {}
    for name in dict.fromkeys(name for one in settled for name in one):
        mine = [one[name] for one in settled if name in one]
        band, images = max(m.band for m in mine), sum(int(m.again.sum()) for m in mine)
        total, changed = sum(len(m.again) for m in mine), sum(m.changed for m in mine)
        for twin in [m.fingerprint for m in mine if m.again.any()][:1]:
            desk.fingerprint(f"{name}-float32", twin)
        desk.notes.append(
            f"{name}: logits taken to be within {band:.3g} of float32; {images:,} of {total:,} "
            f"images scored again in float32, {changed:,} verdicts changed"
        )
        prefix = f"scorer/{name}/"
        found |= {
            f"{prefix}error_band": band,
            f"{prefix}rescored_images": float(images),
            f"{prefix}changed_verdicts": float(changed),
        }
    return found


def _twin(part: Fast, logits: np.ndarray) -> _Twin:
    rows = len(logits)
    nothing = np.full_like(logits, np.nan)
    return _Twin(part.exact(), logits, nothing, np.zeros(rows, bool), np.zeros(rows, bool))


def _readable(world: World, scored: Scored) -> np.ndarray:
    images = world.images
    lost = images["image_id"].isin(list(scored.reasons))
    return np.asarray(images["sha256"].notna() & ~lost, dtype=bool)


def _in_doubt(
    divider: Refinable, world: World, scored: Scored, twins: Mapping[str, _Twin],
    links: Mapping[str, str], readable: np.ndarray,
) -> dict[str, np.ndarray]:  # fmt: skip
    """The images still to take from float32, bool, (image,), by scorer; empty when all is sure."""
    none = np.zeros(len(readable))
    bands = {
        name: np.where(twins[name].used, 0, twins[name].band) if name in twins else none
        for name in scored.logits
    }
    current = scored.logits | {name: twin.logits for name, twin in twins.items()}
    cells = divider.unsure(world.matrix, current, bands, links)
    found = {name: cells[name].any(axis=1) & readable & ~twins[name].used for name in twins}
    return {name: rows for name, rows in found.items() if rows.any()}


def _score(
    parts: Parts, world: World, twins: Mapping[str, _Twin], wanted: Mapping[str, np.ndarray]
) -> None:
    """Fills in the float32 logits of the wanted rows; one decode where scorers want the same."""
    new = {name: rows & ~twins[name].known for name, rows in wanted.items()}
    while new:
        rows = next(iter(new.values()))
        names = [name for name, other in new.items() if np.array_equal(other, rows)]
        new = {name: other for name, other in new.items() if name not in names}
        if not rows.any():
            continue
        found = score_images(
            world.images[rows], world.matrix.categories, world.source.read,
            {name: twins[name].scorer for name in names}, parts.store, parts.loop,
        )  # fmt: skip
        for name in names:
            twins[name].exact[rows] = found.logits[name]
            twins[name].known |= rows
            twins[name].fingerprint = found.fingerprints[name]
