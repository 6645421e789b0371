"""The threshold T: how large the splits are, and how far OOD-S and OOD-H lie apart (Table IV)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from oodexp.ablation.bare import CRITERIA, scorers_of
from oodexp.ablation.base import OBJECTIVES, Plan, check_resampling
from oodexp.ablation.chosen import OF_SCORER, check_objectives, setting
from oodexp.ablation.regroup import Setting
from oodexp.error import OodexpError
from oodexp.search.space import Space


class Threshold:
    """T of Table IV in each reading of the criterion, and T of each scorer on a log range.

    Args:
        thresholds: Values of T.
        readings: `score`, `either`, `bare`: the readings that the paper's text leaves open.
        uncalibrated: Scorers that the reading `bare` takes without temperature: BLIP-2.
        range: Lowest and highest T of the second study; null for no second study.
        points: Values of T between them for each scorer, evenly on a log scale; null for any value
            (with `search.sampler=tpe`).
        objectives: `maximize` or `minimize` by number of a trial; null for
            `OBJECTIVES`.
        resamples: Bootstrap resamples over images.
        seed: Seed of the bootstrap.

    Raises:
        OodexpError: If a value is not as it should be.
    """

    def __init__(
        self, thresholds: Sequence[float] = (0.05, 0.01, 0.005),
        readings: Sequence[str] = ("score", "either", "bare"), uncalibrated: Sequence[str] = (),
        range: Sequence[float] | None = (0.001, 0.5), points: int | None = 7,
        objectives: Mapping[str, str] | None = None, resamples: int = 2000, seed: int = 0,
    ) -> None:  # fmt: skip
        check_resampling(resamples, seed)
        unknown = sorted(set(readings) - set(CRITERIA))
        if unknown or not readings:
            raise OodexpError(
                f"ablation.readings={list(readings)}: expected one or more of {', '.join(CRITERIA)}"
            )
        if "bare" in readings and not uncalibrated:
            raise OodexpError(
                "ablation.uncalibrated: the reading `bare` leaves out the temperature of BLIP-2; "
                "name that scorer, as in ablation.uncalibrated=[blip2], or leave the reading out: "
                "ablation.readings=[score,either]"
            )
        if range is not None and (len(range) != 2 or not 0 < range[0] < range[1] <= 1):
            raise OodexpError(
                f"ablation.range={list(range)}: expected two numbers, 0 < lowest < highest <= 1"
            )
        if points is not None and points < 2:
            raise OodexpError(f"ablation.points={points}: expected at least 2, or null")
        self.thresholds, self.readings = list(thresholds), list(readings)
        self.uncalibrated: Sequence[str] = list(uncalibrated) if "bare" in readings else []
        self.resamples, self.seed, self.templates = resamples, seed, ()
        self._range, self._points = range, points
        self._objectives = dict(OBJECTIVES if objectives is None else objectives)

    def plans(self, base: Setting, vlms: Sequence[str]) -> list[Plan]:
        """See `base.Ablation`: one study a reading, and the range."""
        objectives = check_objectives(self._objectives, vlms)
        found = []
        for reading in self.readings:
            scorers = tuple(scorers_of(reading, base.scorers, self.uncalibrated))
            division = base.division.changed(criterion=CRITERIA[reading], thresholds={})
            read = replace(base, scorers=scorers, division=division)
            found.append(
                Plan(
                    f"threshold-{reading}", f"T, reading {reading}",
                    Space.of({"threshold": self.thresholds}), objectives, partial(setting, read),
                    lambda chosen: f"T={chosen['threshold']:g}",
                )
            )  # fmt: skip
        return found + self._ranged(base, objectives)

    def _ranged(self, base: Setting, objectives: Mapping[str, str]) -> list[Plan]:
        if self._range is None:
            return []
        low, high = self._range
        node: Any = {"low": float(low), "high": float(high), "log": True}
        if self._points is not None:
            node = [float(f"{t:.4g}") for t in np.geomspace(low, high, self._points)]
        space = Space.of({f"{OF_SCORER}{name}": node for name in base.scorers})
        division = base.division.changed(criterion="score", thresholds={})
        read = replace(base, division=division)
        return [
            Plan(
                "threshold-range", "T of each scorer, reading score", space, objectives,
                partial(setting, read),
                lambda chosen: " ".join(f"{value:.3g}" for value in chosen.values()),
            )
        ]  # fmt: skip
