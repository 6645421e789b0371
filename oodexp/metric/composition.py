"""Groups within a split, so that nobody mistakes a change of mix for a loss.

A split may lose accuracy only because it holds more small or planted objects. The control is the
accuracy of each split within a group: by planted reason in a drawn world, by object size and object
count on photographs.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

_SIZES = {"small": 32**2, "medium": 96**2}
"""Upper ends in square pixels, as COCO's evaluation defines small and medium objects."""
_COUNTS = {"1": 1, "2": 2, "3 to 5": 5}


def groups(pairs: pd.DataFrame) -> list[pd.Series]:
    """Labels of the pairs, one series (aligned with `pairs`, missing where unknown) per grouping.

    Args:
        pairs: `record.Pair` rows.
    """
    drawn = pairs["planted"].notna().groupby(pairs["source"]).transform("any")
    planted = pairs["planted"].str.partition(":")[0].radd("planted: ")
    area, count = pairs["area"].to_numpy(), pairs["count"].astype("Float64")
    size = _cut(area, _SIZES, "large").radd("size: ").set_axis(pairs.index)
    number = _cut(count.to_numpy(dtype=float, na_value=np.nan), _COUNTS, "6 or more")
    number = number.radd("count: ").set_axis(pairs.index)
    labels = [planted, size.mask(drawn), number.mask(drawn)]
    return [label for label in labels if label.notna().any()]


def _cut(values: np.ndarray, ends: dict[str, int], last: str) -> pd.Series:
    """Names the first end that a value does not pass; `last` beyond all, missing for NaN."""
    names = np.array([*ends, last, None], dtype=object)
    index = np.searchsorted(list(ends.values()), values, side="left")
    return pd.Series(names[np.where(np.isnan(values), len(names) - 1, index)], dtype="str")
