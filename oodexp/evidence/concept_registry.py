"""The dual encoders whose recognition is compared, as data (OODConceptBench, Table C1).

The paper has 37 models by family, variant and year; the text that we have prints four rows of its
registry in full, and no tag of weights. The shipped file fills the rest so that the printed group
means allow it, and says of each entry whether its row is the paper's or our reading. A user's file
of the same form adds models; one of a name that is there replaces it.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from oodexp.error import OodexpError

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


_FIELDS: dict[str, type | tuple[type, ...]] = {
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
    home = resources.files("oodexp.evidence") / "data" / _SHIPPED
    found = {model.name: model for model in parse(home.read_text("utf-8"), _SHIPPED)}
    if more is not None:
        try:
            text = Path(more).expanduser().read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise OodexpError(
                f"registry={more}: cannot be read ({error}); expected a file of the form of "
                f"oodexp/evidence/data/{_SHIPPED}"
            ) from error
        found |= {model.name: model for model in parse(text, more)}
    return tuple(found.values())


def parse(text: str, where: str) -> tuple[ConceptModel, ...]:
    """The models of a YAML text.

    Args:
        text: A mapping with the list `models`.
        where: Name of the file, for messages.

    Raises:
        OodexpError: If a row is not as it should be, or a name or the weights are repeated.
    """
    import yaml

    try:
        document = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise OodexpError(f"{where}: not YAML ({error})") from error
    rows = document.get("models") if isinstance(document, dict) else None
    if not isinstance(rows, list):
        raise OodexpError(f"{where}: expected a list under `models`")
    found: dict[str, ConceptModel] = {}
    weights: dict[tuple[str, str, str | None], str] = {}
    for number, row in enumerate(rows, 1):
        model = _model(row, _place(where, number, row))
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


def _place(where: str, number: int, row: Any) -> str:
    name = row.get("name") if isinstance(row, dict) else None
    return f"{where}, model {number}" + (f" ({name})" if name else "")


def _model(row: Any, place: str) -> ConceptModel:
    if not isinstance(row, dict) or set(row) != set(_FIELDS):
        given = sorted(map(str, row)) if isinstance(row, dict) else repr(row)
        raise OodexpError(f"{place}: fields {given}; expected {sorted(_FIELDS)}")
    for field, kind in _FIELDS.items():
        # True is a whole number to Python, not to a reader of the file.
        wrong = not isinstance(row[field], kind) or isinstance(row[field], bool)
        if wrong or row[field] == "":
            said = {str: "text (in quotes)", int: "a whole number"}
            expected = "text or null" if isinstance(kind, tuple) else said[kind]
            raise OodexpError(f"{place}: {field}={row[field]!r}; expected {expected}")
    for field, known in (("library", LIBRARIES), ("reading", READINGS)):
        if row[field] not in known:
            raise OodexpError(f"{place}: {field}={row[field]!r}; expected {' or '.join(known)}")
    if (row["tag"] is None) != (row["library"] == "transformers"):
        raise OodexpError(
            f"{place}: tag={row['tag']!r} with library={row['library']}; expected a tag for "
            "open_clip, null for transformers"
        )
    return ConceptModel(**row)
