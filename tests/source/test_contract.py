"""Every source of the configuration by its YAML, and what every source promises."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hydra.utils import get_class
from omegaconf import OmegaConf

from oodexp.pixel import decode
from oodexp.record import ABSENT, PRESENT, UNKNOWN
from oodexp.source.base import Source
from oodexp.source.cityscapes import Cityscapes
from oodexp.source.concept_miniature import ConceptMiniature
from oodexp.source.miniature import Miniature
from oodexp.source.nuscenes import NuScenes
from tests.source import bundle_made, cityscapes_made, made, nuscenes_made, test_concepts

FOLDER = Path(__file__).resolve().parents[2] / "conf" / "source"
FILES = sorted(FOLDER.glob("*.yaml"))


def miniature(folder: Path) -> Source:
    return Miniature("dev", limit=20)


def nuscenes(folder: Path) -> Source:
    return NuScenes(str(nuscenes_made.drawn().write(folder)))


def cityscapes(folder: Path) -> Source:
    draw = np.random.default_rng(0)
    for number in range(5):
        objects = cityscapes_made.drawn(draw)
        cityscapes_made.write(folder, f"ulm_00000{number}_000019", objects, ids=number % 2 == 0)
    return Cityscapes(str(folder))


MADE: dict[str, Callable[[Path], Source]] = {
    "miniature": miniature,
    "nuscenes": nuscenes,
    "cityscapes": cityscapes,
    "coco": made.coco,
    "coco_renamed": lambda f: made.coco(f, labels={made.coco(f).categories()[0]: "other"}),
    "lvis": made.lvis,
    "lvis_minival": lambda f: made.lvis(f, minival=True),
    "lvis_merged": lambda f: made.lvis(f, labels={"bat_(animal)": "b", "bat_(sports)": "b"}),
    "manifest": made.manifest,
    "manifest_absent": lambda f: made.manifest(f, form="parquet", rest="absent"),
    "concepts": test_concepts.made,
    "concept_miniature": lambda _: ConceptMiniature(limit=1),
    "bundle": lambda f: bundle_made.opened(f, made.lvis(f / "lvis")),
    "bundle_reference": lambda f: bundle_made.opened(
        f, made.manifest(f / "list"), images=str(f / "list/images")
    ),
    "hub": made.hub,
    "hub_list": lambda f: made.hub(f, form="list", rest="unknown"),
}


@pytest.fixture(params=MADE)
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Source:
    return MADE[request.param](tmp_path)


def part(file: Path) -> Any:
    return dict(OmegaConf.to_container(OmegaConf.load(file), resolve=False)[file.stem])


def test_every_kind_of_source_of_the_folder_is_held_to_the_contract(tmp_path):
    kinds = {type(make(tmp_path / name)) for name, make in MADE.items()}
    assert {get_class(part(f)["_target_"]) for f in FILES} <= kinds


def test_the_folder_holds_sources():
    assert {f.stem for f in FILES} >= {
        "miniature",
        "coco",
        "lvis",
        "lvis_minival",
        "manifest",
        "hub",
    }


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_the_only_key_of_a_file_is_its_name(file):
    assert list(OmegaConf.load(file)) == [file.stem]


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_a_file_says_on_its_first_line_what_it_is(file):
    assert file.read_text("utf-8").startswith("# ")


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_a_file_gives_every_argument_that_the_constructor_needs_and_no_other(file):
    node = part(file)
    inspect.signature(get_class(node.pop("_target_"))).bind(**node)


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_the_data_set_is_named_as_its_file(file):
    if file.stem != "bundle":  # whose data sets keep the names that they had
        assert part(file)["name"] == file.stem


def test_rows_and_columns_fit_together(source):
    images, presence = source.images(), source.presence()
    assert presence.shape == (len(images), len(source.categories()))
    assert presence.dtype == np.uint8
    assert set(np.unique(presence).tolist()) <= {ABSENT, PRESENT, UNKNOWN}
    assert len(images) > 1


def test_categories_are_texts_each_once(source):
    categories = source.categories()
    assert len(set(categories)) == len(categories) > 1
    assert all(isinstance(c, str) and c for c in categories)


def test_pairs_are_the_present_cells_in_their_order(source):
    rows, columns = np.nonzero(source.presence() == PRESENT)
    ids = source.images()["image_id"].to_numpy()[rows]
    cells = zip(ids, np.array(source.categories(), dtype=object)[columns], strict=True)
    pairs = source.pairs()
    assert len(pairs) > 1
    assert list(cells) == list(zip(pairs["image_id"], pairs["category"], strict=True))


def test_a_reason_stands_where_the_count_is_null_and_nowhere_else(source):
    pairs = source.pairs()
    assert pairs["count"].isna().tolist() == pairs["count_reason"].notna().tolist()
    assert (pairs["count"].dropna() >= 1).all()


def test_objects_are_at_least_what_the_pairs_count(source):
    counted = source.pairs().assign(least=lambda p: p["count"].fillna(1))
    least = counted.groupby("image_id")["least"].sum()
    images = source.images().set_index("image_id")["objects"]
    assert (images.loc[least.index] >= least).all()
    assert (images.drop(least.index) == 0).all()


def test_every_row_names_the_source(source):
    for table in (source.images(), source.pairs(), source.problems()):
        assert set(table["source"]) <= {source.name}


def test_every_image_can_be_read(source):
    images = source.images()
    assert images["image_id"].is_unique
    for image_id in images["image_id"].head(4):
        data = source.read(image_id)
        assert isinstance(data, bytes)
        if not isinstance(source, (Cityscapes, NuScenes)):  # whose frames are stand-ins
            decode(data)


def test_the_digest_of_the_labels_is_null_or_a_digest(source):
    digest = source.labels_sha256
    assert digest is None or len(bytes.fromhex(digest)) == 32


def test_another_process_sees_the_same_tables(source):
    first = source.images()["image_id"].iloc[0]
    data = source.read(first)
    copied = pickle.loads(pickle.dumps(source))
    assert copied.read(first) == data
    assert np.array_equal(copied.presence(), source.presence())


def test_asking_twice_gives_the_same_order(source, tmp_path, request):
    again = MADE[request.node.callspec.params["source"]](tmp_path)
    assert again.categories() == source.categories()
    assert again.images().equals(source.images())
    assert again.pairs().equals(source.pairs())
    assert np.array_equal(again.presence(), source.presence())
