"""Which concepts dual encoders recognise, by model, level, category, year (Tables C1 to C8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from oodexp import record, table
from oodexp.ablation.bare import bare, calibration
from oodexp.concept.model import lookup
from oodexp.concept.recognise import LEVELS, Recognised, Seen, recognised, rows
from oodexp.metric.landscape import landscape
from oodexp.predict.scoring import score
from oodexp.recipe import step
from oodexp.recipe.base import Desk
from oodexp.recipe.concept_chat import chat
from oodexp.recipe.concept_ground import Concepts, Ground, lay
from oodexp.recipe.concept_tables import contrasts, models, variants, years
from oodexp.recipe.world import World, look
from oodexp.report.concept_landscape import Panel, draw_landscapes
from oodexp.report.concept_recognition_figures import draw_matrix, draw_models, draw_years
from oodexp.report.concept_recognition_tables import (
    category_table,
    contrast_table,
    overall_table,
    variant_table,
    year_table,
)
from oodexp.report.layout import console
from oodexp.tracker.base import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from oodexp.concept.model import Model

PAIR = ("L1", "L2")


def main(run: Run, parts: Concepts) -> bool:
    """Levels, cosines of every model, recognition; tables, landscapes, VLMs beside.

    Returns:
        Whether something was left out.
    """
    desk = Desk(run)
    ground = lay(desk, parts)
    with desk.stage("recognise"):
        seen = {name: _seen(desk, parts, ground, name) for name in parts.scorers}
        found = recognised(ground.bench, seen, parts.protocol)
        kept = table.frame(record.Recognition, list(rows(ground.bench, found)))
        desk.keep("recognition", kept)
    known = lookup(parts.scorers, parts.protocol)
    with desk.stage("report"):
        _show(parts, ground, found, known)
        _draw(desk, parts, ground, found, known)
        for name in found.models:
            with run.child(name, {"model": name, "family": known[name].family}) as child:
                mine = kept[kept["model"] == name]
                child.metrics({f"{r.level}/{r.category}": r.rate for r in mine.itertuples()})
    if parts.vlms:
        chat(desk, parts, ground, found)
    return step.finish(desk)


def _seen(desk: Desk, parts: Concepts, ground: Ground, name: str) -> Seen:
    """Cosines of one model; its image vectors come from the store where they are."""
    desk.fingerprint(name, parts.scorers[name].fingerprint())
    common = look(next(iter(parts.common.values())))
    negative = [look(source) for source in parts.negative.values()]
    return Seen(
        _cosines(parts, ground, name, ground.world), _cosines(parts, ground, name, common),
        np.concatenate([_cosines(parts, ground, name, world) for world in negative]),
    )  # fmt: skip


def _cosines(parts: Concepts, ground: Ground, name: str, world: World) -> np.ndarray:
    """Cosines of a source's images to all phrases, float32, (image, phrase)."""
    phrases, scorer = ground.bench.names.phrases, parts.scorers[name]
    images, read = world.images, world.source.read
    found = score(images, phrases, read, {name: scorer}, parts.store, parts.loop)
    return bare(found.logits[name], calibration(scorer, parts.store, phrases, parts.loop))


def _show(parts: Concepts, ground: Ground, found: Recognised, known: dict[str, Model]) -> None:
    """Tables C1 to C8."""
    screen = console()
    every = models(ground, found, known)
    screen.print(overall_table(every, PAIR, found.cutoffs[0].rule))
    for level in PAIR:
        screen.print(category_table(every, level))
    screen.print(year_table(years(found, known), PAIR))
    for level in PAIR:
        told = variants(found, known, level)
        if told:
            screen.print(variant_table(told, level))
    for title, groups, compared in contrasts(ground, found, known, parts.protocol):
        screen.print(contrast_table(title, groups, compared))


def _draw(
    desk: Desk, parts: Concepts, ground: Ground, found: Recognised, known: dict[str, Model]
) -> None:
    """Figures 4, 5, C1 to C3."""
    names, run = ground.bench.names, desk.run
    values = np.stack([found.table(level)[:, -1] for level in PAIR], axis=1)
    ends = [[[getattr(r[-1].over_images, end) for r in mine] for mine in found.rates]
            for end in ("lower", "upper")]  # fmt: skip
    lower, upper = np.array(ends)
    families = [known[name].family for name in found.models]
    marked = [found.models.index(parts.model)]
    run.figure("models", draw_models(values, lower, upper, found.models, families, PAIR, marked))
    for level in PAIR:
        rates = found.table(level)
        columns = [*names.categories, "overall"]
        run.figure(f"matrix/{level}", draw_matrix(rates, found.models, columns, level))
    by_year: dict[int, list[int]] = {}
    for n, name in enumerate(found.models):
        year = known[name].year
        if year is not None:
            by_year.setdefault(year, []).append(n)
    if by_year:
        run.figure("years", _years(found, by_year, names.categories))
        run.figure("landscape", _landscapes(ground, found, by_year))


def _years(found: Recognised, by_year: dict[int, list[int]], categories: list[str]) -> Figure:
    """Figure 5: mean recognition by year, in all and by category."""
    order = sorted(by_year)
    tables = {level: found.table(level) for level in LEVELS}
    panels = {}
    for c, title in [(-1, "all"), *enumerate(categories)]:
        mean = np.array(
            [[np.nanmean(tables[level][by_year[y], c]) for y in order] for level in LEVELS]
        )
        none = np.full(mean.shape, np.nan)
        panels[title] = (mean, none, none)
    labels = [f"{year}\n(n = {len(by_year[year])})" for year in order]
    return draw_years(panels, labels, list(LEVELS))


def _landscapes(ground: Ground, found: Recognised, by_year: dict[int, list[int]]) -> Figure:
    """Figures 2 and C3: concepts by mean recognition on L2, earliest and latest year."""
    names = ground.bench.names
    rates = found.concepts["L2"].values
    chosen = sorted({min(by_year), max(by_year)})
    panels = []
    for year in chosen:
        placed = landscape(rates[by_year[year]], names.of_phrase, names.phrases)
        points = np.stack([placed.x, placed.y], axis=1)
        panels.append(Panel(f"{year} (n = {len(by_year[year])})", points, placed.rate))
    families = [names.categories[c] for c in names.of_phrase]
    return draw_landscapes(panels, names.phrases, families)
