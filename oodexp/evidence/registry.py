"""The models whose training corpora can be audited, as data (OODBench, Tables VII and VIII).

The paper groups open models into four tiers of openness, leaves out those with in-house data, with
incomplete lists of corpora or without COCO, and keeps 50. The rows of its tables are not in the
text that we have: every entry of the shipped file is marked `reading: ours`. A user's file of the
same form adds models; one of a name that is there replaces it.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from oodexp.error import OodexpError
from oodexp.evidence.listed import Fields, checked, collect, rows

TIERS = {
    1: "weights alone",
    2: "weights, architecture and code that runs them",
    3: "training code too; the data are described, not listed in full",
    4: "training data listed in full and open: the model could be trained again",
}
"""Tiers of openness; the wording is ours, the paper names what they grade by."""

READINGS = ("paper", "ours")
SHIPPED = ("models", "miniature_models")
"""Registries that ship: published models, and the models of the miniature."""


class Used(NamedTuple):
    """A corpus as one model used it."""

    name: str
    """As its authors call it."""
    part: str | None
    """Name of the `corpus=` part that reads this very corpus; None where none is needed, because
    it has no image of the set."""
    included: bool
    """Whether the overlap counts it."""
    why: str
    """Why it is counted, or not."""


class Model(NamedTuple):
    """An audited model."""

    name: str
    tier: int
    """1 ... 4, see `TIERS`."""
    reading: str
    """`paper`: an entry of the paper's table; `ours`: from the model's own publications."""
    included: bool
    """Whether the population counts it."""
    why: str
    """Why it is counted, or not."""
    corpora: tuple[Used, ...]


class Parts(NamedTuple):
    """What of a model's training can be searched."""

    parts: tuple[str, ...]
    """Corpora at hand, each once."""
    reason: str | None
    """Why the model has no overlap rate, naming what is missing; None if all is at hand."""


_MODEL: Fields = {
    "name": str, "tier": int, "reading": str, "included": bool, "why": str, "corpora": list,
}  # fmt: skip
_USED: Fields = {
    "name": str, "part": (str, type(None)), "included": bool, "why": str,
}  # fmt: skip


def models(more: str | None = None, shipped: str = "models") -> tuple[Model, ...]:
    """The shipped models and those of a user's file, in this order.

    Args:
        more: A YAML file with a list `models`, or None.
        shipped: Which of `SHIPPED` to begin with.

    Raises:
        OodexpError: If a file cannot be read, or a row is not as it should be; names the row.
    """
    if shipped not in SHIPPED:
        raise OodexpError(f"registry={shipped}: expected one of {', '.join(SHIPPED)}")
    return collect(f"{shipped}.yaml", more, parse)


def parse(text: str, where: str) -> tuple[Model, ...]:
    """The models of a YAML text.

    Args:
        text: A mapping with the list `models`.
        where: Name of the file, for messages.

    Raises:
        OodexpError: If a row is not as it should be, or a name is repeated.
    """
    found: dict[str, Model] = {}
    for number, place, row in rows(text, where):
        model = _model(row, place)
        if model.name in found:
            raise OodexpError(f"{where}, model {number}: {model.name!r} is there twice")
        found[model.name] = model
    return tuple(found.values())


def searched(model: Model, at_hand: Collection[str]) -> Parts:
    """Which corpora of a model can be searched.

    A model with a counted corpus that is not at hand has no overlap rate: what the others say
    would be too small.

    Args:
        model: The model.
        at_hand: Names of the corpora that were given.
    """
    if not model.included:
        return Parts((), f"left out: {model.why}")
    counted = [used for used in model.corpora if used.included]
    if not counted:
        return Parts((), "no corpus of it is counted")
    missing = [used.name for used in counted if used.part is None or used.part not in at_hand]
    parts = tuple(
        dict.fromkeys(u.part for u in counted if u.part is not None and u.part in at_hand)
    )
    return Parts(parts, f"not at hand: {', '.join(missing)}" if missing else None)


def _model(row: Any, place: str) -> Model:
    values = checked(row, _MODEL, place)
    if values["tier"] not in TIERS:
        raise OodexpError(f"{place}: tier={values['tier']}; expected 1 ... 4")
    if values["reading"] not in READINGS:
        raise OodexpError(f"{place}: reading={values['reading']!r}; expected paper or ours")
    corpora = [
        Used(**checked(used, _USED, f"{place}, corpus {number}"))
        for number, used in enumerate(values.pop("corpora"), 1)
    ]
    return Model(**values, corpora=tuple(corpora))
