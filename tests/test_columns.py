"""Columns as numbers, against slow loops; in memory and on disk alike."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from oodexp import stored, table
from oodexp.columns import arrow, coded, different, matching, only, positions
from oodexp.record import Membership

PAIR = ["source", "image_id", "category"]


def made(seed: int, count: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    cells = rng.choice(2 * 9 * 5, count, replace=False)
    rows = [
        Membership("ab"[c % 2], f"i{c // 2 % 9}", f"c{c // 18}", True,
                   None if c % 4 == 0 else "ID", 0, 2, bool(c % 3), None)
        for c in cells.tolist()
    ]  # fmt: skip
    return table.frame(Membership, rows)


@pytest.fixture(params=["frame", "categories", "stored"])
def of(request, tmp_path, monkeypatch):
    """The same rows in each form that a table may have."""
    monkeypatch.setattr(stored, "ROWS", 7)

    def form(rows: pd.DataFrame, name: str = "t"):
        if request.param == "stored":
            return stored.write(Membership, stored.sliced(rows), tmp_path / f"{name}.parquet")
        if request.param == "categories":
            return rows.astype(dict.fromkeys([*PAIR, "split"], "category"))
        return rows

    return form


def test_codes_give_the_texts_back(of):
    rows = made(0, 40)
    codes, texts = coded(of(rows), "split")
    assert [None if c < 0 else texts[c] for c in codes] == [
        None if pd.isna(s) else s for s in rows["split"]
    ]
    assert coded(of(rows), "category").texts == list(dict.fromkeys(rows["category"]))
    assert len(coded(of(rows.iloc[:0]), "split").codes) == 0
    assert arrow(of(rows), "split").null_count == rows["split"].isna().sum()


def test_positions_are_those_of_a_loop(of):
    known, wanted = made(1, 30), made(2, 50)
    place = {tuple(row): n for n, row in enumerate(known[PAIR].itertuples(index=False))}
    want = [place.get(tuple(row), -1) for row in wanted[PAIR].itertuples(index=False)]
    assert -1 in want
    assert max(want) > 0
    assert positions(of(known), of(wanted, "u"), PAIR).tolist() == want
    found = matching(of(wanted, "v"), known, PAIR)
    pd.testing.assert_frame_equal(
        found.astype(wanted.dtypes), wanted[np.array(want) >= 0].reset_index(drop=True)
    )


def test_positions_by_one_column(of):
    known = made(3, 1), made(4, 20)
    first = known[1].drop_duplicates("image_id").reset_index(drop=True)
    want = [first["image_id"].tolist().index(i) for i in known[1]["image_id"]]
    assert positions(of(first), of(known[1], "u"), ["image_id"]).tolist() == want
    assert positions(of(first.iloc[:0], "v"), of(first), PAIR).tolist() == [-1] * len(first)
    assert positions(of(first), of(first.iloc[:0], "w"), PAIR).tolist() == []


def test_rows_of_a_value_and_different_combinations(of):
    rows = made(5, 60)
    assert len(only(of(rows), "source", "a")) == (rows["source"] == "a").sum()
    for names in (["source"], ["source", "image_id"], PAIR):
        assert different(of(rows), names) == len(rows[names].drop_duplicates())
