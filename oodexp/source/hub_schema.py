"""Where the columns of a Hugging Face detection data set lie in a Parquet file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from oodexp.error import OodexpError
from oodexp.text import mended

if TYPE_CHECKING:
    import pyarrow.parquet as pq

# What writers put between a list and its elements in a leaf's path.
_LIST_PARTS = {"list", "element", "item", "array", "bag", "array_element"}


def leaves(file: pq.ParquetFile, column: str, fields: Iterable[str] = ()) -> list[str]:
    """Paths of a column's leaves: reading these leaves everything else on disk.

    Args:
        file: The file.
        column: Name of the column.
        fields: Fields of the column that are wanted; none for the column itself.
    """
    paths = [file.schema.column(n).path for n in range(len(file.schema.names))]
    mine = [p for p in paths if p.split(".")[0] == column]
    wanted = set(fields)
    if not wanted:
        return mine
    found = []
    for path in mine:
        inner = [part for part in path.split(".")[1:] if part not in _LIST_PARTS]
        if inner and inner[0] in wanted:
            found.append(path)
    return found


def fields_of(column: pa.DataType, where: str) -> list[str]:
    """Names of the fields of the objects: of a struct of lists, or of a list of structs.

    Args:
        column: Type of the column.
        where: File and column, for messages.

    Raises:
        OodexpError: If it is neither.
    """
    inner = column.value_type if _is_list(column) else column
    if not pa.types.is_struct(inner):
        raise OodexpError(
            f"{where}: {column}; expected a struct of lists or a list of structs, with a category "
            "for each object"
        )
    return [inner.field(n).name for n in range(inner.num_fields)]


_KINDS: dict[str, Callable[[pa.DataType], bool]] = {
    "classes": lambda t: _is_text(t) or pa.types.is_integer(t),
    "numbers": lambda t: pa.types.is_integer(t) or pa.types.is_floating(t),
    "marks": lambda t: pa.types.is_integer(t) or pa.types.is_boolean(t),
    "boxes": lambda t: _is_list(t) and _KINDS["numbers"](t.value_type),
}
"""Types of a field's values, by what they are."""


def fits(column: pa.DataType, wanted: Mapping[str, str], where: str) -> None:
    """Checks the types of the fields of the objects.

    Args:
        column: Type of the column.
        wanted: What each field holds, a key of `_KINDS`; fields that are not there are passed over.
        where: File and column, for messages.

    Raises:
        OodexpError: Names the first field of another type.
    """
    listed = _is_list(column)
    inner = column.value_type if listed else column
    for n in range(inner.num_fields):
        field, kind = inner.field(n), inner.field(n).type
        if field.name not in wanted:
            continue
        if not listed and not _is_list(kind):
            raise OodexpError(
                f"{where}: field {field.name!r} is {mended(str(kind))}; expected a list"
            )
        value = kind if listed else kind.value_type
        if not pa.types.is_null(value) and not _KINDS[wanted[field.name]](value):
            told = f"{where}: field {field.name!r} holds {mended(str(value))}"
            raise OodexpError(f"{told}; expected {wanted[field.name]}")


def values(objects: pa.Array, field: str) -> tuple[pa.Array, pa.Array]:
    """A field's values of all objects in a row, and the number of objects of each image.

    Args:
        objects: The column of objects.
        field: The field.
    """
    if _is_list(objects.type):
        lengths = pc.fill_null(pc.list_value_length(objects), 0)
        return pc.struct_field(pc.list_flatten(objects), field), lengths
    lists = pc.struct_field(objects, field)
    return pc.list_flatten(lists), pc.fill_null(pc.list_value_length(lists), 0)


def class_names(schema: pa.Schema, column: str, field: str) -> list[str] | None:
    """The names of the classes that the file's own description gives; None where it has none.

    Args:
        schema: Schema of the file; `datasets` describes the features in its metadata.
        column: The column of objects.
        field: The field of the category.
    """
    try:
        described = json.loads((schema.metadata or {}).get(b"huggingface", b"{}"))
        features = described.get("info", {}).get("features", {}).get(column)
        return next(_class_labels(_named(features, field)), None)
    except (ValueError, AttributeError, RecursionError):
        return None


def _is_list(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    )


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _named(node: Any, key: str) -> Any:
    """What stands under a key, however deep: the layout of the description has changed often."""
    if isinstance(node, dict):
        if key in node and isinstance(node[key], (dict, list)):
            return node[key]
        node = list(node.values())
    if isinstance(node, list):
        return next((f for f in (_named(inner, key) for inner in node) if f is not None), None)
    return None


def _class_labels(node: Any) -> Any:
    if isinstance(node, dict):
        if node.get("_type") == "ClassLabel" and isinstance(node.get("names"), list):
            yield [str(name) for name in node["names"]]
        node = list(node.values())
    if isinstance(node, list):
        for inner in node:
            yield from _class_labels(inner)
