"""A search over settings of the user's own choice: its trials, its front, its figures."""

from __future__ import annotations

from oodexp.recipe.ablation import chosen, end, keep, show_study, studies
from oodexp.recipe.ablations import Ablations
from oodexp.recipe.base import Desk
from oodexp.tracker.base import Run


def main(run: Run, parts: Ablations) -> bool:
    """Whatever studies the ablation consists of.

    Returns:
        Whether something was left out.
    """
    desk = Desk(run)
    ground, done = studies(desk, parts)
    with desk.stage("report"):
        if done:
            keep(desk, done, chosen(done, ground), ground)
        for one in done:
            show_study(desk, one)
    return end(desk, parts)
