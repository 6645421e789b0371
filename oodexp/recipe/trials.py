"""From the trials of studies to tables: values with intervals, mixes, differences."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from oodexp.ablation.band import Bands, Resampled, bands, difference, resample
from oodexp.ablation.composition import Mix, mixes, reference, reweighted
from oodexp.ablation.regroup import PARTS, ROWS
from oodexp.metric.binary import METRICS
from oodexp.record import Trial, TrialMix, TrialValue

if TYPE_CHECKING:
    from oodexp.ablation.regroup import Regrouped
    from oodexp.recipe.ground import Ground
    from oodexp.recipe.study import Studied

MOST_INTERVALS = 40
"""Trials of a study that get intervals; of a larger one, those of its front do."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A trial of which more than its objectives is told."""

    number: int
    """Its number in the study."""
    label: str
    """Its settings in a few words."""
    found: Regrouped
    """Its division and counts."""
    draws: Resampled
    """Its values in each resample, the same images in all trials."""


def shown(done: Studied, ground: Ground) -> list[Shown]:
    """The trials that get intervals: all of a small study, else those of the front.

    Settings whose evaluation failed are left out; so are those that gave no numbers.
    """
    chosen = [t for t in done.trials if t.state in ("complete", "undefined")]
    if len(chosen) > MOST_INTERVALS:
        chosen = done.front[:MOST_INTERVALS]
    found = [(t, ground.regroup(done.plan.setting(t.settings))) for t in chosen]
    return [
        Shown(t.number, done.label(t), f, resample(ground.on(f.setting), f, ground.weights))
        for t, f in found
        if not f.unasked.any()
    ]


def trial_rows(done: Studied) -> Iterator[Trial]:
    """`record.Trial` of every trial."""
    inside = {t.number for t in done.front}
    for t in done.trials:
        yield Trial(
            done.plan.name, t.number, done.label(t), json.dumps(dict(t.settings)),
            json.dumps(dict(t.values)), t.state, t.number in inside, t.run_id, t.reason or None,
        )  # fmt: skip


def value_rows(done: Studied, trials: Sequence[Shown], ground: Ground) -> Iterator[TrialValue]:
    """`record.TrialValue` of the shown trials: as they are, and re-weighted to a common mix."""
    for one in trials:
        yield from _rows(done, one, bands(one.draws), ground.stock.vlms, "none")
        yield from _reweighted(done, one, ground)


def difference_rows(
    done: Studied, base: Shown, others: Sequence[Shown], ground: Ground
) -> Iterator[TrialValue]:
    """Each trial minus a reference, paired over images."""
    for one in others:
        found = difference(base.draws, one.draws)
        yield from _rows(done, one, found, ground.stock.vlms, base.label)


def mix_rows(done: Studied, trials: Sequence[Shown], ground: Ground) -> Iterator[TrialMix]:
    """`record.TrialMix` of the shown trials."""
    against = reference(ground.stock)
    for one in trials:
        stock = ground.on(one.found.setting)
        for code, (split, mix) in enumerate(mixes(stock, one.found, against).items()):
            yield _mix(done.plan.name, one, split, int(one.found.pairs[code]), mix)


def _rows(
    done: Studied, one: Shown, found: Bands, vlms: Sequence[str], contrast: str
) -> Iterator[TrialValue]:
    totals, unread = one.found.counts.sum(axis=-1), one.found.unread
    for v, vlm in enumerate(vlms):
        for r, row in enumerate(ROWS):
            parts = list(PARTS[r])
            n, lost = int(totals[v, parts].sum()), int(unread[v, parts].sum())
            for m, metric in enumerate(METRICS):
                at = (v, r, m)
                yield TrialValue(
                    done.plan.name, one.number, vlm, row, contrast, "own", metric,
                    _real(found.values[at]), _real(found.lower[at]), _real(found.upper[at]),
                    n, lost, 1.0, found.reasons.get(at),
                )  # fmt: skip


def _reweighted(done: Studied, one: Shown, ground: Ground) -> Iterator[TrialValue]:
    stock = ground.on(one.found.setting)
    against = reference(ground.stock)
    totals, unread = one.found.counts.sum(axis=-1), one.found.unread
    for grouping in stock.groupings:
        found = reweighted(stock, one.found, grouping, against, ground.weights)
        for v, vlm in enumerate(stock.vlms):
            for r, row in enumerate(ROWS):
                parts = list(PARTS[r])
                value = _real(found.common_values[v, r])
                covered = float(found.common[v])
                why = None if value is not None else f"no group of {grouping.name} is in all splits"
                yield TrialValue(
                    done.plan.name, one.number, vlm, row, "none", grouping.name, "accuracy",
                    value, _real(found.lower[v, r]), _real(found.upper[v, r]),
                    int(totals[v, parts].sum()), int(unread[v, parts].sum()),
                    0.0 if math.isnan(covered) else covered, why,
                )  # fmt: skip


def _mix(study: str, one: Shown, split: str, pairs: int, mix: Mix) -> TrialMix:
    return TrialMix(
        study, one.number, split, pairs, mix.pairs, mix.images, _real(mix.area), _real(mix.count),
        _real(mix.entropy), mix.categories, _json(mix.shares), _json(mix.distance),
    )  # fmt: skip


def _json(values: Mapping[str, float]) -> str:
    return json.dumps({name: _real(round(value, 6)) for name, value in values.items()})


def _real(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
