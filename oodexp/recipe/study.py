"""One study: a tracked run of its own, and below it one of each trial."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from oodexp.ablation.identity import identity
from oodexp.ablation.regroup import named
from oodexp.record import SPLITS
from oodexp.report.study import draw_study
from oodexp.report.waiting import waiting
from oodexp.search.base import Outcome, Trial
from oodexp.search.pareto import pareto

if TYPE_CHECKING:
    from oodexp.ablation.base import Plan
    from oodexp.ablation.regroup import Regrouped
    from oodexp.recipe.base import Desk
    from oodexp.recipe.ground import Ground
    from oodexp.search.base import Searcher
    from oodexp.tracker.base import Run


LOGARITHMIC = "threshold"
"""Dimensions that begin so are drawn on a logarithmic axis."""


@dataclass(frozen=True, slots=True)
class Studied:
    """A study whose trials have ended."""

    plan: Plan
    """What was varied."""
    trials: list[Trial]
    """Its trials."""
    front: list[Trial]
    """Those that no other one beats in every objective."""

    def label(self, trial: Trial) -> str:
        """The settings of a trial in a few words."""
        return self.plan.label(trial.settings)


def study(desk: Desk, searcher: Searcher, plan: Plan, ground: Ground) -> Studied:
    """Evaluates what the study still lacks; settings that were evaluated before are not again."""
    with (
        desk.run.child(plan.name, {"study": plan.name}) as run,
        waiting(f"trials of {plan.name}", plan.space.size) as advance,
    ):

        def evaluate(number: int, settings: Mapping[str, Any]) -> Outcome:
            found = ground.regroup(plan.setting(settings))
            numbers = named(ground.stock, found)
            label = plan.label(settings)
            tags = {"study": plan.name, "trial": str(number), "label": label}
            with run.child(f"{plan.name} {number}", tags) as child:
                child.params({name: _plain(value) for name, value in settings.items()})
                child.metrics(numbers)
            advance()
            reason = _unasked(found)
            values = {n: None if reason else numbers[n] for n in plan.directions}
            return Outcome(values, reason or _empty(found), child.run_id)

        mark = identity(ground.stock, ground.base)
        trials = searcher.search(plan.name, plan.space, plan.directions, evaluate, mark)
        done = Studied(plan, trials, pareto(trials, plan.directions))
        run.text("trials.json", _listed(done))
        run.metrics({"trials": float(len(trials)), "front": float(len(done.front))})
        _draw(desk, run, done)
    return done


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _unasked(found: Regrouped) -> str:
    """Why the numbers of a trial are not those of its division; empty when they are."""
    lost = int(found.unasked.sum(axis=1).max(initial=0))
    if not lost:
        return ""
    return (
        f"{lost} drawn pairs were not asked about: absent pairs of an ID pool are drawn for each "
        "setting anew, and only settings that can be listed are known before the questions are put"
    )


def _empty(found: Regrouped) -> str:
    """Which splits have no pairs; empty when all have some."""
    none = [s for s, n in zip(SPLITS, found.drawn_pairs, strict=True) if not n]
    return f"no pair in {', '.join(none)}" if none else ""


def _listed(done: Studied) -> str:
    """The trials as JSON, each with the run that holds it, which may be an earlier one's child."""
    inside = {t.number for t in done.front}
    rows = [
        {
            "trial": t.number, "label": done.label(t), "settings": dict(t.settings),
            "values": dict(t.values), "state": t.state, "reason": t.reason, "run_id": t.run_id,
            "front": t.number in inside,
        }
        for t in done.trials
    ]  # fmt: skip
    return json.dumps(rows, indent=1, ensure_ascii=False) + "\n"


def _draw(desk: Desk, run: Run, done: Studied) -> None:
    """Keeps the figures of a study: history, slice, front, and a contour of each objective."""
    names, ways = list(done.plan.directions), list(done.plan.directions.values())
    numbers = np.array([t.number for t in done.trials], dtype=np.int64)
    settings = [dict(t.settings) for t in done.trials]
    rows = [[t.values[n] for n in names] for t in done.trials]
    values = np.array(rows, dtype=np.float64).reshape(len(rows), len(names))
    dimensions = done.plan.space.dimensions
    log = [n for n in dimensions if n.startswith(LOGARITHMIC)]
    log = [n for n in log if all(s[n] > 0 for s in settings)]
    inside = np.isin(numbers, [t.number for t in done.front])
    drawn = draw_study(numbers, settings, values, names, ways, inside, log)
    for name, figure in drawn.items():
        desk.figure(f"{done.plan.name}/{name}", figure, run)
