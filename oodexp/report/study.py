"""All plots of a search from its plain trials."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from oodexp.report.study_contour import draw_contour
from oodexp.report.study_front import draw_front
from oodexp.report.study_history import draw_history
from oodexp.report.study_slice import draw_slice

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_study(
    numbers: np.ndarray, settings: Sequence[Mapping[str, Any]], values: np.ndarray,
    objectives: Sequence[str], directions: Sequence[str], inside: np.ndarray,
    log: Collection[str] = (),
) -> dict[str, Figure]:  # fmt: skip
    """The history, slice and front of a search, and a contour for each objective.

    What a search is too small for, such as a front of one objective, says so in words.

    Args:
        numbers: Numbers of the trials, int, (trial,).
        settings: Value of each dimension by name, a mapping a trial.
        values: (trial, objective), NaN where undefined.
        objectives: Names of the objectives.
        directions: `maximize` or `minimize` of each.
        inside: Whether a trial is in the Pareto front, bool, (trial,).
        log: Names of the dimensions with a logarithmic axis.

    Returns:
        `history`, `slice`, `front`, and `contour`, or `contour_1` and so on in the order of the
        objectives when there are several.

    Raises:
        OodexpError: If the arguments do not fit together.
    """
    plots = {
        "history": draw_history(numbers, values, objectives, directions),
        "slice": draw_slice(numbers, settings, values, objectives, directions, log),
        "front": draw_front(numbers, values, objectives, directions, inside),
    }
    for n, (objective, direction) in enumerate(zip(objectives, directions, strict=True)):
        name = "contour" if len(objectives) == 1 else f"contour_{n + 1}"
        column = np.asarray(values, np.float64)[:, n]
        plots[name] = draw_contour(settings, column, objective, direction, log)
    return plots
