"""The parts of an ablation: those of the main line, an ablation and what searches."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Self

from oodexp.ablation.regroup import Setting
from oodexp.division.cross_validation import CrossValidation
from oodexp.error import OodexpError
from oodexp.recipe.base import Parts

if TYPE_CHECKING:
    from oodexp.ablation.base import Ablation, Plan
    from oodexp.recipe.base import Build
    from oodexp.search.base import Searcher


@dataclass(frozen=True, slots=True)
class Ablations(Parts):
    """All parts of the main line, with an ablation and what searches."""

    search: Searcher
    ablation: Ablation

    @classmethod
    def of(cls, build: Build) -> Self:
        """All parts of the configuration."""
        main = Parts.of(build)
        whole = {f.name: getattr(main, f.name) for f in fields(Parts)}
        return cls(**whole, search=build("search"), ablation=build("ablation"))


def plan(parts: Ablations) -> tuple[Setting, list[Plan]]:
    """The setting of the configuration and the studies, before anything expensive.

    Raises:
        OodexpError: If the divider cannot be regrouped, or the ablation names what is not there.
    """
    if not isinstance(parts.division, CrossValidation):
        raise OodexpError(
            f"division: {type(parts.division).__name__} cannot be regrouped; expected "
            "division=cross_validation"
        )
    base = Setting(tuple(parts.scorers), parts.division)
    return base, parts.ablation.plans(base, sorted(parts.vlms))
