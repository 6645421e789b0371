"""What scoring a concept set will take: time and disk of every model, before it is done."""

from __future__ import annotations

from oodexp.recipe import step
from oodexp.recipe.base import Desk
from oodexp.recipe.concept_ground import Concepts
from oodexp.recipe.outlook import foresee
from oodexp.tracker.base import Run


def main(run: Run, parts: Concepts) -> bool:
    """Images of the set and of its references; a model that never ran is timed on a few of them.

    Returns:
        Whether something was left out.
    """
    desk = Desk(run)
    step.at_hand(parts)
    every = step.beside(parts.sources, parts.common, parts.rare, parts.negative)
    worlds = step.annotate(desk, every)
    foresee(desk, parts.scorers, worlds, parts.store, parts.loop)
    return step.finish(desk)
