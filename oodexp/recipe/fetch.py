"""What to download for a source, from which official page, where it goes, and what is there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from oodexp.report.shopping import show_needs
from oodexp.source.need import Need, found
from oodexp.tracker.base import Run

if TYPE_CHECKING:
    from oodexp.recipe.base import Build


@dataclass(frozen=True, slots=True)
class Plans:
    """The source classes with their arguments, not yet made: their files may be missing."""

    sources: dict[str, Any]
    """`functools.partial` of each source by name."""

    @classmethod
    def of(cls, build: Build) -> Self:
        """The plans of the configured sources."""
        return cls(build("source:partial"))


def main(run: Run, parts: Plans) -> bool:
    """Prints the needs of each source; downloads nothing.

    Returns:
        Whether something is missing.
    """
    complete = True
    for name, plan in parts.sources.items():
        needs: list[Need] = getattr(plan.func, "needs", lambda **_: [])(**plan.keywords)
        state = [found(need) for need in needs]
        show_needs(name, needs, state)
        complete &= all(s.startswith("ok") for s in state)
    return not complete
