"""A table of what is in which image."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from oodexp.error import OodexpError
from oodexp.record import ABSENT, PRESENT, UNKNOWN
from tests.source import made

FORMS = ["csv", "tsv", "jsonl", "parquet"]


def rows_with(**fields: Any) -> list[dict[str, Any]]:
    return [{"image": "a.png", "category": "dog"}, {"image": "b.png", "category": "cat"} | fields]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("rest", "code"), [("absent", ABSENT), ("unknown", UNKNOWN)])
def test_every_cell_is_what_its_row_says_or_the_rest(tmp_path, form, rest, code):
    source = made.manifest(tmp_path, form=form, rest=rest)
    assert source.categories() == ["dog", "traffic light", "cat"]
    assert source.images()["image_id"].tolist() == ["a.png", "sub/b.png", "c.png", "d.png"]
    assert source.presence().tolist() == [
        [PRESENT, ABSENT, code], [PRESENT, code, UNKNOWN], [code] * 3, [code, code, PRESENT],
    ]  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_counts_and_areas_are_those_of_the_table(tmp_path, form):
    source = made.manifest(tmp_path, form=form)
    pairs = source.pairs()
    assert pairs[["image_id", "category"]].to_numpy().tolist() == [
        ["a.png", "dog"], ["sub/b.png", "dog"], ["d.png", "cat"],
    ]  # fmt: skip
    assert pairs["count"].fillna(-1).tolist() == [2, -1, 1]
    assert pairs["count_reason"].fillna("").tolist() == ["", "not given", ""]
    assert pairs["area"].fillna(-1).tolist() == [12.5, -1, -1]
    assert source.images()["objects"].tolist() == [2, 1, 0, 1]


def test_by_default_nothing_is_known_of_what_has_no_row(tmp_path):
    source = made.manifest(tmp_path, [{"image": "a.png", "category": "x"},
                                      {"image": "b.png", "category": "y"}])  # fmt: skip
    assert source.presence().tolist() == [[PRESENT, UNKNOWN], [UNKNOWN, PRESENT]]


def test_the_bytes_are_those_of_the_file(tmp_path):
    source = made.manifest(tmp_path)
    assert source.read("sub/b.png") == (tmp_path / "images/sub/b.png").read_bytes()


def test_given_categories_are_all_there_in_their_order(tmp_path):
    names = ["unicorn", "cat", "dog", "traffic light"]
    source = made.manifest(tmp_path, categories=names)
    assert source.categories() == names
    assert np.array_equal(source.presence()[:, [2, 3, 1]], made.manifest(tmp_path).presence())
    assert (source.presence()[:, 0] == UNKNOWN).all()


def test_a_category_that_was_not_given_is_refused_with_a_suggestion(tmp_path):
    with pytest.raises(OodexpError, match=r"line 2: column 'category': 'dog'.*mean 'dogs'"):
        made.manifest(tmp_path, categories=["dogs", "cat"]).images()


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"image": None}, "column 'image' is empty"),
        ({"count": "many"}, "column 'count': 'many'; expected a number"),
        ({"count": 0}, "column 'count': 0; expected a whole number >= 1"),
        ({"count": 1.5}, "column 'count': 1.5; expected a whole number"),
        ({"count": -1}, "column 'count': '?-1'?; expected a number >= 0"),
        ({"count": 2, "presence": "absent"}, "column 'count': 2; expected"),
        ({"count": 0, "presence": "unknown"}, "column 'count': 0; expected"),
        ({"presence": "yes"}, "column 'presence': 'yes'; expected present, absent or unknown"),
        ({"area": "inf"}, "column 'area': 'inf'; expected a number >= 0"),
        ({"category": None, "count": 3}, "column 'category' is empty, but something is said"),
        ({"category": "cat "}, "column 'category': 'cat '; expected text, no blanks"),
        ({"image": "a.png", "category": "dog"}, r"'a.png', 'dog' is repeated \(first in"),
        ({"cuont": 3}, r"unknown column 'cuont' \(did you mean 'count'\?\)"),
    ],
)
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_value_that_is_wrong_is_named_with_its_line_and_column(tmp_path, fields, said, form):
    with pytest.raises(OodexpError, match=said) as caught:
        made.manifest(tmp_path, rows_with(**fields), form).images()
    # A CSV file has the column in every row, the header included.
    line = 2 if form == "jsonl" or "cuont" in fields else 3
    assert f"list.{form}, line {line}: " in str(caught.value)


def test_a_row_of_a_parquet_file_is_named_by_its_number(tmp_path):
    with pytest.raises(OodexpError, match=r"list\.parquet, row 1: column 'presence': 'yes'"):
        made.manifest(tmp_path, rows_with(presence="yes"), "parquet").images()


def test_a_count_of_nothing_may_stand_beside_absent(tmp_path):
    source = made.manifest(tmp_path, rows_with(count=0, presence="absent"))
    assert source.presence().tolist() == [[PRESENT, UNKNOWN], [UNKNOWN, ABSENT]]


def test_a_column_that_is_not_used_is_noted(tmp_path):
    source = made.manifest(tmp_path, rows_with(licence="CC BY"))
    assert source.problems()["reason"].tolist() == ["note: the column 'licence' is not used"]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("l.csv", "image,category\na.png\n", "line 2: 1 fields; expected 2"),
        ("l.csv", "image,category,image\n", r"columns \['image'\] are repeated"),
        ("l.csv", "image,label\na.png,dog\n", "line 2: no column 'category'"),
        ("l.csv", "image,category\n", "no rows"),
        ("l.csv", "", "no rows"),
        ("l.csv", 'image,category\na.png,"dog\n', "line 3: unexpected end of data"),
        ("l.csv", b"image,category\na.png,d\xff\n", "in UTF-8"),
        ("l.jsonl", '{"image": "a.png", "category": "dog"}\n{"image"\n', "line 2: not JSON"),
        ("l.jsonl", "[1]\n", r"line 1: \[1\]; expected an object"),
        ("l.jsonl", '{"image": "a.png", "category": 3}', "line 1: column 'category': 3; expected"),
        ("l.parquet", "x", "not a Parquet file"),
        ("l.xlsx", "x", "ending '.xlsx'; expected a table .csv"),
    ],
)
def test_a_file_that_is_no_such_table_is_named(tmp_path, name, content, said):
    from oodexp.source.manifest import Manifest

    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(OodexpError, match=said) as caught:
        Manifest(str(tmp_path / name), str(tmp_path)).images()
    assert name in str(caught.value)


@pytest.mark.parametrize("file", ["../secret.png", "/etc/hostname", "..\\secret.png"])
def test_a_path_that_leads_out_of_the_folder_is_never_opened(tmp_path, file):
    source = made.manifest(tmp_path, [*rows_with(), {"image": file, "category": "dog"}], "jsonl")
    assert source.images()["image_id"].tolist() == ["a.png", "b.png"]
    assert source.problems()["subject"].tolist() == [file]
    with pytest.raises(KeyError):
        source.read(file)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"rest": "present"}, "rest=present: expected absent or unknown"),
        ({"categories": ["a", "a"]}, r"categories\[1\]='a'"),
        ({"categories": [""]}, r"categories\[0\]=''"),
    ],
)
def test_a_setting_that_is_wrong_is_named(tmp_path, options, said):
    with pytest.raises(OodexpError, match=said):
        made.manifest(tmp_path, **options)


def test_blanks_after_the_commas_of_a_csv_file_are_not_part_of_the_text(tmp_path):
    from oodexp.source.manifest import Manifest

    (tmp_path / "l.csv").write_text("image, category, count\na.png, traffic light, 2\n")
    source = Manifest(str(tmp_path / "l.csv"), str(tmp_path))
    assert source.pairs()[["category", "count"]].to_numpy().tolist() == [["traffic light", 2]]


def test_renamed_categories_are_merged(tmp_path):
    source = made.manifest(tmp_path, labels={"dog": "pet", "cat": "pet"}, rest="absent")
    assert source.categories() == ["pet", "traffic light"]
    assert source.presence()[:, 0].tolist() == [PRESENT, PRESENT, ABSENT, PRESENT]
    counts = source.pairs()["count"].fillna(-1).tolist()
    assert counts == [2, -1, 1]
