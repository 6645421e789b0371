"""A benchmark written here and asked elsewhere, through the front door."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
import zipfile
from importlib import resources
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pytest

FIXED = [
    "tracker=folder", "metric.resamples=100", "predict.accelerator=cpu", "predict.progress=false",
]  # fmt: skip
SOURCES = ["source=[coco,miniature]", "source.miniature.limit=12", "source.coco.name=photos"]
IMAGES = 12
LEFT_OUT = 3  # exit status: one image of the set is torn


class Ran(NamedTuple):
    status: int
    out: str
    tables: Path

    def table(self, name: str) -> pd.DataFrame:
        return pd.read_parquet(self.tables / f"{name}.parquet")


def run(runs: Path, experiment: str, *more: str) -> Ran:
    line = [sys.executable, "-m", "oodexp.run", f"experiment={experiment}", f"paths.runs={runs}"]
    done = subprocess.run([*line, *FIXED, *more], capture_output=True, text=True, check=False)
    found = [*(runs / "folder" / experiment).glob("*/tables"), runs]
    return Ran(done.returncode, done.stdout + done.stderr, found[0])


def drawn(folder: Path) -> list[str]:
    """Some scenes of the miniature as a COCO data set on disk, and the words that choose it."""
    data = resources.files("oodexp.miniature") / "data"
    document = json.loads(gzip.decompress((data / "dev.json.gz").read_bytes()))
    document["images"] = [
        image | {"license": 1 + n % 2} for n, image in enumerate(document["images"][:IMAGES])
    ]
    kept = {image["id"] for image in document["images"]}
    document["annotations"] = [n for n in document["annotations"] if n["image_id"] in kept]
    document["licenses"] = [{"id": 1, "name": "CC BY 4.0", "url": "by.example"}]
    with zipfile.ZipFile(str(data / "dev.zip")) as archive:
        archive.extractall(folder / "images", [i["file_name"] for i in document["images"]])
    torn = folder / "images" / document["images"][-1]["file_name"]
    torn.write_bytes(torn.read_bytes()[:-400])  # its header is whole: only who decodes it knows
    (folder / "instances.json").write_text(json.dumps(document))
    return [
        f"source.coco.images={folder}/images", f"source.coco.annotations={folder}/instances.json",
    ]  # fmt: skip


class World(NamedTuple):
    first: Ran
    home: Path

    def bundle(self, images: str) -> Path:
        return self.home / images


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A main line over two sources, its bundles, and the first source gone."""
    home = tmp_path_factory.mktemp("world")
    chosen = [*SOURCES, *drawn(home / "set")]
    first = run(home / "runs", "main", *chosen)
    assert first.status == LEFT_OUT, first.out
    done = run(
        home / "runs", "export", "export=[bundle,pope]", f"paths.exports={home}/exports", *chosen,
        "++export.other={_target_: oodexp.export.bundle.Bundle, images: reference}",
    )  # fmt: skip
    assert done.status == LEFT_OUT, done.out
    for name, images in (("bundle", "include"), ("other", "reference")):
        (written,) = (home / "exports").glob(f"*/{name}")
        written.rename(home / images)
    # What shows is moved, not copied: no path of the first run leads anywhere now.
    (home / "set/images").rename(home / "moved")
    (home / "set/instances.json").unlink()
    return World(first, home)


ALL = ("images", "pairs", "signals", "memberships", "questions")


def equal_to_the_byte(one: Ran, two: Ran, names: tuple[str, ...] = ALL) -> None:
    for name in names:
        file = f"{name}.parquet"
        assert (one.tables / file).read_bytes() == (two.tables / file).read_bytes(), name


@pytest.fixture(scope="module")
def elsewhere(world: World) -> Ran:
    done = run(world.home / "elsewhere", "bundle", f"source.folder={world.bundle('include')}")
    assert done.status == LEFT_OUT, done.out
    return done


def test_the_tables_are_those_of_the_first_run_to_the_byte(world: World, elsewhere: Ran) -> None:
    equal_to_the_byte(world.first, elsewhere)
    assert set(elsewhere.table("questions")["source"]) == {"photos", "miniature"}


