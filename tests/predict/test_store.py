"""What models computed, kept by content."""

from __future__ import annotations

import errno
import json
import os
import threading
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from oodexp.error import OodexpError
from oodexp.predict.store import Shelf, Store, digest

FINGERPRINT = {"kind": "test", "weights": "abc"}


@pytest.fixture
def shelf(store: Store) -> Shelf:
    return store.shelf("vectors", FINGERPRINT)


def rows(values: dict[str, str | None]) -> pa.Table:
    """A row a key: a value, or None for a failure."""
    reasons = [None if v else "failed: timeout" for v in values.values()]
    return pa.table(
        {
            "key": pa.array(values, pa.string()),
            "value": pa.array(values.values(), pa.string()),
            "reason": pa.array(reasons, pa.string()),
        }
    )


def read(shelf: Shelf, *keys: str) -> list[str | None]:
    return shelf.read(list(keys))["value"].to_pylist()


def test_a_digest_does_not_depend_on_the_order_of_keys():
    one = {"a": [1, {"x": 1, "y": None}], "b": "é"}
    two = {"b": "é", "a": [1, {"y": None, "x": 1}]}
    assert digest(one) == digest(two)


@pytest.mark.parametrize(
    "other",
    [
        {"a": [1, 2], "b": "f"}, {"a": [2, 1], "b": "e"}, {"a": [1, 2], "c": "e"},
        {"a": [1, 2.5], "b": "e"}, {"a": [1, 2], "b": "e", "c": None}, {"a": [1, 2], "b": "E"},
        {"a": ["1", 2], "b": "e"}, {"a": [1, 2], "b": None},
    ],
)  # fmt: skip
def test_a_digest_changes_with_any_letter(other):
    assert digest({"a": [1, 2], "b": "e"}) != digest(other)


def test_a_digest_is_the_same_in_every_process():
    assert digest({"a": 1}) == "f9d86028c6e0d64e225186f96acb69338b2c59764df79162107f5c4bb34d1310"


def test_another_fingerprint_is_another_shelf(store, shelf):
    shelf.write(rows({"k": "v"}))
    assert store.shelf("vectors", FINGERPRINT | {"weights": "abd"}).missing(["k"]) == ["k"]
    assert store.shelf("completions", FINGERPRINT).missing(["k"]) == ["k"]
    assert store.shelf("vectors", dict(reversed(FINGERPRINT.items()))).missing(["k"]) == []


def test_the_fingerprint_lies_beside_the_shards_for_people_to_read(shelf):
    shelf.write(rows({"k": "v"}))
    assert json.loads((shelf.folder / "fingerprint.json").read_text()) == FINGERPRINT


def test_looking_at_a_shelf_makes_no_folder(store, shelf, tmp_path):
    assert shelf.missing(["a"]) == ["a"]
    assert not (tmp_path / "store").exists()


def test_missing_keys_are_named_once_in_the_given_order(shelf):
    shelf.write(rows({"b": "1", "d": "2"}))
    assert shelf.missing(["e", "b", "a", "e", "d"]) == ["e", "a"]


def test_rows_are_read_in_the_given_order_as_often_as_asked_for(shelf):
    shelf.write(rows({"a": "1", "b": "2"}))
    shelf.write(rows({"c": "3"}))
    assert read(shelf, "c", "a", "c", "b") == ["3", "1", "3", "2"]


def test_nothing_asked_for_is_nothing_read(shelf):
    assert shelf.read([]).num_rows == 0
    shelf.write(rows({"a": "1"}))
    assert shelf.read([]).num_rows == 0


def test_a_failure_is_read_as_it_is_and_missing_only_to_who_tries_again(shelf):
    shelf.write(rows({"a": None, "b": "2"}))
    assert read(shelf, "a", "b") == [None, "2"]
    assert shelf.missing(["a", "b"]) == []
    assert shelf.missing(["a", "b"], retry=True) == ["a"]


