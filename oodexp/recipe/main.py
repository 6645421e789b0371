"""The main line: how much a VLM loses from ID to OOD-S to OOD-H (OODBench, Table I)."""

from __future__ import annotations

from oodexp.recipe import step
from oodexp.recipe.asking import ask
from oodexp.recipe.base import Desk, Parts
from oodexp.recipe.page import keep_page
from oodexp.tracker.base import Run


def main(run: Run, parts: Parts) -> bool:
    """Weights at hand, annotations, scores, division, questions, answers, metrics, report.

    Returns:
        Whether something was left out (see the table `problems`).
    """
    desk = Desk(run)
    with desk.stage("check"):
        step.at_hand(parts)
    with desk.stage("source"):
        worlds = step.annotate(desk, parts.sources)
    with desk.stage("score"):
        scored = step.score(desk, parts, worlds)
    with desk.stage("divide"):
        step.divide(desk, parts, worlds, scored)
    with desk.stage("ask"):
        step.question(desk, parts.question, worlds)
        ask(desk, parts, worlds, scored)
    del scored  # the whole matrix of logits of each scorer
    with desk.stage("read"):
        step.read(desk, parts.readers)
    with desk.stage("measure"):
        step.measure(desk, parts.metric)
    lost = step.report(desk, parts)
    keep_page(desk, parts)
    return lost
