"""Hugging Face detection data sets in Parquet files."""

from __future__ import annotations

import pickle
from multiprocessing import get_context
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from oodexp.error import OodexpError
from oodexp.record import ABSENT, PRESENT, UNKNOWN
from oodexp.source.hub import Hub
from tests.source import made

FORMS = ["struct", "list"]


def expected(rows: list[dict[str, Any]]) -> dict[tuple[str, str], tuple[int, float]]:
    """Count and largest area of every pair, object by object."""
    found: dict[tuple[str, str], tuple[int, float]] = {}
    for row in rows:
        for thing in row["objects"]:
            key = str(row["image_id"]), made.HUB_NAMES[thing["category"]]
            count, area = found.get(key, (0, 0.0))
            found[key] = count + 1, max(area, thing["area"])
    return found


def told(source: Hub) -> dict[tuple[str, str], tuple[int, float]]:
    rows = source.pairs().itertuples()
    return {(r.image_id, r.category): (r.count, r.area) for r in rows}


def with_objects(**fields: Any) -> list[dict[str, Any]]:
    """Two images; the first has an object with some fields changed."""
    rows = made.hub_rows(images=3)
    thing = {"id": 1, "category": 1, "bbox": [1.0, 2.0, 3.0, 4.0], "area": 5.0}
    rows[0]["objects"], rows[1]["objects"] = [thing | fields], [thing]
    return rows


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(3))
def test_every_pair_has_the_count_and_area_of_its_objects(tmp_path, form, seed):
    rows = made.hub_rows(seed)
    source = made.hub(tmp_path, rows, form)
    assert source.categories() == made.HUB_NAMES
    assert told(source) == expected(rows)
    assert source.images()["objects"].tolist() == [len(r["objects"]) for r in rows]
    assert source.images()["width"].tolist() == [8] * len(rows)
    assert len(source.problems()) == 0


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("rest", "code"), [("absent", ABSENT), ("unknown", UNKNOWN)])
def test_every_other_cell_is_the_rest(tmp_path, form, rest, code):
    rows = made.hub_rows()
    presence = made.hub(tmp_path, rows, form, rest=rest).presence()
    for row, line in zip(rows, presence.tolist(), strict=True):
        here = {o["category"] for o in row["objects"]}
        assert line == [PRESENT if c in here else code for c in range(len(made.HUB_NAMES))]


@pytest.mark.parametrize("form", FORMS)
def test_bytes_come_from_the_row_of_their_image_in_any_order(tmp_path, form):
    rows = made.hub_rows()
    source = made.hub(tmp_path, rows, form)
    for row in (*rows, *reversed(rows)):
        assert source.read(str(row["image_id"])) == row["image"]["bytes"]


def test_annotations_are_read_without_the_images(tmp_path, monkeypatch):
    source = made.hub(tmp_path)
    asked: list[Any] = []
    real = pq.ParquetFile.iter_batches

    def look(self: Any, *rest: Any, columns: Any = None, **more: Any) -> Any:
        asked.extend(columns)
        return real(self, *rest, columns=columns, **more)

    monkeypatch.setattr(pq.ParquetFile, "iter_batches", look)
    source.pairs()
    assert asked
    assert not [c for c in asked if c.startswith("image.")]


def test_one_row_group_is_held_in_memory(tmp_path):
    rows = made.hub_rows()
    source = made.hub(tmp_path, rows)
    for row in rows:
        source.read(str(row["image_id"]))
        assert source._held is not None
        assert len(source._held[1]) <= 3


def test_a_source_that_was_read_from_can_be_sent_to_another_process(tmp_path):
    rows = made.hub_rows()
    source = made.hub(tmp_path, rows)
    source.read("100")
    copied = pickle.loads(pickle.dumps(source))
    assert copied._held is None
    assert copied.read("101") == rows[1]["image"]["bytes"]


def test_a_forked_process_reads_the_same_bytes(tmp_path):
    rows = made.hub_rows()
    source = made.hub(tmp_path, rows)
    source.read("100")
    context = get_context("fork")
    answer = context.SimpleQueue()

    def read() -> None:
        known = [(str(r["image_id"]), r["image"]["bytes"]) for r in rows]
        answer.put(all(source.read(i) == data for i, data in known))

    child = context.Process(target=read)
    child.start()
    child.join(60)
    assert child.exitcode == 0
    assert answer.get()


def test_numbers_without_names_ask_for_them(tmp_path):
    with pytest.raises(OodexpError, match=r"numbers without names.*source\.hub\.categories="):
        made.hub(tmp_path, names=None).images()
    names = ["a", "b", "c", "d"]
    assert made.hub(tmp_path, names=None, categories=names).categories() == names


