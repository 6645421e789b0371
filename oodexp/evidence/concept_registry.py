"""The dual encoders whose recognition is compared, as data (OODConceptBench, Table C1).

The paper has 37 models by family, variant and year; the text that we have prints four rows of its
registry in full, and no tag of weights. The shipped file fills the rest so that the printed group
means allow it, and says of each entry whether its row is the paper's or our reading. A user's file
of the same form adds models; one of a name that is there replaces it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from oodexp.error import OodexpError
from oodexp.evidence.listed import Fields, checked, collect, rows

LIBRARIES = ("open_clip", "transformers")
READINGS = ("paper", "ours")
_SHIPPED = "concept_models.yaml"


class ConceptModel(NamedTuple):
    """A model of the comparison."""

    name: str
    """Different for every model."""
    library: str
    """One of `LIBRARIES`."""
    model: str
    """open_clip: name of the architecture; transformers: repository of the weights."""
    tag: str | None
    """open_clip: tag of the weights; null for transformers, whose repository says it all."""
    family: str
    """As the paper groups, e.g. `ConvNeXt-CLIP`."""
    variant: str
    """Label within the family, e.g. `Base-W AugReg`."""
    year: int
    """Release year as the paper groups, not that of the weights."""
    reading: str
    """`paper`: family, variant, year and backbone are printed; `ours`: some of it is not."""
    why: str
    """What is printed, what follows from printed numbers, what is chosen."""


_FIELDS: Fields = {
    "name": str, "library": str, "model": str, "tag": (str, type(None)), "family": str,
    "variant": str, "year": int, "reading": str, "why": str,
}  # fmt: skip


def concept_models(more: str | None = None) -> tuple[ConceptModel, ...]:
    """The shipped models and those of a user's file, in this order.

    Args:
        more: A YAML file with a list `models`, or None.

    Raises:
        OodexpError: If a file cannot be read, or a row is not as it should be; names the row.
    """
    return collect(_SHIPPED, more, parse)


def parse(text: str, where: str) -> tuple[ConceptModel, ...]:
    """The models of a YAML text.

    Args:
        text: A mapping with the list `models`.
        where: Name of the file, for messages.

    Raises:
        OodexpError: If a row is not as it should be, or a name or the weights are repeated.
    """
    found: dict[str, ConceptModel] = {}
    weights: dict[tuple[str, str, str | None], str] = {}
    for number, place, row in rows(text, where):
        model = _model(row, place)
        if model.name in found:
            raise OodexpError(f"{where}, model {number}: {model.name!r} is there twice")
        key = model.library, model.model, model.tag
        if key in weights:
            raise OodexpError(
                f"{where}, model {number} ({model.name}): the same weights as {weights[key]!r}; "
                "expected each once, or its group would count it twice"
            )
        found[model.name], weights[key] = model, model.name
    return tuple(found.values())


def group(models: Sequence[ConceptModel], by: str) -> dict[str | int, tuple[str, ...]]:
    """Names of the models of each group; years rise, other groups stand as they first occur.

    Args:
        models: The models.
        by: `year`, `family` or `reading`.

    Raises:
        OodexpError: If models cannot be grouped by that.
    """
    if by not in ("year", "family", "reading"):
        raise OodexpError(f"by={by!r}: expected year, family or reading")
    keys = list(dict.fromkeys(getattr(model, by) for model in models))
    if by == "year":
        keys.sort()
    return {key: tuple(m.name for m in models if getattr(m, by) == key) for key in keys}


def _model(row: Any, place: str) -> ConceptModel:
    row = checked(row, _FIELDS, place)
    for field, known in (("library", LIBRARIES), ("reading", READINGS)):
        if row[field] not in known:
            raise OodexpError(f"{place}: {field}={row[field]!r}; expected {' or '.join(known)}")
    if (row["tag"] is None) != (row["library"] == "transformers"):
        raise OodexpError(
            f"{place}: tag={row['tag']!r} with library={row['library']}; expected a tag for "
            "open_clip, null for transformers"
        )
    return ConceptModel(**row)
