"""Family, variant and year of the models at hand: from the registry, or as they are given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from oodexp.error import OodexpError
from oodexp.evidence.concept_registry import concept_models

if TYPE_CHECKING:
    from oodexp.concept.protocol import Protocol

UNLISTED = "not in the registry"
FIELDS = ("family", "variant", "year")


class Model(NamedTuple):
    """Where a model belongs."""

    family: str
    """As the paper groups; `UNLISTED` where nobody says."""
    variant: str
    """Label within the family."""
    year: int | None
    """Release year; None where nobody says: such a model is in no group by year."""


def lookup(scorers: Mapping[str, Any], protocol: Protocol) -> dict[str, Model]:
    """Every scorer's family, variant and year.

    A scorer is found by its name among `protocol.models`, else by its weights in the registry.

    Args:
        scorers: The scorers by name.
        protocol: The settings.

    Raises:
        OodexpError: If an entry of the settings is for no scorer, or lacks a field.
    """
    unknown = sorted(set(protocol.models) - set(scorers))
    if unknown and not set(protocol.models) & set(scorers):
        given: Mapping[str, Mapping[str, Any]] = {}
    else:
        given = protocol.models
    for name, fields in given.items():
        if set(fields) != set(FIELDS):
            raise OodexpError(
                f"concept.models.{name}={dict(fields)}: expected the keys {', '.join(FIELDS)}"
            )
    weights = {(m.library, m.model, m.tag): m for m in concept_models(protocol.registry)}
    found = {}
    for name, scorer in scorers.items():
        listed = weights.get(_weights(scorer))
        if name in given:
            found[name] = Model(**given[name])
        elif listed is not None:
            found[name] = Model(listed.family, listed.variant, listed.year)
        else:
            found[name] = Model(UNLISTED, name, None)
    return found


def _weights(scorer: Any) -> tuple[str, str, str | None]:
    """Library, model and tag of a scorer, as the registry names them."""
    model, tag = str(getattr(scorer, "model", "")), getattr(scorer, "pretrained", None)
    return ("transformers" if tag is None else "open_clip", model, tag)