def test_categories_that_are_texts_are_their_own_names(tmp_path):
    rows = with_objects()
    rows[0]["objects"][0]["category"], rows[1]["objects"][0]["category"] = "knife", "fork"
    source = made.hub(tmp_path, rows, "list", names=None)
    assert source.categories() == ["fork", "knife"]
    assert set(told(source)) == {("100", "knife"), ("101", "fork")}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("category", [-1, 4, None])
def test_a_category_that_is_none_of_the_classes_is_a_named_problem(tmp_path, form, category):
    source = made.hub(tmp_path, with_objects(category=category), form)
    problems = source.problems()[["image_id", "subject", "reason"]].to_numpy().tolist()
    assert problems == [["100", "objects[0]", f"category {category!r} is none of the 4 classes"]]
    assert set(told(source)) == {("101", "fork")}


@pytest.mark.parametrize(
    ("boxes", "box", "area"),
    [
        ("xywh", [1.0, 2.0, 3.0, 4.0], 12.0),
        ("xyxy", [1.0, 2.0, 3.0, 5.0], 6.0),
        ("xywh", [1.0, 2.0, 3.0], None),
        ("xywh", [], None),
    ],
)
@pytest.mark.parametrize("form", FORMS)
def test_the_area_is_the_boxs_where_none_is_given(tmp_path, form, boxes, box, area):
    source = made.hub(tmp_path, with_objects(bbox=box, area=None), form, boxes=boxes)
    found = source.pairs()["area"].iloc[0]
    assert found == area if area is not None else found != found


def test_a_crowd_makes_the_count_unknown(tmp_path):
    rows = with_objects(iscrowd=1)
    rows[1]["objects"][0]["iscrowd"] = 0
    pairs = made.hub(tmp_path, rows, "list").pairs()
    assert pairs["count_reason"].fillna("").tolist() == ["crowd", ""]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"image": "picture"}, "no column 'picture'; it has"),
        ({"objects": "faces"}, "no column 'faces'"),
        ({"objects": "width"}, "column 'width': int64; expected a struct of lists"),
        ({"category": "label"}, "no field 'label'; it has"),
        ({"categories": ["a", "b"]}, "describes 4 classes, but 2 are given"),
    ],
)
def test_a_column_that_is_not_there_is_named(tmp_path, options, said):
    with pytest.raises(OodexpError, match=said):
        made.hub(tmp_path, **options).images()


def test_fields_of_different_lengths_are_refused(tmp_path):
    objects = {"category": [1, 2], "area": [3.0]}
    table = pa.Table.from_pylist([{"image": {"bytes": b"x", "path": None}, "objects": objects}])
    pq.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(OodexpError, match="field 'area' has other numbers of objects"):
        Hub(str(tmp_path), categories=["a", "b", "c"]).images()


def test_a_repeated_image_id_is_refused(tmp_path):
    rows = made.hub_rows()
    rows[5]["image_id"] = 100
    with pytest.raises(OodexpError, match="image_id 100 is repeated"):
        made.hub(tmp_path, rows).images()


def test_without_image_ids_an_image_is_known_by_file_and_row(tmp_path):
    rows = [{k: v for k, v in r.items() if k != "image_id"} for r in made.hub_rows()]
    source = made.hub(tmp_path, rows)
    ids = source.images()["image_id"].tolist()
    assert ids[1] == "data/validation-00000-of-00002.parquet#1"
    assert source.read(ids[7]) == rows[7]["image"]["bytes"]


def test_a_file_that_is_no_parquet_file_is_named(tmp_path):
    (tmp_path / "a.parquet").write_bytes(b"x")
    with pytest.raises(OodexpError, match=r"a\.parquet: not a Parquet file"):
        Hub(str(tmp_path)).images()


def test_an_image_that_is_a_path_is_read_below_the_folder_only(tmp_path):
    rows = made.hub_rows(images=4)
    (tmp_path / "set").mkdir()
    (tmp_path / "secret.png").write_bytes(b"secret")
    (tmp_path / "set/in.png").write_bytes(b"inside")
    for row, path in zip(rows, ["in.png", "../secret.png", None, "gone.png"], strict=True):
        row["image"] = {"bytes": None, "path": path}
    source = made.hub(tmp_path / "set", rows)
    assert source.read("100") == b"inside"
    for image_id, said in (
        ("101", "leads out"),
        ("102", "neither bytes nor path"),
        ("103", "gone"),
    ):
        with pytest.raises(OSError, match=said):
            source.read(image_id)
