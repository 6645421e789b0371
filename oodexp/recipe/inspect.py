"""What a source holds, before any model is run on it."""

from __future__ import annotations

from oodexp.recipe import step
from oodexp.recipe.base import Desk, Sources
from oodexp.report.holding import show_holding
from oodexp.tracker.base import Run


def main(run: Run, parts: Sources) -> bool:
    """Images, empty images, pairs, unknown cells, counts, categories, problems of each source.

    Returns:
        Whether something could not be read.
    """
    desk = Desk(run)
    for world in step.annotate(desk, parts.sources):
        matrix = world.matrix
        problems = desk.problems[desk.problems["source"] == matrix.source]
        show_holding(world.images, world.pairs, matrix.categories, matrix.presence, problems)
    return step.left_out(desk)
