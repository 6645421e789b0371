"""Replies of a VLM as rows of a shelf."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from oodexp.vlm.base import Reply

COLUMNS = {
    "completion": pa.string(), "status": pa.string(), "reason": pa.string(), "tokens": pa.int64(),
    "prompt_tokens": pa.int64(), "yes_probability": pa.float64(), "yes_no_mass": pa.float64(),
}  # fmt: skip
"""The fields of `vlm.base.Reply` in their order, as columns of `record.Completion`."""


def rows_of(keys: Sequence[str], replies: Sequence[Reply], seconds: Sequence[float]) -> pa.Table:
    """Rows `key`, `COLUMNS` and `seconds`, one a reply."""
    values = list(zip(*replies, strict=True)) if replies else [()] * len(COLUMNS)
    named = {
        name: pa.array(column, kind)
        for (name, kind), column in zip(COLUMNS.items(), values, strict=True)
    }
    return pa.table(
        {"key": pa.array(keys, pa.string()), **named, "seconds": pa.array(seconds, pa.float64())}
    )
