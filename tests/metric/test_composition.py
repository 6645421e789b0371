"""Groups within a split."""

from __future__ import annotations

import pandas as pd
import pytest

from oodexp import table
from oodexp.metric.composition import groups
from oodexp.record import Pair


def pairs(**columns):
    length = len(next(iter(columns.values())))
    base = {"count": [None] * length, "area": [None] * length, "planted": [None] * length}
    base |= {"source": "s", "image_id": [str(n) for n in range(length)], "category": "dog"}
    return table.frame(Pair, base | {"count_reason": [None] * length} | columns)


def labels(rows: pd.DataFrame) -> list[list[str | None]]:
    return [[v if isinstance(v, str) else None for v in series] for series in groups(rows)]


@pytest.mark.parametrize(
    ("area", "size"),
    [
        (0.0, "small"), (1023.99, "small"), (1024.0, "small"), (1024.01, "medium"),
        (9216.0, "medium"), (9216.01, "large"), (1e9, "large"),
    ],
)  # fmt: skip
def test_sizes_end_where_cocos_do(area, size):
    assert labels(pairs(area=[area])) == [[f"size: {size}"]]


def test_counts_fall_into_four_groups():
    found = labels(pairs(count=[1, 2, 3, 5, 6, 400]))
    names = ["1", "2", "3 to 5", "3 to 5", "6 or more", "6 or more"]
    assert found == [[f"count: {n}" for n in names]]


def test_an_unknown_size_or_count_is_in_no_group():
    found = labels(pairs(area=[5.0, None], count=[None, 1]))
    assert found == [["size: small", None], [None, "count: 1"]]


def test_a_grouping_of_which_nothing_is_known_is_left_out():
    assert labels(pairs(area=[None, None])) == []


def test_planted_reasons_are_grouped_by_family():
    planted = ["canonical", "secondary", "variant: colour", "variant: mirrored", None]
    found = labels(pairs(planted=planted, area=[1.0] * 5))
    families = ["canonical", "secondary", "variant", "variant"]
    assert found == [[f"planted: {f}" for f in families] + [None]]


def test_labels_keep_the_row_labels_of_the_pairs():
    rows = pairs(area=[1.0, 1e6], count=[1, 7]).set_axis([7, 3])
    for series in groups(rows):
        assert series.index.tolist() == [7, 3]
