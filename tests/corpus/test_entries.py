"""Long files are read entry by entry; a file that is broken says where."""

from __future__ import annotations

import json
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oodexp.corpus import entries as module
from oodexp.corpus.entries import entries
from oodexp.error import OodexpError

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats(allow_nan=False)
    | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(
    values=st.lists(VALUES, max_size=6), piece=st.integers(1, 9),
    indent=st.none() | st.just(1), ascii=st.booleans(),
)  # fmt: skip
def test_a_list_is_read_as_json_reads_it(values, piece, indent, ascii, tmp_path_factory):
    path = tmp_path_factory.mktemp("e") / "list.json"
    path.write_text(json.dumps(values, indent=indent, ensure_ascii=ascii), "utf-8", "surrogatepass")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "PIECE", piece)
        found = list(entries(path))
    assert [entry.value for entry in found] == values
    assert [entry.place for entry in found] == [f"entry {n}" for n in range(len(values))]


@settings(max_examples=100, deadline=None)
@given(
    document=st.dictionaries(
        st.text(max_size=4), st.lists(VALUES, max_size=3) | VALUES, max_size=4
    ),
    piece=st.integers(1, 9),
)
def test_an_object_is_read_list_by_list(document, piece, tmp_path_factory):
    path = tmp_path_factory.mktemp("e") / "object.json"
    path.write_text(json.dumps(document))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "PIECE", piece)
        found = [(entry.list, entry.value) for entry in entries(path)]
    lists = {k: v for k, v in document.items() if isinstance(v, list)}
    assert found == [(name, value) for name, values in lists.items() for value in values]


def test_lines_are_read_one_by_one_and_a_bad_line_is_told(tmp_path):
    path = tmp_path / "c.jsonl"
    path.write_text('{"a": 1}\n\n{"a": \n[2]\n', "utf-8-sig")
    found = list(entries(path))
    assert [entry.place for entry in found] == ["line 1", "line 3", "line 4"]
    assert [entry.value for entry in found] == [{"a": 1}, None, [2]]
    assert [entry.error is None for entry in found] == [True, False, True]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "start"),
        ("[1, 2", "after entry 1"),
        ("[1 2]", "after entry 0"),
        ("[1] 3", "'3' after the end"),
        ('{"x": [1, {]}', "after x entry 0"),
        ('{"x" 1}', "where ':' is expected"),
        ('{"a": 1}\n{"a": 2}', "file named .jsonl"),
        ("[" * 100_000, "start"),
    ],
)
def test_a_broken_document_says_where(text, words, tmp_path):
    path = tmp_path / "broken.json"
    path.write_text(text)
    with pytest.raises(OodexpError, match=words):
        list(entries(path))


def test_a_file_in_another_encoding_is_named(tmp_path):
    path = tmp_path / "latin.json"
    path.write_bytes('["é"]'.encode("latin-1"))
    with pytest.raises(OodexpError, match="not JSON in UTF-8"):
        list(entries(path))


def test_a_file_that_went_is_named(tmp_path):
    with pytest.raises(OodexpError, match=r"gone\.json: cannot be read"):
        list(entries(tmp_path / "gone.json"))


def test_memory_does_not_grow_with_the_file(tmp_path):
    def peak(number: int) -> int:
        path = tmp_path / f"{number}.json"
        path.write_text(json.dumps({"annotations": [{"caption": "a dog " * 20}] * number}))
        tracemalloc.start()
        assert sum(1 for _ in entries(path)) == number
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    assert peak(60_000) < 1.3 * peak(20_000)
