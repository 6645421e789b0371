"""A JSON document read entry by entry gives what reading it whole gives."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oodexp.error import OodexpError
from oodexp.source import stream

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(['{"segmentation": [1]}', ',"segmentation":[', "}", "\\", '"', "counts"]),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(
        st.text(max_size=4) | st.sampled_from(["segmentation", "counts"]), inner, max_size=4
    ),
    max_leaves=12,
)  # fmt: skip


def read(text: str, folder: Path, *names: str) -> tuple[set[str], dict[str, list[Any]]]:
    (folder / "f.json").write_text(text, "utf-8")
    told: dict[str, list[Any]] = {name: [] for name in names}
    found = stream.read(folder / "f.json", {name: told[name].append for name in names})
    return found, told


def without_outlines(value: Any) -> Any:
    """The value with null for every list of numbers, however deep, that is an outline."""
    if isinstance(value, list):
        return [without_outlines(v) for v in value]
    if isinstance(value, dict):
        return {
            k: None if k in ("segmentation", "counts") and outline(v) else without_outlines(v)
            for k, v in value.items()
        }
    return value


def outline(value: Any) -> bool:
    def flat(inner: Any) -> bool:
        return isinstance(inner, list) and all(type(v) in (int, float) for v in inner)

    return flat(value) or (isinstance(value, list) and all(flat(v) for v in value))


@settings(max_examples=300, deadline=None)
@given(
    st.dictionaries(st.sampled_from(["images", "annotations", "x"]), VALUES),
    st.sampled_from([None, 1]),
    st.booleans(),
    st.sampled_from([1, 7, 4096]),
)
def test_entries_are_those_of_the_parsed_document(
    tmp_path_factory, document, indent, escaped, piece
):
    folder = tmp_path_factory.mktemp("json")
    text = json.dumps(document, indent=indent, ensure_ascii=escaped)
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair cannot be written to a file
        text = json.dumps(document, indent=indent)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stream, "PIECE", piece)
        found, told = read(text, folder, "images", "annotations")
    lists = {n for n in ("images", "annotations") if isinstance(document.get(n), list)}
    assert found == lists
    for name in lists:
        assert told[name] == without_outlines(document[name])


def test_outlines_are_cut_out_and_nothing_else(tmp_path):
    notes = [
        {"segmentation": [[1.5, -2e-7], [3, 4]], "area": 2},
        {"area": 3, "segmentation": {"counts": [1, 2], "size": [3, 4]}},
        {"segmentation": {"counts": "ab12", "size": [3, 4]}, "bbox": [1, 2, 3, 4]},
    ]
    _, told = read(json.dumps({"annotations": notes}), tmp_path, "annotations")
    assert told["annotations"] == [
        {"segmentation": None, "area": 2},
        {"area": 3, "segmentation": {"counts": None, "size": [3, 4]}},
        {"segmentation": {"counts": "ab12", "size": [3, 4]}, "bbox": [1, 2, 3, 4]},
    ]


def test_a_byte_order_mark_is_passed_over(tmp_path):
    assert read('\ufeff {"images": [1]}', tmp_path, "images") == ({"images"}, {"images": [1]})


@pytest.mark.parametrize("text", ["[1, 2]", "3", "null", '"images"'])
def test_a_document_that_is_no_object_has_no_lists(tmp_path, text):
    assert read(text, tmp_path, "images")[0] == set()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"images": [1, 2', "images, entry 1: 'the end' where ']'"),
        ('{"images": [1,, 2]}', "images, entry 1: Expecting value"),
        ('{"images": [{"a": 1}, {"a" 1}]}', "images, entry 1: Expecting ':'"),
        ('{"images": [1]} x', "'x' after the end"),
        ('{"images": [1] "x": 2}', "'\"' where '}' is expected"),
        ("{3: 4}", "3 where a name is expected"),
        ('{"images": [1], "images": [2]}', "the list 'images' is there twice"),
        ("", "Expecting value"),
        ('{"images": ["\\x"]}', "entry 0"),
    ],
)
def test_what_is_not_json_is_named_with_its_place(tmp_path, text, said):
    with pytest.raises(OodexpError, match=r"f\.json") as caught:
        read(text, tmp_path, "images")
    assert said in str(caught.value)


def test_memory_does_not_grow_with_the_outlines(tmp_path):
    import tracemalloc

    outline_text = json.dumps([[float(n) for n in range(3000)]])
    with (tmp_path / "f.json").open("w") as file:
        file.write('{"annotations": [')
        for n in range(2000):
            file.write(("," if n else "") + f'{{"id": {n}, "segmentation": {outline_text}}}')
        file.write("]}")
    size = (tmp_path / "f.json").stat().st_size
    told: list[int] = []
    tracemalloc.start()
    stream.read(tmp_path / "f.json", {"annotations": lambda note: told.append(note["id"])})
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert told == list(range(2000))
    assert peak < size / 2
