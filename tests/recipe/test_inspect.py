"""`experiment=inspect`: what a source holds, counted by hand on the six drawn scenes."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from oodexp.error import OodexpError
from oodexp.recipe.base import Sources
from oodexp.recipe.inspect import main
from oodexp.tracker.folder import Folder


def inspect(sources: dict[str, object], runs: Path) -> tuple[bool, Path]:
    with Folder(runs).open(experiment="inspect", config={}) as run:
        lost = main(run, Sources(sources))
    return lost, Path(run.where)


def test_images_pairs_and_categories_are_printed(world, tmp_path, capsys):
    lost, _ = inspect({"world": world}, tmp_path / "runs")
    rows = [line.split("│") for line in capsys.readouterr().out.splitlines()]
    said = {row[1].strip(): row[2].strip() for row in rows if len(row) > 3}
    assert not lost
    assert said["images"] == "6"
    assert said["images without objects"] == "1"
    assert said["objects"] == "6"
    assert said["pairs (image, present category)"] == "6"
    assert said["categories"] == "3"
    assert said["cells annotated neither way"] == "0"
    assert said["apple"] == "2"


def test_tables_are_kept_and_no_model_is_run(world, tmp_path):
    _, where = inspect({"world": world}, tmp_path / "runs")
    assert {p.stem for p in (where / "tables").glob("*.parquet")} == {"images", "pairs", "problems"}
    assert pd.read_parquet(where / "tables/images.parquet")["sha256"].notna().all()


def test_an_unreadable_image_is_counted_and_named(world, tmp_path, capsys):
    file = tmp_path / "world" / "images" / "one.png"
    (file if file.is_file() else next((tmp_path / "world").rglob("one.png"))).write_bytes(b"")
    lost, _ = inspect({"world": world}, tmp_path / "runs")
    out = capsys.readouterr().out
    assert lost
    assert "unreadable: empty file" in out


def test_two_sources_of_one_name_are_refused(world, tmp_path):
    with pytest.raises(OodexpError, match="give each its own name"):
        inspect({"a": world, "b": world}, tmp_path / "runs")


def test_the_tag_of_a_renaming_table_is_kept(world, tmp_path):
    world.labels_sha256 = "f" * 64
    _, where = inspect({"world": world}, tmp_path / "runs")
    tags = json.loads((where / "tags.json").read_text())
    assert tags["source/world/labels_sha256"] == "f" * 64
