"""A search over settings of the user's own choice: its trials, its front, its figures."""

from __future__ import annotations

from oodexp.recipe.ablation import end, show_study, studied
from oodexp.recipe.ablations import Ablations
from oodexp.recipe.base import Desk
from oodexp.tracker.base import Run


def main(run: Run, parts: Ablations) -> bool:
    """Whatever studies the ablation consists of.

    Returns:
        Whether something was left out.
    """
    desk = Desk(run)
    for done, _ in studied(desk, parts)[1]:
        show_study(desk, done)
    return end(desk, parts)
