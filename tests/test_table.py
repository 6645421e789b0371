"""Records to Parquet and back."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from oodexp import record, table
from oodexp.error import OodexpError
from oodexp.record import Float32

RECORDS = [
    kind
    for kind in vars(record).values()
    if isinstance(kind, type) and kind.__module__ == record.__name__
]


@dataclass(frozen=True)
class Sample:
    KEY: ClassVar[tuple[str, ...]] = ("name",)

    name: str
    note: str | None
    whole: int
    gap: int | None
    number: float | None
    exact: Float32 | None
    sure: bool
    maybe: bool | None


def rows() -> list[Sample]:
    return [
        Sample("a", None, 1, None, 0.1, 0.05, True, None),
        Sample("b", 'é "{}"', -(2**62), 2**53 + 1, None, None, False, True),
    ]


def columns(**changed: object) -> dict[str, object]:
    made = {f.name: [getattr(row, f.name) for row in rows()] for f in fields(Sample)}
    return made | changed


def test_a_round_trip_through_a_file_keeps_values_and_types(tmp_path):
    before = table.frame(Sample, rows())
    table.write(Sample, before, tmp_path / "t.parquet")
    after = table.read(Sample, tmp_path / "t.parquet")
    pd.testing.assert_frame_equal(before, after)
    assert after["gap"].tolist() == [pd.NA, 2**53 + 1]  # a float would have lost the last digit
    assert after["gap"].dtype == pd.Int64Dtype()
    assert after["maybe"].dtype == pd.BooleanDtype()
    assert after["exact"].dtype == np.float32
    assert after["whole"].dtype == np.int64
    assert after["sure"].dtype == np.bool_


def test_another_parquet_reader_finds_the_same_values(tmp_path):
    table.write(Sample, table.frame(Sample, rows()), tmp_path / "t.parquet")
    found = pq.read_table(tmp_path / "t.parquet").to_pylist()
    assert found[0]["exact"] == float(np.float32(0.05))
    assert found[1] == {
        "name": "b", "note": "é \"{}\"", "whole": -(2**62), "gap": 2**53 + 1, "number": None,
        "exact": None, "sure": False, "maybe": True,
    }  # fmt: skip


def test_the_schema_says_which_columns_may_be_null():
    schema = table.schema(Sample)
    assert [f.name for f in schema if f.nullable] == ["note", "gap", "number", "exact", "maybe"]
    assert schema.field("exact").type == pa.float32()


@pytest.mark.parametrize("kind", RECORDS, ids=lambda kind: kind.__name__)
def test_every_record_has_an_empty_table_and_a_key_of_its_own_fields(kind, tmp_path):
    empty = table.read(kind, table.write(kind, table.frame(kind), tmp_path / "t.parquet"))
    assert len(empty) == 0
    assert list(empty.columns) == [f.name for f in fields(kind)]
    assert set(kind.KEY) <= set(empty.columns)
    assert not any(table.schema(kind).field(name).nullable for name in kind.KEY)


def test_columns_in_another_order_are_put_in_the_records_order():
    turned = pd.DataFrame(columns())[::-1].iloc[:, ::-1]
    assert list(table.check(Sample, turned).columns) == [f.name for f in fields(Sample)]


def test_a_lone_value_is_repeated():
    assert table.frame(Sample, columns(whole=7))["whole"].tolist() == [7, 7]


def test_unknown_and_missing_columns_are_both_named():
    wrong = columns(extra=[1, 2])
    del wrong["whole"]
    with pytest.raises(OodexpError, match=r"Sample.*\['extra'\].*\['whole'\]"):
        table.frame(Sample, wrong)


def test_a_repeated_key_is_named():
    with pytest.raises(OodexpError, match=r"Sample: 1 repeated keys.*'name': 'a'"):
        table.frame(Sample, columns(name=["a", "a"]))


def test_a_repeated_key_is_named_when_row_labels_repeat_too():
    one = pd.DataFrame(columns())
    with pytest.raises(OodexpError, match=r"2 repeated keys, first \{'name': 'a'\}"):
        table.check(Sample, pd.concat([one, one]))


@pytest.mark.parametrize("null", [None, math.nan, pd.NA])
@pytest.mark.parametrize("column", ["name", "whole", "sure"])
def test_a_null_where_a_value_is_needed_is_refused_with_its_row(column, null):
    values = [columns()[column][0], null]
    with pytest.raises(OodexpError, match=f"'{column}': null in row 1"):
        table.frame(Sample, columns(**{column: values}))


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("name", [1, 2]),
        ("name", ["a", 2]),
        ("name", [b"a", b"b"]),
        ("name", [["a"], ["b"]]),
        ("whole", [1.5, 2.0]),
        ("whole", ["1", "2"]),
        ("whole", [True, False]),
        ("whole", [2**70, 0]),
        ("whole", [math.inf, 0.0]),
        ("number", ["0.5", "0.25"]),
        ("number", [True, False]),
        ("exact", ["0.5", None]),
        ("sure", [0, 1]),
        ("sure", ["yes", "no"]),
        ("whole", pd.to_datetime(["2020-01-01", "2020-01-02"])),
    ],
)
def test_a_value_of_the_wrong_type_is_refused_and_not_converted(column, values):
    with pytest.raises(OodexpError, match=f"'{column}': expected"):
        table.frame(Sample, columns(**{column: values}))


@pytest.mark.parametrize("values", [[1.0, math.nan], [1, None], pd.array([1, None], "Int64")])
def test_whole_numbers_with_gaps_may_come_as_floats_or_nullable(values):
    found = table.frame(Sample, columns(gap=values))["gap"]
    assert found.dtype == pd.Int64Dtype()
    assert found.tolist() == [1, pd.NA]


@pytest.mark.parametrize("nothing", [[None, None], [math.nan, math.nan], [pd.NA, pd.NA]])
def test_a_column_of_nulls_fits_any_type_that_may_be_null(nothing):
    found = table.frame(Sample, columns(note=nothing, gap=nothing, maybe=nothing, exact=nothing))
    assert found[["note", "gap", "maybe", "exact"]].isna().all(axis=None)


def test_columns_without_rows_fit_any_type():
    empty = {f.name: [] for f in fields(Sample)}
    pd.testing.assert_frame_equal(table.frame(Sample, empty), table.frame(Sample))


def test_concat_keeps_the_order_and_finds_keys_repeated_between_tables():
    one, two = (table.frame(Sample, [row]) for row in rows())
    assert table.concat(Sample, [two, one])["name"].tolist() == ["b", "a"]
    assert len(table.concat(Sample, [])) == 0
    with pytest.raises(OodexpError, match="repeated keys"):
        table.concat(Sample, [one, two, one])


def test_writing_leaves_nothing_but_the_table(tmp_path):
    table.write(Sample, table.frame(Sample, rows()), tmp_path / "deep" / "t.parquet")
    assert [p.name for p in (tmp_path / "deep").iterdir()] == ["t.parquet"]


def test_a_write_that_fails_leaves_the_old_table_and_no_scratch(tmp_path, monkeypatch):
    path = table.write(Sample, table.frame(Sample, rows()), tmp_path / "t.parquet")
    before = path.read_bytes()

    def break_off(_, sink, **__):
        sink.write(b"PAR1 half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pq, "write_table", break_off)
    with pytest.raises(OSError, match="No space left"):
        table.write(Sample, table.frame(Sample, rows()[:1]), path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["t.parquet"]


def test_the_final_name_never_holds_a_half_written_table(tmp_path, monkeypatch):
    path = tmp_path / "t.parquet"
    real, seen = pq.write_table, []

    def watched(rows, sink, **options):
        real(rows, sink, **options)
        seen.append(path.exists())

    monkeypatch.setattr(pq, "write_table", watched)
    table.write(Sample, table.frame(Sample, rows()), path)
    assert seen == [False]
    assert len(table.read(Sample, path)) == 2


def test_a_table_gets_its_name_by_a_rename_that_leaves_the_old_one_until_then(
    tmp_path, monkeypatch
):
    path = table.write(Sample, table.frame(Sample, rows()), tmp_path / "t.parquet")
    before, real, seen = path.read_bytes(), Path.replace, []

    def watched(scratch, target):
        seen.append((len(pq.read_table(scratch)), target.read_bytes() == before))
        return real(scratch, target)

    monkeypatch.setattr(Path, "replace", watched)
    table.write(Sample, table.frame(Sample, rows()[:1]), path)
    assert seen == [(1, True)]
    assert len(table.read(Sample, path)) == 1


def test_a_file_of_another_record_is_refused(tmp_path):
    path = table.write(Sample, table.frame(Sample, rows()), tmp_path / "t.parquet")
    with pytest.raises(OodexpError, match="table of Pair: unknown columns"):
        table.read(record.Pair, path)
