"""Renaming tables: what they say, and what they do to cells."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from oodexp.error import OodexpError
from oodexp.record import ABSENT, PRESENT, UNKNOWN
from oodexp.source.cells import NOT_KNOWN, Cells, merge
from oodexp.source.labels import Labels
from tests.source import made

TABLE = {"kind 1": "cup", "kind 2": None, "yes": "Café, au lait"}
FILES = {
    "a.yaml": "kind 1: cup\nkind 2: null\n'yes': Café, au lait\n",
    "a.yml": "{kind 2: ~, kind 1: cup, 'yes': 'Café, au lait'}",
    "a.json": json.dumps(TABLE),
    "a.csv": 'name,text\nkind 1,cup\n"kind 2",\nyes,"Café, au lait"\n',
}


def cells(*told: tuple[int, int, int]) -> Cells:
    """Cells of (row, column, count)."""
    row, column, count = np.array(told, dtype=np.int64).reshape(-1, 3).T
    reason = np.array(["crowd" if c == NOT_KNOWN else None for c in count], dtype=object)
    area = 10.0 * column
    return Cells(
        row, column, np.maximum(count, 1), count, reason, area, np.full(len(row), None, object)
    )


def slow(told: list[Any], presence: np.ndarray, texts: list[str | None]) -> dict[Any, Any]:
    """Presence and count of each new cell, one name at a time."""
    counts = {(r, c): n for r, c, n in told}
    found = {}
    for row in range(len(presence)):
        for text in dict.fromkeys(t for t in texts if t is not None):
            mine = [c for c, t in enumerate(texts) if t == text]
            codes = [presence[row, c] for c in mine]
            code = next((k for k in (PRESENT, UNKNOWN) if k in codes), ABSENT)
            numbers = [counts[row, c] for c in mine if presence[row, c] == PRESENT]
            known = NOT_KNOWN not in numbers and UNKNOWN not in codes
            found[row, text] = code, sum(numbers) if known and numbers else None
    return found


@pytest.mark.parametrize("seed", range(5))
def test_merged_cells_are_those_of_a_slow_loop(seed):
    draw = np.random.default_rng(seed)
    presence = draw.integers(0, 3, (9, 7)).astype(np.uint8)
    told = [
        (r, c, int(draw.choice([NOT_KNOWN, 1, 2, 5])))
        for r, c in np.argwhere(presence == PRESENT).tolist()
    ]
    texts = [str(t) if (t := draw.choice([None, "a", "b", "c"])) else None for _ in range(6)] + [
        "d"
    ]
    found, merged, categories = merge(cells(*told), presence.copy(), texts, list("pqrstuv"))
    count = {
        (r, categories[c]): None if n == NOT_KNOWN else n
        for r, c, n in zip(found.row, found.column, found.count, strict=True)
    }
    expected = slow(told, presence, texts)
    for (row, text), (code, number) in expected.items():
        assert merged[row, categories.index(text)] == code
        assert count.get((row, text)) == number
    assert set(count) == {key for key, (code, _) in expected.items() if code == PRESENT}
    order = found.row * len(categories) + found.column
    assert (np.diff(order) > 0).all()


def test_areas_and_reasons_of_merged_cells_are_the_largest_and_all():
    presence = np.array([[PRESENT, PRESENT, UNKNOWN]], dtype=np.uint8)
    found, _, _ = merge(cells((0, 0, 2), (0, 1, NOT_KNOWN)), presence, ["a"] * 3, ["x", "y", "z"])
    assert found.area.tolist() == [10.0]
    assert found.objects.tolist() == [3]
    assert found.reason.tolist() == ["presence of 'z' is not known; crowd"]


@pytest.mark.parametrize("name", FILES)
def test_a_table_is_the_same_from_every_form_of_file(tmp_path, name):
    (tmp_path / name).write_text(FILES[name], "utf-8")
    read = Labels.of(str(tmp_path / name))
    assert read is not None
    assert read.table == TABLE
    text = json.dumps(TABLE, sort_keys=True, ensure_ascii=False)
    assert read.sha256 == hashlib.sha256(text.encode()).hexdigest()


def test_another_text_is_another_digest():
    first, second = Labels.of({"a": "x"}), Labels.of({"a": "y"})
    assert first is not None
    assert second is not None
    assert first.sha256 != second.sha256


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.yaml", "a: x\na: y\n", "'a' is repeated"),
        ("a.json", '{"a": "x", "a": "y"}', "'a' is repeated"),
        ("a.csv", "name,text\na,x\na,y\n", "'a' is repeated"),
        ("a.csv", "a,x\n", "line 1: expected the header name,text"),
        ("a.csv", "name,text\na,b,c\n", "line 2: 3 fields"),
        ("a.yaml", "yes: x\n", r"True: 'x'; expected text \(put it in quotes\)"),
        ("a.yaml", "a: 3\n", "'a': 3; expected text"),
        ("a.yaml", "- a\n", "expected a mapping"),
        ("a.yaml", "a: [\n", "not YAML"),
        ("a.json", "{", "not JSON"),
        ("a.json", '{"a": " "}', "empty text; null drops the category"),
        ("a.txt", "a: x", "ending '.txt'"),
    ],
)
def test_a_faulty_table_is_named(tmp_path, name, content, said):
    (tmp_path / name).write_text(content)
    with pytest.raises(OodexpError, match=said):
        Labels.of(str(tmp_path / name))


def test_a_file_that_is_not_there_is_named():
    with pytest.raises(OodexpError, match=r"labels=nowhere\.yaml: cannot be read"):
        Labels.of("nowhere.yaml")


def test_a_name_that_the_source_has_not_is_refused_with_a_suggestion(tmp_path):
    source = made.lvis(tmp_path, labels={"bat (animal)": "bat"})
    with pytest.raises(OodexpError, match=r"did you mean 'bat_\(animal\)'"):
        source.categories()


def test_a_table_that_drops_all_is_refused(tmp_path):
    names = made.coco(tmp_path).categories()
    with pytest.raises(OodexpError, match="every category of coco is dropped"):
        made.coco(tmp_path, labels=dict.fromkeys(names)).categories()


def test_a_source_without_a_table_has_no_digest(tmp_path):
    assert made.coco(tmp_path).labels_sha256 is None


def test_a_renamed_source_differs_in_its_texts_only(tmp_path):
    plain = made.coco(tmp_path)
    first = plain.categories()[0]
    renamed = made.coco(tmp_path, labels={first: "a new name"})
    assert renamed.labels_sha256 is not None
    assert renamed.categories() == ["a new name", *plain.categories()[1:]]
    assert np.array_equal(renamed.presence(), plain.presence())
    expected = plain.pairs().assign(
        category=[{first: "a new name"}.get(c, c) for c in plain.pairs()["category"]]
    )
    assert renamed.pairs().equals(expected)


def test_a_dropped_category_goes_with_its_annotations(tmp_path):
    plain = made.coco(tmp_path)
    first = plain.categories()[0]
    document = json.loads((tmp_path / "annotations.json").read_text())
    dropped = document["categories"][0]["id"]
    left = [n for n in document["annotations"] if n["category_id"] != dropped]
    assert len(left) < len(document["annotations"])
    source = made.coco(tmp_path, labels={first: None})
    assert source.categories() == plain.categories()[1:]
    assert np.array_equal(source.presence(), plain.presence()[:, 1:])
    assert source.images()["objects"].sum() == len(left)
    assert first not in set(source.pairs()["category"])


def test_the_counts_of_names_with_one_text_are_added(tmp_path):
    plain = made.coco(tmp_path)
    names = plain.categories()
    source = made.coco(tmp_path, labels={names[1]: "both", names[3]: "both"})
    assert source.categories() == [names[0], "both", names[2], names[4]]
    counts: dict[str, list[Any]] = {}
    for row in plain.pairs().itertuples():
        if row.category in (names[1], names[3]):
            counts.setdefault(row.image_id, []).append(row.count)
    both = source.pairs().query("category == 'both'")
    assert set(both["image_id"]) == set(counts)
    for row in both.itertuples():
        known = not any(c is np.nan or str(c) == "<NA>" for c in counts[row.image_id])
        assert (row.count == sum(counts[row.image_id])) if known else (row.count_reason == "crowd")


def test_a_table_may_lie_in_a_file(tmp_path):
    file = Path(tmp_path) / "table.csv"
    file.write_text("name,text\nbat_(animal),bat that flies\n")
    assert "bat that flies" in made.lvis(tmp_path, labels=str(file)).categories()
