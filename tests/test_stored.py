"""Tables on disk, written part by part and read by column."""

from __future__ import annotations

import gc

import pandas as pd
import pytest

from oodexp import stored, table
from oodexp.error import OodexpError
from oodexp.record import Answer, Membership
from oodexp.stored import Tables, sliced


def answers(start: int, end: int, reader: str = "yes_no") -> pd.DataFrame:
    return table.frame(
        Answer,
        [
            Answer("m", reader, f"q{n}", "yes" if n % 3 else None, "read", None, bool(n % 2))
            for n in range(start, end)
        ],
    )


@pytest.fixture
def small_parts(monkeypatch):
    monkeypatch.setattr(stored, "ROWS", 4)


def test_parts_are_one_table_when_read(tmp_path):
    parts = [answers(0, 3), answers(3, 3), answers(3, 8)]
    kept = stored.write(Answer, parts, tmp_path / "t.parquet")
    pd.testing.assert_frame_equal(kept.whole(), answers(0, 8))
    pd.testing.assert_frame_equal(table.read(Answer, kept.path), answers(0, 8))
    assert len(kept) == 8


def test_a_table_written_in_one_part_is_byte_for_byte_that_of_table_write(tmp_path):
    kept = stored.write(Answer, [answers(0, 9)], tmp_path / "a.parquet")
    table.write(Answer, answers(0, 9), tmp_path / "b.parquet")
    assert kept.path.read_bytes() == (tmp_path / "b.parquet").read_bytes()


def test_no_part_is_a_table_without_rows(tmp_path):
    kept = stored.write(Answer, [], tmp_path / "t.parquet")
    pd.testing.assert_frame_equal(kept.whole(), table.frame(Answer))
    assert len(kept) == 0
    assert list(kept.parts()) == []


@pytest.mark.parametrize("parts", [[answers(0, 3), answers(2, 4)], [answers(0, 2), answers(0, 1)]])
def test_a_key_in_two_parts_is_refused_and_nothing_is_left(tmp_path, parts):
    with pytest.raises(OodexpError, match=r"Answer: 1 repeated keys, first .*'q[02]'"):
        stored.write(Answer, parts, tmp_path / "t.parquet")
    assert list(tmp_path.iterdir()) == []


def test_keys_that_share_a_number_are_not_taken_for_one(tmp_path, monkeypatch):
    monkeypatch.setattr(stored, "_hashed", lambda keys: pd.Series([7] * len(keys)).to_numpy())
    assert len(stored.write(Answer, [answers(0, 3), answers(3, 5)], tmp_path / "t.parquet")) == 5


def test_columns_and_rows_of_a_value_are_read_alone(tmp_path, small_parts):
    both = [answers(0, 5), answers(0, 5, "paper")]
    kept = stored.write(Answer, both, tmp_path / "t.parquet")
    paper = kept.only("reader", "paper")
    assert kept["reader"].tolist() == ["yes_no"] * 5 + ["paper"] * 5
    assert list(paper[["reading", "question_id"]].columns) == ["reading", "question_id"]
    assert len(paper) == 5
    pd.testing.assert_frame_equal(paper.whole(), both[1])
    joined = pd.concat(paper.parts(["question_id"]), ignore_index=True)
    pd.testing.assert_frame_equal(joined, both[1][["question_id"]])
    assert max(len(part) for part in kept.parts()) <= 4


def test_texts_may_be_read_as_numbers(tmp_path):
    kept = stored.write(Answer, [answers(0, 3), answers(3, 5)], tmp_path / "t.parquet")
    rows = kept.coded(["vlm", "question_id"], ["vlm"])
    assert isinstance(rows["vlm"].dtype, pd.CategoricalDtype)
    assert rows["vlm"].tolist() == ["m"] * 5
    assert rows["question_id"].tolist() == [f"q{n}" for n in range(5)]


def test_slices_are_the_rows_in_order(small_parts):
    rows = answers(0, 9)
    assert [len(part) for part in sliced(rows)] == [4, 4, 1]
    pd.testing.assert_frame_equal(pd.concat(sliced(rows)), rows)
    assert [len(part) for part in sliced(rows.iloc[:0])] == [0]


def test_tables_go_with_their_object():
    tables = Tables()
    first = tables.keep("scores/a", Answer, [answers(0, 2)])
    second = tables.keep("scores/a", Answer, [answers(0, 3)])
    tables.keep("memberships", Membership, [table.frame(Membership)])
    assert sorted(tables) == ["memberships", "scores/a"]
    assert len(tables["scores/a"]) == len(tables.stored("scores/a")) == 3
    tables.drop("scores/a")
    assert list(tables) == ["memberships"]
    assert not second.path.exists()
    folder = first.path.parent
    del tables
    gc.collect()
    assert not folder.exists()
