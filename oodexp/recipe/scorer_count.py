"""The number of scorers: accuracy and F1 over K by each rule (OODBench, Figure 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np

from oodexp.ablation.band import Bands, bands
from oodexp.ablation.regroup import ROWS
from oodexp.ablation.scorer_count import ScorerCount
from oodexp.error import OodexpError
from oodexp.metric.binary import METRICS
from oodexp.recipe.ablation import end, show_study, studied
from oodexp.recipe.ablations import Ablations
from oodexp.recipe.base import Desk
from oodexp.report.layout import console
from oodexp.report.lines import draw_panels
from oodexp.report.orders import order_table
from oodexp.tracker.base import Run

if TYPE_CHECKING:
    from oodexp.recipe.ground import Ground
    from oodexp.recipe.trials import Shown

PAPER = (
    "paper: accuracy is highest at K=1, lowest at K=2, higher again at K=3 but for InternVL2.5-8B, "
    "and at K=4 about that of K=3"
)
PANELS = [(row, metric) for row in ("OOD-S", "OOD-H") for metric in ("accuracy", "f1")]


def main(run: Run, parts: Ablations) -> bool:
    """One study over sets of scorers and rules; tables, Figure 5 of each rule, all orders.

    Returns:
        Whether something was left out.
    """
    desk = Desk(run)
    if not isinstance(parts.ablation, ScorerCount):
        raise OodexpError("experiment=scorer_count: expected ablation=scorer_count")
    ground, told = studied(desk, parts)
    for done, trials in told:
        show_study(desk, done, PAPER)
        _draw(desk, ground, parts.ablation, trials)
    return end(desk, parts)


def _draw(desk: Desk, ground: Ground, ablation: ScorerCount, trials: Sequence[Shown]) -> None:
    """Figure 5 of each rule along the order; with all subsets, the spread over orders too."""
    order = ablation.order(ground.base)
    x = [f"{k + 1}\n{'+ ' if k else ''}{name}" for k, name in enumerate(order)]
    prefixes = [frozenset(order[: k + 1]) for k in range(len(order))]
    for rule in ablation.rules:
        by_set = _of_rule(trials, rule)
        if not all(p in by_set for p in prefixes):
            continue  # a trial failed: said below the table
        along = [by_set[p] for p in prefixes]
        panels = {f"{row}, {metric}": _panel(along, row, metric) for row, metric in PANELS}
        figure = draw_panels(
            panels, x, ground.stock.vlms, ylabel="value", xlabel=f"scorers K, rule {rule}"
        )
        desk.figure(f"count/{rule}", figure)
        if ablation.over == "subsets":
            console().print(order_table(rule, ground.stock.vlms, _over_orders(by_set, order)))


def _of_rule(trials: Sequence[Shown], rule: str) -> dict[frozenset[str], Bands]:
    """Values of the trials of one rule by their set of scorers."""
    return {
        frozenset(one.found.setting.scorers): bands(one.draws)
        for one in trials
        if one.found.setting.division.settings["rule"] == rule
    }


def _panel(
    along: Sequence[Bands], row: str, metric: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values and ends of intervals, each (vlm, K)."""
    r, m = ROWS.index(row), METRICS.index(metric)
    parts = ([b.values for b in along], [b.lower for b in along], [b.upper for b in along])
    values, lower, upper = (np.stack([a[:, r, m] for a in part], axis=1) for part in parts)
    return values, lower, upper


def _over_orders(by_set: Mapping[frozenset[str], Bands], order: Sequence[str]) -> np.ndarray:
    """Accuracy on OOD-H by order, (order, K, vlm); NaN where a trial is missing."""
    r, m = ROWS.index("OOD-H"), METRICS.index("accuracy")
    lost = np.full(next(iter(by_set.values())).values.shape[0], np.nan)
    value = {chosen: found.values[:, r, m] for chosen, found in by_set.items()}
    return np.array(
        [
            [value.get(frozenset(one[:k]), lost) for k in range(1, len(one) + 1)]
            for one in permutations(order)
        ]
    )
