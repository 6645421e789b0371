"""What every ablation says: which studies it consists of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Protocol

from oodexp.error import OodexpError

if TYPE_CHECKING:
    from oodexp.ablation.regroup import Setting
    from oodexp.search.space import Space

OBJECTIVES = {"mean/gap/accuracy": "maximize", "division/OOD-H/pairs": "maximize"}
"""The paper's two wishes (V-H): OOD-S and OOD-H apart, and OOD-H not small."""
OF_SCORERS = ("scorers", "template")
"""Names of a space that decide by which scores a trial divides."""
MOST_LISTED = 500
"""Cells of a space that are worked out before anything is asked; of a larger one, all pairs are
asked about that its scorers can score."""


@dataclass(frozen=True, slots=True)
class Plan:
    """One study of an ablation."""

    name: str
    """Name of the study."""
    title: str
    """What it varies, for people."""
    space: Space
    """What may be chosen."""
    directions: Mapping[str, str]
    """`maximize` or `minimize` by objective, a name of `regroup.named`."""
    setting: Callable[[Mapping[str, Any]], Setting]
    """The setting of a trial from what was chosen."""
    label: Callable[[Mapping[str, Any]], str]
    """What was chosen in a few words."""

    def listed(self) -> list[Setting] | None:
        """The settings of all trials; None when they cannot be listed, or are too many."""
        size = self.space.size
        if size is None or size > MOST_LISTED:
            return None
        return [self.setting(cell) for cell in self.space.cells()]

    def scorers(self) -> set[tuple[str, ...]]:
        """The sets of scorers that a trial may divide by, whatever else it chooses."""
        cells = {name: d.cells() for name, d in self.space.dimensions.items()}
        first = {
            name: self.space.dimensions[name].plain()["low"] if found is None else found[0]
            for name, found in cells.items()
        }
        varied = product(*(cells.get(name) or (None,) for name in OF_SCORERS))
        chosen = [dict(zip(OF_SCORERS, values, strict=True)) for values in varied]
        return {
            self.setting(first | {k: v for k, v in some.items() if v is not None}).scorers
            for some in chosen
        }


class Ablation(Protocol):
    """An ablation as the configuration chose it."""

    resamples: int
    """Bootstrap resamples over images."""
    seed: int
    """Seed of the bootstrap."""
    templates: Sequence[str]
    """Prompt templates that scorers are needed with beside their own."""
    uncalibrated: Sequence[str]
    """Scorers that are needed once more without their temperature."""

    def plans(self, base: Setting, vlms: Sequence[str]) -> list[Plan]:
        """The studies.

        Args:
            base: The division of the configuration, with all of its scorers.
            vlms: Names of the VLMs.

        Raises:
            OodexpError: If a scorer, setting or objective is not there.
        """


def check_resampling(resamples: int, seed: int) -> None:
    """Refuses too few resamples and a negative seed.

    Raises:
        OodexpError: Names the setting.
    """
    if resamples < 100:
        raise OodexpError(f"ablation.resamples={resamples}: expected at least 100")
    if seed < 0:
        raise OodexpError(f"ablation.seed={seed}: expected a number >= 0")


def short(value: Any) -> str:
    """A chosen value in a few letters."""
    if isinstance(value, float):
        return f"{value:.3g}"
    return " + ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
