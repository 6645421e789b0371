"""The calibration curve of each VLM whose probabilities were measured: a table and a figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oodexp.metric.certainty import calibration
from oodexp.report.calibration import draw

if TYPE_CHECKING:
    from oodexp.metric.base import Evidence
    from oodexp.recipe.base import Desk


def keep_curves(desk: Desk, evidence: Evidence) -> None:
    """Keeps `calibration` and `figures/calibration/<vlm>`; nothing where there is nothing."""
    curves = calibration(evidence)
    if not len(curves):
        return
    desk.keep("calibration", curves)
    for (vlm, kind), curve in curves.groupby(["vlm", "kind"], sort=False):
        name = f"{vlm}" if kind == "existence" else f"{vlm}-{kind}"
        desk.figure(f"calibration/{name}", draw(curve))
