"""What every ablation does once its trials have ended: tables kept, printed, and the way out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from oodexp import record, table
from oodexp.predict.ranks import rank
from oodexp.recipe import step
from oodexp.recipe.base import Desk
from oodexp.recipe.ground import Ground, lay
from oodexp.recipe.page import keep_page
from oodexp.recipe.study import Studied, study
from oodexp.recipe.trials import Shown, mix_rows, shown, trial_rows, value_rows
from oodexp.record import TrialValue
from oodexp.report.layout import console
from oodexp.report.trials import common_table, front_table, lost_rows, mix_table, value_table

if TYPE_CHECKING:
    import pandas as pd

    from oodexp.recipe.ablations import Ablations

MOST_TOLD = 12
"""Trials whose mixes are printed; of more, those of the front. All are in the tables."""


Told = tuple[Studied, list[Shown]]
"""A study, and its trials that get intervals."""
More = Callable[[Studied, Sequence[Shown], Ground], Iterable[TrialValue]]
"""Gives further rows of `trial_values` of a study: differences between trials."""


def studied(desk: Desk, parts: Ablations, more: More | None = None) -> tuple[Ground, list[Told]]:
    """All studies of the ablation, their tables kept; none on a rank that only runs models.

    Args:
        desk: The run's desk.
        parts: The parts of the run.
        more: Adds differences between trials.
    """
    ground = lay(desk, parts)
    if rank() > 0:
        return ground, []
    with desk.stage("study"):
        done = [study(desk, parts.search, plan, ground) for plan in ground.plans]
    with desk.stage("interval"):
        told = [(one, shown(one, ground)) for one in done]
        _keep(desk, told, ground, more)
    return ground, told


def _keep(desk: Desk, told: Sequence[Told], ground: Ground, more: More | None) -> None:
    """Keeps `trials`, `trial_values` and `trial_mixes` of all studies."""
    trials = [row for done, _ in told for row in trial_rows(done)]
    desk.keep("trials", table.frame(record.Trial, trials))
    values = [row for done, mine in told for row in value_rows(done, mine, ground)]
    if more is not None:
        values += [row for done, mine in told for row in more(done, mine, ground)]
    desk.keep("trial_values", table.frame(record.TrialValue, values))
    mixes = [row for done, mine in told for row in mix_rows(done, mine, ground)]
    desk.keep("trial_mixes", table.frame(record.TrialMix, mixes))


def show_study(desk: Desk, done: Studied, caption: str | None = None) -> None:
    """Prints the front of a study, and of its trials with intervals values and mixes."""
    screen, name = console(), done.plan.name
    trials, values, mixes = (_of(desk, n, name) for n in ("trials", "trial_values", "trial_mixes"))
    told = trials[trials["trial"].isin(values["trial"])]
    few = told[told["front"]] if len(told) > MOST_TOLD else told
    own = values.query("mix == 'own' and contrast == 'none' and metric == 'accuracy'")
    title = f"{done.plan.title}: accuracy, percent"
    whole = len(told) == len(trials)
    screen.print(value_table(title if whole else f"{title}, trials of the front", told, own, mixes,
                             caption=caption))  # fmt: skip
    screen.print(mix_table(few, mixes))
    common = common_table(few, values)
    if common is not None:
        screen.print(common)
    screen.print(front_table(done.plan.title, trials))
    for line in lost_rows(trials):
        screen.print(line, soft_wrap=True, highlight=False)


def end(desk: Desk, parts: Ablations) -> bool:
    """Waits for helper processes, keeps `problems` and times; whether something was left out."""
    for line in parts.search.join():
        desk.notes.append(line)
    lost = step.finish(desk)
    keep_page(desk, parts)
    return lost


def _of(desk: Desk, name: str, study_name: str) -> pd.DataFrame:
    rows = desk.tables[name]
    return rows[rows["study"] == study_name]
