"""What asking will take, before anything is asked: the main line up to its questions."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from oodexp import record, table
from oodexp.predict.answering import stand
from oodexp.recipe import step
from oodexp.recipe.base import Desk, Parts
from oodexp.recipe.bill import estimate, together
from oodexp.recipe.outlook import foresee
from oodexp.recipe.world import World, calibration
from oodexp.report.bill import show_bill
from oodexp.tracker.base import Run
from oodexp.vlm.base import Calibrated, Estimated

if TYPE_CHECKING:
    from oodexp.predict.scoring import Scored


def main(run: Run, parts: Parts) -> bool:
    """What scoring will take; scores, division, questions; then what asking each VLM will.

    Returns:
        Whether something was left out.
    """
    desk = Desk(run)
    step.at_hand(parts)
    worlds = step.annotate(desk, parts.sources)
    foresee(desk, parts.scorers, worlds, parts.store, parts.loop)
    scored = step.score(desk, parts, worlds)
    step.divide(desk, parts, worlds, scored)
    step.question(desk, parts.question, worlds)
    estimates = list(_estimates(desk, parts, worlds, scored))
    show_bill(desk.keep("estimates", table.frame(record.Estimate, estimates)))
    run.metrics(together(estimates))
    return step.left_out(desk)


def _estimates(
    desk: Desk, parts: Parts, worlds: Sequence[World], scored: Sequence[Scored]
) -> Iterator[record.Estimate]:
    questions = desk.tables["questions"]
    for name, idle in parts.vlms.items():
        for world, scores in zip(worlds, scored, strict=True):
            vlm = copy.copy(idle)
            if isinstance(vlm, Calibrated):
                vlm.calibrate(calibration(world, scores.reasons))
            mine = questions[questions["source"] == world.source.name]
            known = stand(vlm, mine, world.images, parts.store)
            asked = pd.DataFrame(
                [(row.image_id, row.prompt, row.most) for row in known.missing],
                columns=["image_id", "prompt", "max_tokens"],
            )
            lacking = {row.key for row in known.missing}
            have = [key for key in known.keys.unique().to_pylist() if key not in lacking]
            said = known.shelf.read(have).to_pandas() if have else table.frame(record.Completion)
            tariff = vlm.tariff() if isinstance(vlm, Estimated) else None
            yield estimate(name, world.source.name, asked, said, tariff)