def test_a_failure_that_lies_in_the_content_is_not_tried_again(shelf):
    shelf.write(rows({"a": None}).set_column(2, "reason", pa.array(["unreadable: cut off"])))
    assert shelf.missing(["a"], retry=True) == []


@pytest.mark.parametrize("order", [("failed", "good"), ("good", "failed")])
def test_a_row_without_a_failure_is_preferred_whenever_it_was_written(shelf, order):
    tables = {"failed": rows({"a": None}), "good": rows({"a": "1", "z": "2"})}
    for name in order:
        shelf.write(tables[name])
    assert read(shelf, "a") == ["1"]
    assert shelf.missing(["a"], retry=True) == []


def test_a_second_try_of_the_same_keys_takes_the_place_of_the_first(shelf):
    shelf.write(rows({"a": None, "b": None}))
    shelf.write(rows({"a": "1", "b": None}))
    assert read(shelf, "a", "b") == ["1", None]
    assert len(list(shelf.folder.glob("*.parquet"))) == 1


def test_a_key_in_two_shards_gives_one_row(shelf):
    shelf.write(rows({"a": "1", "b": "2"}))
    shelf.write(rows({"a": "1"}))
    assert read(shelf, "a", "b") == ["1", "2"]


def test_a_key_that_was_never_written_ends_the_reading_by_name(shelf):
    shelf.write(rows({"a": "1"}))
    with pytest.raises(OodexpError, match=r"2 of 3 results were never written \(first bb\)"):
        shelf.read(["a", "bb", "cc", "bb"])


