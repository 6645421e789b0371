"""What the trials of an ablation stand on: scores, the pairs that any can select, answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from oodexp.ablation.bare import BARE, calibration, with_bare
from oodexp.ablation.chosen import variant
from oodexp.ablation.lot import Lot, lot
from oodexp.ablation.regroup import Regrouped, Setting, regroup
from oodexp.ablation.stock import Stock, relaid, stock
from oodexp.ablation.union import union
from oodexp.error import OodexpError
from oodexp.metric.bootstrap import resample_weights
from oodexp.predict.scoring import score as score_images
from oodexp.question.base import Known, Presence
from oodexp.recipe import step
from oodexp.recipe.ablations import plan
from oodexp.recipe.asking import ask
from oodexp.scorer.base import Worded

if TYPE_CHECKING:
    from oodexp.ablation.base import Plan
    from oodexp.predict.scoring import Scored
    from oodexp.recipe.ablations import Ablations
    from oodexp.recipe.base import Desk
    from oodexp.recipe.world import World

Lots = Callable[[dict[str, str]], list[Lot]]
"""Lots of all sources for given competitors; see `division.signal.competes`."""


@dataclass(slots=True)
class Ground:
    """What the trials of all studies share."""

    base: Setting
    """The setting of the configuration, with all of its scorers."""
    plans: list[Plan]
    """The studies."""
    stock: Stock
    """Scores and answers."""
    weights: np.ndarray
    """Draws of images for every interval, (resample, image)."""
    seconds: dict[str, float]
    """What each scorer took for all images when it was run, NaN where the store does not say."""
    lots: Lots
    """Gives the lots of all sources."""
    _stocks: dict[tuple[str, ...], Stock] = field(default_factory=dict)

    def on(self, setting: Setting) -> Stock:
        """The stock whose scores have the competitors that a setting wants."""
        wanted = setting.division.field
        if wanted == self.base.division.field:
            return self.stock
        key = tuple(wanted.values())
        if key not in self._stocks:
            self._stocks[key] = relaid(self.stock, self.lots(wanted))
        return self._stocks[key]

    def regroup(self, setting: Setting) -> Regrouped:
        """One trial."""
        return regroup(self.on(setting), setting)


def lay(desk: Desk, parts: Ablations) -> Ground:
    """Annotations, scores, the union of what any trial can select, questions, answers.

    Raises:
        OodexpError: See `plan`, and the steps of the main line.
    """
    with desk.stage("check"):
        step.at_hand(parts)
        base, plans = plan(parts)
    with desk.stage("source"):
        worlds = step.annotate(desk, parts.sources)
    with desk.stage("score"):
        scored = step.score(desk, parts, worlds)
        lots = _laid(parts, worlds, scored)
    with desk.stage("divide"):
        step.divide(desk, parts, worlds, scored)
    with desk.stage("ask"):
        _question(desk, parts, worlds, lots, base, plans)
        ask(desk, parts, worlds, scored)
    with desk.stage("read"):
        step.read(desk, parts.readers)
    tables = desk.tables
    whole = stock(
        lots(base.division.field), tables["pairs"], tables["questions"], tables["answers"]
    )
    rng = np.random.default_rng(parts.ablation.seed)
    weights = resample_weights(whole.images, parts.ablation.resamples, rng)
    return Ground(base, plans, whole, weights, _seconds(scored), lots)


def _laid(parts: Ablations, worlds: Sequence[World], scored: Sequence[Scored]) -> Lots:
    """Gives the lots of all sources, with the scorers' other templates and temperatures."""
    links = {name: scorer.link for name, scorer in parts.scorers.items()}
    whole = []
    for world, scores in zip(worlds, scored, strict=True):
        names = world.matrix.categories
        known = {
            name: calibration(parts.scorers[name], parts.store, names, parts.loop)
            for name in parts.ablation.uncalibrated
        }
        whole.append(with_bare(scores.logits, known) | _worded(parts, world))
    for name in parts.scorers:
        links[f"{name}{BARE}"] = links[name]
        links |= {variant(name, text): links[name] for text in parts.ablation.templates}

    def lots(wanted: dict[str, str]) -> list[Lot]:
        return [
            lot(world.matrix, logits, links, **wanted)
            for world, logits in zip(worlds, whole, strict=True)
        ]

    return lots


def _worded(parts: Ablations, world: World) -> dict[str, np.ndarray]:
    """Logits of the scorers with other templates: image vectors come from the store."""
    found: dict[str, np.ndarray] = {}
    for text in parts.ablation.templates:
        other = {}
        for name, scorer in parts.scorers.items():
            if not isinstance(scorer, Worded):
                raise OodexpError(
                    f"ablation.space.template: the image vectors of {name} rest on its template, "
                    "so another one would run it again; leave out the scorer or the template"
                )
            other[variant(name, text)] = scorer.worded((text,))
        images, names, read = world.images, world.matrix.categories, world.source.read
        found |= score_images(images, names, read, other, parts.store, parts.loop).logits
    return found


def _question(
    desk: Desk, parts: Ablations, worlds: Sequence[World], lots: Lots, base: Setting,
    plans: Sequence[Plan],
) -> None:  # fmt: skip
    """Keeps `asked`, the pairs that any trial can select, and `questions` about them."""
    listed = [study.listed() for study in plans]
    settings = [base, *(setting for each in listed for setting in each or ())]
    field_of = base.division.field
    other = [s for s in settings if s.division.field != field_of]
    if other or None in listed:  # what they draw is not known beforehand: all they could
        free = {s.scorers for s in other} | {s for study in plans for s in study.scorers()}
        whole = base.division.changed(rule="all", thresholds={}, id_size="all", cap=None)
        settings += [replace(base, scorers=s, division=whole) for s in sorted(free)]
    members = union(lots(field_of), [s for s in settings if s.division.field == field_of])
    asked = desk.keep("asked", members)
    matrices = [
        Presence(m.source, m.image_ids, m.categories, m.presence)
        for m in (world.matrix for world in worlds)
    ]
    known = Known(asked, desk.tables["pairs"], matrices)
    desk.keep("questions", parts.question.ask(known))


def _seconds(scored: Sequence[Scored]) -> dict[str, float]:
    return {
        name: float(sum(one.seconds.get(name, np.nan) for one in scored))
        for name in scored[0].logits
    }
