"""A table of images with a concept phrase each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from oodexp import table
from oodexp.error import OodexpError
from oodexp.record import PRESENT, UNKNOWN, Concept
from oodexp.source.concepts import Concepts
from oodexp.source.manifest import Manifest
from tests.source.made import png

FORMS = ["csv", "tsv", "jsonl", "parquet"]
ROWS: list[dict[str, Any]] = [
    {"image": "a.png", "phrase": "origami elephant", "category": "synthetic",
     "acquisition": "generated", "licence": "CC0 1.0", "origin": "a generator"},
    {"image": "sub/b.png", "phrase": "tilted cup", "category": "viewpoint",
     "acquisition": "crawled", "licence": "CC BY 4.0", "origin": None},
    {"image": "c.png", "phrase": "origami elephant", "category": "synthetic",
     "acquisition": None, "licence": None, "origin": "a page, mirrored"},
]  # fmt: skip


def made(folder: Path, rows: list[dict[str, Any]] | None = None, form: str = "csv") -> Concepts:
    rows = ROWS if rows is None else rows
    (folder / "images/sub").mkdir(parents=True, exist_ok=True)
    for number, row in enumerate(rows):
        if isinstance(row.get("image"), str) and ".." not in row["image"]:
            (folder / "images" / row["image"]).write_bytes(png(number))
    frame, file = pd.DataFrame(rows, dtype=object), folder / f"list.{form}"
    if form == "parquet":
        frame.to_parquet(file)
    elif form == "jsonl":
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        frame.to_csv(file, index=False, sep="\t" if form == "tsv" else ",")
    return Concepts(str(file), str(folder / "images"))


def rows_with(**fields: Any) -> list[dict[str, Any]]:
    return [ROWS[0], ROWS[1] | fields]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_rows_of_the_table(tmp_path, form):
    found = made(tmp_path, form=form).concepts()
    assert table.check(Concept, found).equals(found)
    wanted = [
        ["concepts", r["image"], r["phrase"], r["category"], r["acquisition"] or "unknown",
         r["licence"], r["origin"]] for r in ROWS
    ]  # fmt: skip
    assert found.astype(object).where(found.notna(), None).to_numpy().tolist() == wanted


@pytest.mark.parametrize("form", FORMS)
def test_an_image_shows_its_phrase_and_of_other_phrases_nothing_is_known(tmp_path, form):
    source = made(tmp_path, form=form)
    assert source.categories() == ["origami elephant", "tilted cup"]
    assert source.presence().tolist() == [
        [PRESENT, UNKNOWN], [UNKNOWN, PRESENT], [PRESENT, UNKNOWN],
    ]  # fmt: skip
    pairs = source.pairs()
    assert pairs["category"].tolist() == [row["phrase"] for row in ROWS]
    assert pairs["count"].isna().all()
    assert set(pairs["count_reason"]) == {"not given"}


def test_it_gives_what_the_same_rows_give_as_a_list_of_categories(tmp_path):
    source = made(tmp_path)
    lines = "".join(f"{row['image']},{row['phrase']}\n" for row in ROWS)
    (tmp_path / "plain.csv").write_text("image,category\n" + lines)
    plain = Manifest(str(tmp_path / "plain.csv"), str(tmp_path / "images"), name="concepts")
    assert source.images().equals(plain.images())
    assert source.pairs().equals(plain.pairs())
    assert np.array_equal(source.presence(), plain.presence())


def test_the_bytes_are_those_of_the_file(tmp_path):
    assert made(tmp_path).read("sub/b.png") == (tmp_path / "images/sub/b.png").read_bytes()


def test_licence_origin_and_acquisition_may_be_missing(tmp_path):
    few = [{key: row[key] for key in ("image", "phrase", "category")} for row in ROWS]
    found = made(tmp_path, few).concepts()
    assert set(found["acquisition"]) == {"unknown"}
    assert found[["licence", "origin"]].isna().all(axis=None)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"image": None}, "column 'image' is empty"),
        ({"phrase": None}, "column 'phrase' is empty; expected text"),
        ({"category": None}, "column 'category' is empty"),
        ({"phrase": "cup "}, "column 'phrase': 'cup '; expected text, no blanks"),
        ({"image": "a.png"}, r"image 'a.png' is repeated \(first in line .\); an image has one"),
        (
            {"phrase": "origami elephant"},
            "phrase 'origami elephant' is of category 'viewpoint' here and of 'synthetic' in line",
        ),
    ],
)
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_value_that_is_wrong_is_named_with_its_line(tmp_path, fields, said, form):
    with pytest.raises(OodexpError, match=said) as caught:
        made(tmp_path, rows_with(**fields), form).images()
    assert f"list.{form}, line {2 if form == 'jsonl' else 3}: " in str(caught.value)


def test_a_text_that_is_no_text_is_refused(tmp_path):
    with pytest.raises(OodexpError, match=r"line 2: column 'licence': 4; expected text"):
        made(tmp_path, rows_with(licence=4), "jsonl").concepts()


def test_a_missing_column_and_a_misspelt_one_are_named(tmp_path):
    with pytest.raises(OodexpError, match=r"no column 'phrase' \(did you mean 'phrases'\?\)"):
        made(tmp_path, [{"image": "a.png", "phrases": "x", "category": "y"}]).images()
    with pytest.raises(OodexpError, match=r"unknown column 'license' \(did you mean 'licence'"):
        made(
            tmp_path, [{"image": "a.png", "phrase": "x", "category": "y", "license": "z"}]
        ).images()


def test_a_column_that_is_not_used_is_noted(tmp_path):
    notes = made(tmp_path, [row | {"colour": "red"} for row in ROWS]).problems()
    assert notes["reason"].tolist() == ["note: the column 'colour' is not used"]


def test_a_table_without_rows_is_refused(tmp_path):
    (tmp_path / "list.csv").write_text("image,phrase,category\n")
    with pytest.raises(OodexpError, match=r"list\.csv: no rows; expected a table"):
        Concepts(str(tmp_path / "list.csv"), str(tmp_path)).concepts()


def test_a_path_that_leads_out_of_the_folder_is_listed_nowhere(tmp_path):
    away = {"image": "../secret.png", "phrase": "x", "category": "y"}
    source = made(tmp_path, [*ROWS, away], "jsonl")
    assert source.images()["image_id"].tolist() == [row["image"] for row in ROWS]
    assert source.concepts()["image_id"].tolist() == [row["image"] for row in ROWS]
    assert source.problems()["subject"].tolist() == ["../secret.png"]
    with pytest.raises(KeyError):
        source.read("../secret.png")
