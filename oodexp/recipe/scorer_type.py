"""The kind of scorers: divisions by other groups of models beside the first (Table III)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from oodexp.metric.agreement import agreement
from oodexp.recipe.ablation import end, show_study, studied
from oodexp.recipe.ablations import Ablations
from oodexp.recipe.base import Desk
from oodexp.recipe.trials import difference_rows
from oodexp.report.agreement import Agreeing, agreement_table
from oodexp.report.layout import console
from oodexp.report.trials import value_table
from oodexp.tracker.base import Run

if TYPE_CHECKING:
    from oodexp.recipe.ground import Ground
    from oodexp.recipe.study import Studied
    from oodexp.recipe.trials import Shown
    from oodexp.record import TrialValue

PAPER = "paper (accuracy against Group I): Qwen2-VL -1.11, -1.43; Gemini +0.86, +0.06 points"


def main(run: Run, parts: Ablations) -> bool:
    """One study over groups; paired differences to the first, kappa, Jaccard, seconds.

    Returns:
        Whether something was left out.
    """
    desk = Desk(run)
    ground, told = studied(desk, parts, _against_first)
    for done, trials in told:
        show_study(desk, done)
        rows = desk.tables["trial_values"].query("contrast != 'none' and metric == 'accuracy'")
        title = f"Accuracy minus that of group {trials[0].label}, points, paired over images"
        others, mixes = desk.tables["trials"].iloc[1:], desk.tables["trial_mixes"]
        console().print(value_table(title, others, rows, mixes, caption=PAPER))
        _agree(desk, ground, trials)
    return end(desk, parts)


def _against_first(done: Studied, trials: Sequence[Shown], ground: Ground) -> Iterator[TrialValue]:
    return difference_rows(done, trials[0], trials[1:], ground)


def _agree(desk: Desk, ground: Ground, trials: Sequence[Shown]) -> None:
    """Prints and tracks how far each division agrees with the first."""
    rows = list(_rows(ground, trials))
    for row in rows:
        numbers = {f"agreement/{row.label}/kappa": row.kappa, f"seconds/{row.label}": row.seconds}
        numbers |= {f"agreement/{row.label}/jaccard/{s}": v for s, v in row.jaccard.items()}
        desk.run.metrics(numbers)
    console().print(agreement_table(trials[0].label, rows, len(desk.tables["images"])))


def _rows(ground: Ground, trials: Sequence[Shown]) -> Iterator[Agreeing]:
    present = ground.stock.present
    first = trials[0].found.split[present]
    for one in trials:
        found = agreement(first, one.found.split[present])
        seconds = sum(ground.seconds[name] for name in one.found.setting.scorers)
        yield Agreeing(
            one.label, found.kappa, found.same, found.jaccard, found.pairs, found.left_out, seconds
        )
