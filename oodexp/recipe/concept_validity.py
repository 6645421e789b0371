"""Whether a concept benchmark is what it says: detection, probe, sources, thresholds (D1-D10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oodexp.concept import validity as check
from oodexp.predict.image_vectors import text_vectors
from oodexp.recipe import step
from oodexp.recipe.base import Desk
from oodexp.recipe.concept_ground import Concepts, Ground, lay
from oodexp.report.concept_relation_tables import nearest_table, relation_table, spread_table
from oodexp.report.concept_scatter import draw_embedding
from oodexp.report.concept_tables import expansion_table, perturbation_table
from oodexp.report.concept_validity_tables import (
    acquisition_table,
    detection_table,
    probe_table,
    protocol_table,
)
from oodexp.report.layout import console
from oodexp.tracker.base import Run

if TYPE_CHECKING:
    from rich.console import Console


def main(run: Run, parts: Concepts) -> bool:
    """Tables D1 to D10 and Figure D2, all with the vectors of the construction model.

    Returns:
        Whether something was left out.
    """
    desk = Desk(run)
    ground = lay(desk, parts)
    screen = console()
    with desk.stage("detection"):
        screen.print(detection_table(check.detections(ground.bench, parts.protocol)))
    with desk.stage("probe"):
        screen.print(protocol_table(check.probe_protocol(parts.model, parts.protocol)))
        screen.print(probe_table(check.probes(ground.bench, parts.protocol)))
    with desk.stage("map"):
        _map(desk, ground, parts)
    with desk.stage("sources"):
        for ways, rows in check.acquisitions(ground.bench, parts.protocol):
            screen.print(acquisition_table(ways, rows))
    with desk.stage("thresholds"):
        screen.print(perturbation_table("L2", check.perturbations(ground.bench)))
        _expand(screen, ground, parts)
    with desk.stage("relations"):
        screen.print(spread_table(check.spreads(ground.bench, parts.protocol), "nats"))
        screen.print(nearest_table(check.nearest_names(ground.bench, parts.protocol)))
        screen.print(relation_table(check.related(ground.bench, parts.protocol)))
    return step.finish(desk)


def _map(desk: Desk, ground: Ground, parts: Concepts) -> None:
    """Figure D2."""
    found, level, way = check.mapped(ground.bench, parts.protocol)
    if found.reason is not None:
        desk.notes.append(f"t-SNE: {found.reason}")
        return
    note = (
        f"t-SNE, perplexity {found.perplexity:g}, init=pca, seed {found.seed}, vectors of "
        f"{parts.model}"
    )
    levels, ways = ["L1 only", "L2"], ground.bench.names.ways
    desk.figure("tsne", draw_embedding(found.points, level, way, levels, ways, note))


def _expand(screen: Console, ground: Ground, parts: Concepts) -> None:
    """Table D7: more common names."""
    protocol = parts.protocol
    common = next(iter(parts.common.values())).categories()
    more = check.further_names(common, protocol)
    if not more:
        screen.print(
            "Table D7: no further names; give concept.names=[...] or concept.wordnet=FOLDER",
            highlight=False,
        )
        return
    scorer = parts.scorers[parts.model]
    texts = text_vectors(parts.model, scorer, more, parts.store, parts.loop)
    rows = check.expanded(ground.bench, texts)
    screen.print(expansion_table(rows, f"{len(more):,} more names"))