@pytest.mark.parametrize("damage", ["empty", "half", "text", "flipped"])
def test_a_torn_shard_is_set_aside_and_its_rows_are_computed_again(shelf, damage):
    shelf.write(rows({"a": "1"}))
    (path,) = shelf.folder.glob("*.parquet")
    shelf.write(rows({"b": "2"}))
    whole = path.read_bytes()
    torn = {
        "empty": b"", "half": whole[: len(whole) // 2], "text": b"<html>",
        "flipped": whole[:-12] + bytes(12),
    }[damage]  # fmt: skip
    path.write_bytes(torn)
    assert shelf.missing(["a", "b"]) == ["a"]
    assert shelf.torn == [path.name]
    assert path.with_suffix(".torn").read_bytes() == torn
    shelf.write(rows({"a": "1 again"}))
    assert read(shelf, "a", "b") == ["1 again", "2"]


def test_a_shard_set_aside_by_another_run_is_no_error(shelf, monkeypatch):
    shelf.write(rows({"a": "1"}))
    (path,) = shelf.folder.glob("*.parquet")
    path.write_bytes(b"torn")
    real = Path.rename

    def twice(self, target):
        real(self, target)  # by the other run
        return real(self, target)

    monkeypatch.setattr(Path, "rename", twice)
    assert shelf.missing(["a"]) == ["a"]


def test_what_a_killed_writer_left_is_not_read(shelf):
    shelf.write(rows({"a": "1"}))
    (shelf.folder / ".half.parquet.123.tmp").write_bytes(b"PAR1")
    assert shelf.missing(["a"]) == []
    assert shelf.torn == []


def test_two_writers_of_the_same_keys_leave_each_row_once(store):
    shelves = [store.shelf("vectors", FINGERPRINT) for _ in range(4)]
    start = threading.Barrier(4)

    def work(shelf: Shelf, number: int) -> None:
        start.wait()
        for n in range(15):
            shelf.write(rows({f"k{n}": "same", f"m{n}": "same"}))
            shelf.write(rows({f"own{number}-{n}": str(number)}))

    threads = [threading.Thread(target=work, args=(s, n)) for n, s in enumerate(shelves)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    keys = [f"{k}{n}" for k in "km" for n in range(15)]
    keys += [f"own{w}-{n}" for w in range(4) for n in range(15)]
    found = store.shelf("vectors", FINGERPRINT).read(keys)
    assert found["key"].to_pylist() == keys
    assert found["value"].to_pylist()[:30] == ["same"] * 30
    assert not [p for p in shelves[0].folder.iterdir() if p.suffix not in (".parquet", ".json")]


def test_a_store_names_what_its_shelves_set_aside_once(store, shelf):
    shelf.write(rows({"a": "1"}))
    (path,) = shelf.folder.glob("*.parquet")
    path.write_bytes(b"")
    assert store.torn() == []
    shelf.missing(["a"])
    assert store.torn() == [f"vectors/{shelf.folder.name}/{path.name}"]
    assert store.torn() == []


def test_rows_that_another_machine_wrote_are_waited_for(store, shelf):
    writer = threading.Timer(0.3, shelf.write, [rows({"a": "1"})])
    writer.start()
    found = store.shelf("vectors", FINGERPRINT).read(["a"], patience=60.0)
    assert found["value"].to_pylist() == ["1"]
    writer.join()


def test_no_damaged_byte_of_a_shard_gives_another_value(store):
    """Each byte in turn: the row is the same, or it is missing and the shard is set aside."""
    shelf = store.shelf("vectors", FINGERPRINT)
    shelf.write(rows({"a": "first", "b": "second"}))
    (path,) = shelf.folder.glob("*.parquet")
    whole = path.read_bytes()
    aside = 0
    for at in range(len(whole)):
        changed = bytearray(whole)
        changed[at] ^= 0x41
        path.write_bytes(changed)
        shelf = store.shelf("vectors", FINGERPRINT)
        if shelf.missing(["a", "b"]):
            assert shelf.missing(["a", "b"]) == ["a", "b"]
            aside += 1
        else:
            assert read(shelf, "a", "b") == ["first", "second"], at
    assert aside > len(whole) / 2


def test_a_shard_damaged_where_only_its_values_lie_is_missing_before_it_is_read(shelf, store):
    values = {f"k{n}": f"value {n * 7919}" for n in range(200)}
    shelf.write(rows(values))
    (path,) = shelf.folder.glob("*.parquet")
    column = pq.ParquetFile(path).metadata.row_group(0).column(1)
    assert column.path_in_schema == "value"
    content = bytearray(path.read_bytes())
    content[column.data_page_offset + 60] ^= 1
    path.write_bytes(content)
    assert store.shelf("vectors", FINGERPRINT).missing(list(values)) == list(values)


def test_a_shard_damaged_after_it_was_looked_at_ends_the_reading_by_name(shelf):
    shelf.write(rows({"a": "1"}))
    assert shelf.missing(["a"]) == []
    (path,) = shelf.folder.glob("*.parquet")
    content = path.read_bytes()
    start = content.index(b"PAR1") + 4
    path.write_bytes(
        content[:start] + bytes(len(content) // 3) + content[start + len(content) // 3 :]
    )
    with pytest.raises(OodexpError, match=r"never written|damaged while this run was at work"):
        read(shelf, "a")


@pytest.mark.parametrize("number", [errno.EMFILE, errno.EACCES])
def test_a_shard_that_the_system_does_not_open_now_stays_where_it_is(shelf, monkeypatch, number):
    shelf.write(rows({"a": "1"}))
    (path,) = shelf.folder.glob("*.parquet")

    def refuse(*_, **__):
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patched:
        patched.setattr(pq, "ParquetFile", refuse)
        with pytest.raises(OSError, match=os.strerror(number)):
            shelf.missing(["a"])
    assert path.exists()
    assert shelf.missing(["a"]) == []


def test_a_fingerprint_that_found_no_room_is_written_the_next_time(shelf, monkeypatch):
    write = Path.write_text

    def cut_off(path, text):
        write(path, text[:10])
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_text", cut_off)
        with pytest.raises(OSError, match="No space"):
            shelf.write(rows({"a": "1"}))
    shelf.write(rows({"a": "1"}))
    assert json.loads((shelf.folder / "fingerprint.json").read_text()) == FINGERPRINT
