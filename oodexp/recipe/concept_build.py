"""A concept benchmark built: thresholds, levels L0 to L2, what they hold, its release (A4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from oodexp.division.filter_cascade import LEVELS, composition, retention
from oodexp.predict.store import digest
from oodexp.recipe import step
from oodexp.recipe.base import Desk
from oodexp.recipe.concept_ground import Concepts, Ground, lay
from oodexp.recipe.concept_release import near_duplicates
from oodexp.report.concept_figures import Distribution, draw_composition, draw_scores
from oodexp.report.concept_tables import (
    ALL,
    Composed,
    Retained,
    composition_table,
    retention_table,
)
from oodexp.report.data_card import Card, Model, Rule, data_card
from oodexp.report.layout import console
from oodexp.report.release import Duplicates, Release, Waiver, check
from oodexp.report.requirements import requirement_table
from oodexp.tracker.base import Run

if TYPE_CHECKING:
    from oodexp.concept.bench import Bench

STEPS = ((0, 2), (2, 3), (0, 3))
"""Columns of the cascade that Table A4 goes from and to."""
RULES = {
    "common": ("T1", "S_1K > T1 keeps", "above"),
    "rare": ("T2", "S_21K > T2 keeps", "above"),
    "target": ("T3", "S_Txt < T3 keeps", "below"),
}
WHAT = (
    "Images collected for open-world concepts, one phrase an image. L1 leaves out what is near a "
    "common category or a rare reference, L2 what a dual encoder aligns well with its own phrase."
)
LIMITS = (
    "Levels rest on one construction model and its prompt; another gives others.",
    "Rates say which concepts a model recognises under this protocol, nothing of safety.",
)


def main(run: Run, parts: Concepts) -> bool:
    """Thresholds, scores, levels; retention, composition, distributions, near-duplicates, card.

    Returns:
        Whether something was left out.
    """
    desk = Desk(run)
    ground = lay(desk, parts)
    with desk.stage("report"):
        screen, bench = console(), ground.bench
        screen.print(retention_table(list(_retained(bench))))
        screen.print(composition_table(list(_composed(bench))))
        _draw(desk, bench)
        release = _release(parts, ground)
        card = Card(
            ground.world.source.name, WHAT, release, list(_rules(bench)), _models(parts), LIMITS
        )
        run.text("data_card.md", data_card(card))
        screen.print(requirement_table(check(release)))
    return step.finish(desk)


def _retained(bench: Bench) -> Iterator[Retained]:
    names, kept = bench.names, bench.cascade.kept
    counts = retention(kept, names.category, len(names.categories)).counts
    rows = [*zip(names.categories, counts, strict=True), (ALL, counts.sum(axis=0))]
    for category, mine in rows:
        for start, end in STEPS:
            yield Retained(category, LEVELS[start], LEVELS[end], int(mine[start]), int(mine[end]))


def _composed(bench: Bench) -> Iterator[Composed]:
    names = bench.names
    shape = len(names.categories), len(names.ways), len(names.phrases)
    held = composition(bench.cascade.kept, names.category, names.way, names.phrase, shape)
    for level in (0, 2, 3):
        for c, category in enumerate(names.categories):
            images = {way: int(held.images[c, w, level]) for w, way in enumerate(names.ways)}
            yield Composed(LEVELS[level], category, images, int(held.concepts[c, level]))


def _draw(desk: Desk, bench: Bench) -> None:
    """Figure 3 and Figure A1."""
    names, levels = bench.names, [LEVELS[n] for n in (0, 2, 3)]
    shape = len(names.categories), len(names.ways), len(names.phrases)
    held = composition(bench.cascade.kept, names.category, names.way, names.phrase, shape)
    images, concepts = held.images[..., [0, 2, 3]], held.concepts[..., [0, 2, 3]]
    desk.figure(
        "composition", draw_composition(images, concepts, names.categories, names.ways, levels)
    )
    panels = []
    for name, found in bench.calibrated._asdict().items():
        label, keeps, side = RULES[name]
        groups = {"benchmark": np.asarray(getattr(bench.scores, name))}
        if name != "target" and len(found.candidates):
            groups["calibration"] = found.candidates
        title = keeps.removesuffix(" keeps")
        panels.append(Distribution(title, name, groups, found.value, label, side))  # type: ignore[arg-type]
    desk.figure("scores", draw_scores(panels))


def _rules(bench: Bench) -> Iterator[Rule]:
    for name, found in bench.calibrated._asdict().items():
        label, keeps, _ = RULES[name]
        yield Rule(label, keeps, found.value, found.rule, found.n, found.reason)


def _models(parts: Concepts) -> list[Model]:
    scorer = parts.scorers[parts.model]
    return [Model(parts.model, "construction, near-duplicates", digest(scorer.fingerprint()))]


def _release(parts: Concepts, ground: Ground) -> Release:
    kept = ground.bench.cascade.kept
    levels = {LEVELS[n]: kept[:, n] for n in (0, 2, 3)}
    waivers = [Waiver(name, told["by"], told["why"]) for name, told in parts.protocol.waive.items()]
    near = ground.near or near_duplicates(
        ground.world, ground.bench.reference.images, parts.protocol
    )
    removed = int((~near.stays).sum()) if ground.near else 0
    found = Duplicates(near.method, near.groups, near.images, removed)
    return Release(ground.concepts, levels, found, parts.protocol.declared, waivers)
