"""OODBench as its paper ran it: what is at hand, what it would take, and then the main line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from oodexp import record, table
from oodexp.error import OodexpError
from oodexp.recipe import main as line
from oodexp.recipe.base import Parts
from oodexp.recipe.bill import bound
from oodexp.report.bill import show_bill
from oodexp.report.missing import show_missing
from oodexp.source.need import Need, found
from oodexp.tracker.base import Run
from oodexp.vlm.base import Calibrated, Estimated
from oodexp.weights import nothing_downloaded

if TYPE_CHECKING:
    from oodexp.recipe.base import Build


@dataclass(frozen=True, slots=True)
class Benchmark:
    """The classes with their arguments, and how to make all parts once everything is there."""

    sources: dict[str, Any]
    """`functools.partial` of each source by name: its files may be missing."""
    scorers: dict[str, Any]
    """The scorers; their weights may be missing."""
    vlms: dict[str, Any]
    """The VLMs; their weights and keys may be missing."""
    cap: int | None
    """Most pairs of each source and split."""
    whole: Callable[[], Parts]
    """Makes all parts."""

    @classmethod
    def of(cls, build: Build) -> Self:
        """The plans of the configuration."""
        return cls(
            build("source:partial"), build("scorer"), build("vlm"),
            getattr(build("division"), "cap", None), partial(Parts.of, build),
        )  # fmt: skip


def main(run: Run, parts: Benchmark) -> bool:
    """Says what is at hand and what asking takes at the most; runs where nothing is missing.

    Returns:
        Whether something was left out.

    Raises:
        OodexpError: If data, weights or keys are missing: each is named with how to get it.
    """
    rows = list(lookup(parts))
    show_missing(rows)
    show_bill(table.frame(record.Estimate, list(bounds(parts))))
    missing = [f"{kind} {name}" for kind, name, state, _ in rows if state != "at hand"]
    if missing:
        raise OodexpError(
            f"{len(missing)} of {len(rows)} parts are missing: {', '.join(missing)}; get them as "
            "the table says, or name those that are at hand, as in source=[coco] vlm=[qwen2_vl]"
        )
    return line.main(run, parts.whole())


def lookup(parts: Benchmark) -> Iterator[tuple[str, str, str, str]]:
    """Group, name, `at hand` or `missing`, and how to get it, of each part; nothing is fetched."""
    for name, plan in parts.sources.items():
        needs: list[Need] = getattr(plan.func, "needs", lambda **_: [])(**plan.keywords)
        lost = [n for n in needs if not found(n).startswith("ok")]
        how = f"python -m oodexp.run experiment=fetch source={name}"
        yield "source", name, "missing" if lost else "at hand", how if lost else ""
    with nothing_downloaded():
        for group, models in (("scorer", parts.scorers), ("vlm", parts.vlms)):
            for name, model in models.items():
                why = _missing(model)
                yield group, name, "at hand" if why is None else "missing", why or ""


def _missing(model: Any) -> str | None:
    if isinstance(model, Calibrated):  # has no fingerprint before it has seen the images
        return None
    try:
        model.fingerprint()
    except OodexpError as error:
        return str(error)
    return None


def bounds(parts: Benchmark) -> Iterator[record.Estimate]:
    """The most that the caps allow to be asked: two questions a pair, split and source."""
    if parts.cap is None:
        return
    questions = 2 * parts.cap * len(record.SPLITS) * len(parts.sources)
    for name, vlm in parts.vlms.items():
        tariff = vlm.tariff() if isinstance(vlm, Estimated) else None
        yield bound(name, f"all {len(parts.sources)}", questions, tariff)
