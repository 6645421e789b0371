"""A matrix (image, category) as a Parquet table: a row an image, its cells as one list."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from oodexp.error import OodexpError


def to_arrow(image_ids: Sequence[str], values: np.ndarray) -> pa.Table:
    """The table with the columns `image_id` and `values`.

    Args:
        image_ids: Rows.
        values: uint8 or float32, (image, category), at least one category; NaN stays NaN.
    """
    cells = pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), values.shape[1])
    return pa.table({"image_id": pa.array(image_ids, pa.string()), "values": cells})


def from_arrow(table: pa.Table, kind: type, width: int, where: str) -> tuple[list[str], np.ndarray]:
    """Image ids and the matrix, (image, category).

    Args:
        table: As `to_arrow` gives it; untrusted.
        kind: `numpy.uint8` or `numpy.float32`.
        width: Number of categories.
        where: The file, for messages.

    Raises:
        OodexpError: If columns, types or the number of categories are others, or a cell is null.
    """
    cell = pa.from_numpy_dtype(np.dtype(kind))
    found = {field.name: field.type for field in table.schema}
    wide = found.get("values")
    if (
        set(found) != {"image_id", "values"}
        or found["image_id"] != pa.string()
        or not isinstance(wide, pa.FixedSizeListType)
        or (wide.list_size, wide.value_type) != (width, cell)
    ):
        said = ", ".join(f"{name}: {kind}" for name, kind in found.items())
        raise OodexpError(
            f"{where}: columns {said}; expected image_id: string and values: lists of {width} "
            f"{cell}, one of each category"
        )
    columns = [column.combine_chunks() for column in table.columns]
    flat = table["values"].combine_chunks().flatten()
    if any(column.null_count for column in columns) or flat.null_count:
        raise OodexpError(f"{where}: a null; expected a value in every cell")
    matrix = flat.to_numpy(zero_copy_only=False).reshape(table.num_rows, width)
    return table["image_id"].to_pylist(), matrix
