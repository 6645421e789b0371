"""Stored rows of image vectors back as arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from oodexp.error import OodexpError


def with_vector(rows: pa.Table) -> np.ndarray:
    """Numbers of the rows that have a vector, int64, ascending."""
    return np.flatnonzero(rows["vector"].is_valid().to_numpy())


def shape_of(rows: pa.Table, model: str, before: Sequence[int] = ()) -> list[int]:
    """The shape of every vector; empty where no row has one.

    Args:
        rows: Rows with `shape`.
        model: Whose they are, for the message.
        before: The shape of other rows; empty where they have none.

    Raises:
        OodexpError: If they differ.
    """
    told = ["x".join(map(str, before))] if before else []
    shapes = list(dict.fromkeys([*told, *rows["shape"].drop_null().unique().to_pylist()]))
    if len(shapes) > 1:
        raise OodexpError(f"{model}: vectors of several shapes: {', '.join(shapes[:3])}")
    return [int(n) for n in shapes[0].split("x")] if shapes else []


def vectors_of(rows: pa.Table, chosen: np.ndarray, shape: Sequence[int]) -> np.ndarray:
    """Vectors of some rows, float32, (chosen row, *shape).

    Args:
        rows: Rows with `vector`.
        chosen: Numbers of rows that have one.
        shape: As `shape_of` gives it.
    """
    flat = rows["vector"].take(pa.array(chosen)).combine_chunks().flatten().to_numpy()
    return flat.reshape(len(chosen), *shape).astype(np.float32)


def spent(rows: pa.Table) -> float:
    """What the model took for stored vectors; NaN where an older shard does not say."""
    good = rows.filter(rows["vector"].is_valid())
    if "seconds" not in good.column_names or good["seconds"].null_count:
        return float("nan")
    return float(good["seconds"].to_numpy().sum())