def test_no_scorer_was_run(world: World, elsewhere: Ran) -> None:
    assert not (world.home / "elsewhere/store/vectors").exists()
    assert not list((elsewhere.tables / "scores").glob("*"))
    assert (world.home / "runs/store/vectors").exists()


def test_a_vlm_gets_the_accuracies_of_the_first_run(world: World, elsewhere: Ran) -> None:
    one, two = (r.table("measurements") for r in (world.first, elsewhere))
    assert len(one.query("metric == 'accuracy' and source == 'photos'")) > 0
    pd.testing.assert_frame_equal(one, two)


def test_what_was_left_out_is_told_again(world: World, elsewhere: Ran) -> None:
    one, two = (r.table("problems") for r in (world.first, elsewhere))
    assert one["stage"].tolist() == ["decode"]
    pd.testing.assert_frame_equal(one, two)


def test_licences_are_those_of_the_data_set(world: World) -> None:
    rows = pd.read_parquet(world.bundle("include") / "tables/images.parquet")
    told = rows[rows["source"] == "photos"]["licence"]
    assert told.dropna().tolist() == ["CC BY 4.0 by.example"] * (IMAGES // 2)
    assert (rows[rows["source"] == "miniature"]["licence"].str.startswith("Apache-2.0")).all()


def test_by_reference_one_source_of_two_is_asked_and_divided_anew(
    world: World, tmp_path: Path
) -> None:
    done = run(
        tmp_path, "bundle", f"source.folder={world.bundle('reference')}", "source.part=photos",
        f"source.images={world.home}/moved", "division=bundle_scores", "question=existence",
        "vlm=[threshold_lit_miniature]",  # looks at all images before it is asked
    )  # fmt: skip
    assert done.status == LEFT_OUT, done.out
    assert (done.table("completions")["status"] == "ok").all()
    for name in ("images", "pairs", "memberships", "signals", "questions"):
        want = world.first.table(name)
        want = want[want["source"] == "photos"].reset_index(drop=True)
        pd.testing.assert_frame_equal(done.table(name), want)


def test_an_image_that_was_swapped_is_a_problem_and_is_not_asked_about(
    world: World, tmp_path: Path
) -> None:
    folder = tmp_path / "spoilt"
    shutil.copytree(world.bundle("include"), folder)
    rows = pd.read_parquet(folder / "tables/images.parquet")
    image = world.first.table("questions").query("source == 'photos'")["image_id"].iloc[0]
    row = rows.query("source == 'photos' and image_id == @image").iloc[0]
    other = rows.query("source == 'photos' and image_id != @image").iloc[0]
    shutil.copy(folder / other["stored"], folder / row["stored"])
    done = run(tmp_path / "runs", "bundle", f"source.folder={folder}", "vlm=[always_yes]")
    assert done.status == LEFT_OUT, done.out
    problem = done.table("problems").query("image_id == @image").iloc[0]
    assert "sha256" in problem["reason"]
    asked, before = done.table("questions"), world.first.table("questions")
    kept = before[(before["source"] != "photos") | (before["image_id"] != image)]
    assert 0 < len(kept) < len(before)
    pd.testing.assert_frame_equal(asked, kept.reset_index(drop=True))


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["source.folder={bundle}", "division=cross_validation"], "scorer=[]: the division"),
        (["source.folder={bundle}", "source.part=voc"], "no source 'voc'; it holds ['photos'"),
        (["source.folder={bundle}/images"], "no bundle.json"),
        ([], "source.bundle.folder: missing"),
    ],
)
def test_a_mistake_is_told_in_a_line_and_nothing_is_opened(
    more: list[str], said: str, world: World, tmp_path: Path
) -> None:
    told = [text.format(bundle=world.bundle("include")) for text in more]
    done = run(tmp_path / "runs", "bundle", *told)
    assert done.status == 2
    assert said in done.out
    assert not (tmp_path / "runs/store").exists()
    assert "Traceback" not in done.out
