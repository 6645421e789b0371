"""The threshold T: sizes and accuracies of the splits in each reading (OODBench, Table IV)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from oodexp.ablation.band import bands
from oodexp.ablation.lot import group
from oodexp.ablation.threshold import Threshold
from oodexp.error import OodexpError
from oodexp.metric.binary import METRICS
from oodexp.recipe.ablation import end, show_study, studied
from oodexp.recipe.ablations import Ablations
from oodexp.recipe.base import Desk
from oodexp.record import SPLITS
from oodexp.report.area import draw_area
from oodexp.report.bars import draw_bars
from oodexp.tracker.base import Run

if TYPE_CHECKING:
    from oodexp.recipe.ground import Ground
    from oodexp.recipe.study import Studied
    from oodexp.recipe.trials import Shown

PAPER = (
    "paper (Llama-3.2-Vision, COCO): gaps 7.44, 1.86, 1.73 points at T = 0.05, 0.01, 0.005; OOD-H "
    "9,882 and 4,274 questions at 0.05 and 0.005, that is 4,941 and 2,137 of 14,631 pairs"
)
FINE = np.geomspace(0.0005, 0.9, 60)
"""T of the area figure."""


def main(run: Run, parts: Ablations) -> bool:
    """Studies of T in each reading, and of T of each scorer; Table IV, fronts, figures.

    Returns:
        Whether something was left out.
    """
    desk = Desk(run)
    if not isinstance(parts.ablation, Threshold):
        raise OodexpError("experiment=threshold: expected ablation=threshold")
    ground, told = studied(desk, parts)
    for done, trials in told:
        common = set(done.plan.space.dimensions) == {"threshold"}
        show_study(desk, done, PAPER if common else None)
        if common:
            _draw(desk, done, trials, ground)
    return end(desk, parts)


def _draw(desk: Desk, done: Studied, trials: Sequence[Shown], ground: Ground) -> None:
    """Table IV as bars, and sizes over T as an area, of one reading."""
    if not trials:
        return
    at, three = METRICS.index("accuracy"), slice(0, len(SPLITS))
    found = [bands(one.draws) for one in trials]
    tried = [float(one.found.setting.division.settings["threshold"]) for one in trials]
    panels = {
        vlm: (
            np.array([b.values[v, three, at] for b in found]),
            np.array([b.lower[v, three, at] for b in found]),
            np.array([b.upper[v, three, at] for b in found]),
        )
        for v, vlm in enumerate(ground.stock.vlms)
    }
    desk.figure(f"{done.plan.name}/bars", draw_bars(panels, tried))
    shares = np.array([_shares(ground, done, float(t)) for t in FINE])
    area = draw_area(FINE, shares, tried=tried, title=done.plan.title)
    desk.figure(f"{done.plan.name}/area", area)


def _shares(ground: Ground, done: Studied, threshold: float) -> np.ndarray:
    """Shares of the present pairs in each split, (split,); pairs without a split are left aside."""
    setting = done.plan.setting({"threshold": threshold})
    sizes = np.zeros(len(SPLITS))
    for source in ground.on(setting).lots:
        split = group(source, setting.scorers, setting.division).split
        sizes += np.bincount(split[split >= 0], minlength=len(SPLITS))
    return sizes / sizes.sum() if sizes.sum() else np.full(len(SPLITS), np.nan)
