"""Spoilt and hostile bundles: nothing of them comes in, and one line says why."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from oodexp.error import OodexpError
from oodexp.predict.content import scan
from oodexp.source.bundle import Bundle
from tests.source import bundle_made, made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return bundle_made.written(tmp_path / "deep/bundle", made.coco(tmp_path / "first"))


def refused(folder: Path, match: str) -> None:
    """Opening, or reading annotations, ends in one line that names a file of the bundle."""
    with pytest.raises(OodexpError, match=match) as error:
        Bundle(str(folder)).images()
    assert "\n" not in str(error.value)
    assert str(folder) in str(error.value)


HOSTILE = ["../../secret.png", "/etc/hostname", "images\\x.png", "images/a\0.png", "images/link",
           "images/around/secret.png"]  # fmt: skip


@pytest.mark.parametrize("path", HOSTILE)
@pytest.mark.parametrize("images", ["include", "reference"])
def test_no_path_leads_out_of_the_folder(path: str, images: str, tmp_path: Path) -> None:
    source = made.coco(tmp_path / "first")
    folder = bundle_made.written(tmp_path / "deep/bundle", source, images=images)
    (tmp_path / "secret.png").write_bytes(made.png(7))
    (folder / "images").mkdir(exist_ok=True)
    (folder / "images/link").symlink_to(tmp_path / "secret.png")
    (folder / "images/around").symlink_to(tmp_path)
    secret = hashlib.sha256(made.png(7)).hexdigest()
    column = "stored" if images == "include" else "file"

    def spoil(rows: pd.DataFrame) -> pd.DataFrame:
        rows.loc[0, [column, "sha256"]] = [path, secret]
        return rows

    bundle_made.change_table(folder, "images", spoil)
    home = str(folder) if images == "reference" else None
    with pytest.raises(OodexpError, match="stays in") as error:
        Bundle(str(folder), images=home).images()
    assert repr(path) in str(error.value)


def test_a_table_that_is_a_link_out_of_the_folder_is_not_followed(folder: Path) -> None:
    file = folder / "tables/pairs.parquet"
    file.rename(folder.parent / "pairs.parquet")
    file.symlink_to(folder.parent / "pairs.parquet")
    refused(folder, "leads out")


def test_a_pipe_in_place_of_an_image_is_not_waited_for(folder: Path) -> None:
    file = sorted((folder / "images").iterdir())[0]
    file.unlink()
    os.mkfifo(file)
    bundle = Bundle(str(folder))
    assert scan(bundle.images(), bundle.read).images["sha256"].isna().sum() == 1


def tables(folder: Path) -> list[str]:
    files = json.loads((folder / "bundle.json").read_text())["files"]
    return [name for name in files if name.endswith(".parquet")]


def test_a_missing_file_is_named(folder: Path) -> None:
    for name in [*tables(folder), "bundle.json", "checksums.sha256"]:
        data = (folder / name).read_bytes()
        (folder / name).unlink()
        refused(folder, Path(name).name)
        (folder / name).write_bytes(data)


def test_a_folder_that_is_no_bundle_says_what_one_is(tmp_path: Path) -> None:
    with pytest.raises(OodexpError, match=r"no bundle\.json.*experiment=export export=bundle"):
        Bundle(str(tmp_path / "nothing"))


READ = ["tables/images.parquet", "tables/pairs.parquet", "tables/problems.parquet",
        "presence/0.parquet"]  # fmt: skip


@pytest.mark.parametrize("name", [*READ, "bundle.json"])
def test_a_changed_byte_is_seen(name: str, folder: Path) -> None:
    data = bytearray((folder / name).read_bytes())
    data[len(data) // 2] ^= 1
    (folder / name).write_bytes(bytes(data))
    refused(folder, f"{Path(name).name}: ")


@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize("share", [0.0, 0.5, 0.99])
def test_a_torn_table_is_named_even_where_the_checksums_agree(
    name: str, share: float, folder: Path
) -> None:
    data = (folder / name).read_bytes()
    (folder / name).write_bytes(data[: int(share * len(data))])
    bundle_made.seal(folder)
    refused(folder, f"{Path(name).name}: not a whole Parquet file")


class Trap:
    def __init__(self, mark: str) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (Path(self.mark),)


@pytest.mark.parametrize("name", [*READ, "bundle.json"])
def test_a_pickle_is_never_opened(name: str, folder: Path) -> None:
    mark = folder.parent / "sprung"
    pickle.loads(pickle.dumps(Trap(str(mark))))
    assert mark.exists()
    mark.unlink()
    (folder / name).write_bytes(pickle.dumps(Trap(str(mark))))
    if name != "bundle.json":
        bundle_made.seal(folder)
    refused(folder, "not JSON" if name == "bundle.json" else "not a whole Parquet file")
    assert not mark.exists()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda m: m.update(version=2), "version is 2; expected 1"),
        (lambda m: m.update(version=True), "version is True; expected a int"),
        (lambda m: m.pop("version"), "version is None"),
        (lambda m: m.update(format="zip"), "format is 'zip'; expected oodexp-bundle"),
        (lambda m: m.update(images="some"), "images is 'some'; expected include or reference"),
        (lambda m: m.update(sources=[]), "expected one or more"),
        (lambda m: m.update(sources=m["sources"] * 2), "expected each name once"),
        (lambda m: m.update(sources=[7]), r"sources\[0\]: categories is 7"),
        (lambda m: m["sources"][0].update(name=None), r"sources\[0\]: name is None"),
        (lambda m: m["sources"][0].update(categories=["a", "a"]), "texts, each once"),
        (lambda m: m["sources"][0].update(categories=[""]), "texts, each once"),
        (lambda m: m["sources"][0].update(labels_sha256="x"), "expected a SHA-256 or null"),
        (lambda m: m["scorers"][0].update(link="tanh"), "expected softmax or sigmoid"),
        (lambda m: m.update(files=[]), "files is"),
        (lambda m: m["files"].update({"x": "A" * 64}), "a SHA-256 in lower case"),
        (lambda m: m["files"].pop("tables/pairs.parquet"), "files has no tables/pairs.parquet"),
        (lambda m: m["sources"][0].update(name="other"), "rows of source 'coco'"),
        (lambda m: m["sources"][0]["categories"].pop(), "lists of 4"),
    ],
)  # fmt: skip
def test_a_manifest_that_is_not_as_it_should_be_says_where(
    change: Callable[[dict[str, Any]], object], said: str, folder: Path
) -> None:
    bundle_made.change_manifest(folder, change)
    refused(folder, said)


@pytest.mark.parametrize("text", ["", "[]", "{", "7", "[" * 100_000, '{"format": 1}'])
def test_a_manifest_of_something_else_is_told(text: str, folder: Path) -> None:
    (folder / "bundle.json").write_text(text)
    refused(folder, r"bundle\.json: ")


def rewritten(folder: Path, name: str, change: Callable[[pa.Table], pa.Table]) -> None:
    pq.write_table(change(pq.read_table(folder / name)), folder / name)
    bundle_made.seal(folder)


def no_text(rows: int) -> pa.Array:
    """Bytes that are no UTF-8, said to be text."""
    data = pa.array([b"\xff"] * rows, pa.binary())
    return pa.StringArray.from_buffers(rows, *data.buffers()[1:])


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("pairs", lambda t: t.drop_columns("count"), "columns .*; expected source: string"),
        ("pairs", lambda t: t.append_column("x", t["count"]), "columns .*x: int64"),
        ("pairs", lambda t: t.set_column(2, "category", pa.nulls(len(t), pa.int64())), "category"),
        ("pairs", lambda t: t.set_column(2, "category", pa.nulls(len(t), pa.string())), "null in"),
        ("pairs", lambda t: pa.concat_tables([t, t]), "repeated keys"),
        ("pairs", lambda t: t.set_column(2, "category", no_text(len(t))), "Invalid UTF8"),
        ("pairs", lambda t: t.slice(1), "the pairs are not the present cells"),
        ("images", lambda t: t.slice(1), "the rows of presence are not those of images"),
        ("images", lambda t: t.take(list(range(len(t)))[::-1]), "not those of images"),
    ],
)  # fmt: skip
def test_tables_of_other_columns_types_and_rows_are_refused(
    name: str, change: Callable[[pa.Table], pa.Table], said: str, folder: Path
) -> None:
    rewritten(folder, f"tables/{name}.parquet", change)
    refused(folder, said)


def cells(values: Any, kind: pa.DataType) -> Callable[[pa.Table], pa.Table]:
    def change(table: pa.Table) -> pa.Table:
        rows = [values] * table.num_rows
        return table.set_column(1, "values", pa.array(rows, pa.list_(kind, len(values))))

    return change


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (cells([7] * 5, pa.uint8()), "code 7; expected 0, 1 or 2"),
        (cells([0] * 4, pa.uint8()), "lists of 5 uint8"),
        (cells([0] * 5, pa.int64()), "lists of 5 uint8"),
        (cells([None] * 5, pa.uint8()), "a null"),
        (lambda t: t.set_column(1, "values", pa.nulls(len(t), pa.list_(pa.uint8(), 5))), "size=5"),
        (lambda t: t.rename_columns(["image_id", "cells"]), "columns image_id: string, cells"),
        (lambda t: t.drop_columns("values"), "expected image_id: string and values"),
    ],
)  # fmt: skip
def test_presence_of_another_shape_is_refused(
    change: Callable[[pa.Table], pa.Table], said: str, folder: Path
) -> None:
    rewritten(folder, "presence/0.parquet", change)
    refused(folder, said)


def test_words_for_pandas_in_a_table_change_nothing(folder: Path) -> None:
    before = Bundle(str(folder)).pairs()
    told = {"index_columns": ["category"], "columns": [], "column_indexes": []}

    def change(table: pa.Table) -> pa.Table:
        return table.replace_schema_metadata({b"pandas": json.dumps(told).encode()})

    rewritten(folder, "tables/pairs.parquet", change)
    pd.testing.assert_frame_equal(Bundle(str(folder)).pairs(), before)
