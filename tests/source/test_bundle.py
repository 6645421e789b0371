"""Bundles as sources: what was written comes back."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from oodexp.error import OodexpError
from oodexp.predict.content import scan
from oodexp.recipe.base import each_source
from oodexp.recipe.world import look
from oodexp.source.base import Source
from oodexp.source.bundle import Bundle
from tests.source import bundle_made, made

MADE: dict[str, Callable[[Path], Source]] = {
    "coco": made.coco,
    "renamed": lambda f: made.coco(f, labels={made.coco(f).categories()[0]: "other"}),
    "lvis": made.lvis,
    "manifest": made.manifest,
    "hub": made.hub,
}


def same(one: Source, two: Source) -> None:
    assert (one.name, one.labels_sha256) == (two.name, two.labels_sha256)
    assert one.categories() == two.categories()
    assert np.array_equal(one.presence(), two.presence())
    left, right = look(one), look(two)
    pd.testing.assert_frame_equal(left.images, right.images)
    pd.testing.assert_frame_equal(left.pairs, right.pairs)
    for image_id in left.images["image_id"]:
        assert one.read(image_id) == two.read(image_id)


@pytest.mark.parametrize("name", MADE)
def test_a_source_comes_back_from_its_bundle(name: str, tmp_path: Path) -> None:
    source = MADE[name](tmp_path / "first")
    bundle = Bundle(str(bundle_made.written(tmp_path / "bundle", source)))
    same(bundle, source)
    told = source.problems()["reason"].tolist()
    assert bundle.problems()["reason"].tolist() == told
    assert bundle.licences() == getattr(source, "licences", dict)()


def test_images_named_by_reference_are_read_where_they_lie(tmp_path: Path) -> None:
    source = made.coco(tmp_path / "first")
    folder = bundle_made.written(tmp_path / "bundle", source, images="reference")
    moved = tmp_path / "elsewhere"
    (tmp_path / "first/images").rename(moved)
    bundle = Bundle(str(folder), images=str(moved))
    same(bundle, Bundle(str(folder), images={"coco": str(moved)}))
    assert not (folder / "images").exists()
    assert look(bundle).images["sha256"].notna().all()


@pytest.mark.parametrize("images", [None, "nowhere", {"lvis": "."}])
def test_a_reference_without_its_folder_is_asked_for(images: Any, tmp_path: Path) -> None:
    folder = bundle_made.written(tmp_path / "b", made.coco(tmp_path), images="reference")
    with pytest.raises(OodexpError, match=r"source\.bundle\.images=DIR"):
        Bundle(str(folder), images=images)


def test_a_folder_for_images_that_are_inside_is_refused(tmp_path: Path) -> None:
    folder = bundle_made.written(tmp_path / "b", made.coco(tmp_path))
    with pytest.raises(OodexpError, match="are inside"):
        Bundle(str(folder), images=str(tmp_path))


def both(folder: Path, **options: Any) -> tuple[list[Source], Path]:
    sources: list[Source] = [made.coco(folder / "one"), made.lvis(folder / "two")]
    return sources, bundle_made.written(folder / "bundle", *sources, **options)


def test_two_sources_keep_their_names_and_their_order(tmp_path: Path) -> None:
    sources, folder = both(tmp_path)
    found = each_source({"bundle": Bundle(str(folder))})
    assert list(found) == ["bundle/coco", "bundle/lvis"]
    for one, two in zip(found.values(), sources, strict=True):
        same(one, two)
    (only,) = each_source({"bundle": Bundle(str(folder), part="lvis")}).values()
    same(only, sources[1])


def test_two_sources_are_not_taken_for_one(tmp_path: Path) -> None:
    _, folder = both(tmp_path)
    with pytest.raises(OodexpError, match=r"\['coco', 'lvis'\]; choose one.*part=coco"):
        Bundle(str(folder)).images()
    with pytest.raises(OodexpError, match=r"no source 'voc'; it holds \['coco', 'lvis'\]"):
        Bundle(str(folder), part="voc")


def test_two_sources_by_reference_have_a_folder_each(tmp_path: Path) -> None:
    sources, folder = both(tmp_path, images="reference")
    homes = {"coco": str(tmp_path / "one/images"), "lvis": str(tmp_path / "two/images")}
    for one, two in zip(Bundle(str(folder), images=homes).each(), sources, strict=True):
        same(one, two)


@pytest.mark.parametrize("images", ["include", "reference"])
def test_an_image_that_is_another_one_is_a_problem_of_its_own(
    images: str, tmp_path: Path
) -> None:  # fmt: skip
    source = made.coco(tmp_path / "first")
    folder = bundle_made.written(tmp_path / "bundle", source, images=images)
    home = tmp_path / "first/images" if images == "reference" else folder / "images"
    first, second, *_ = sorted(home.iterdir())
    first.write_bytes(made.png(999))
    second.unlink()
    bundle = Bundle(str(folder), images=str(home) if images == "reference" else None)
    content = scan(bundle.images(), bundle.read)
    assert content.images["sha256"].isna().sum() == 2
    one, two = sorted(content.problems["reason"])
    assert "No such file" in one
    assert hashlib.sha256(made.png(999)).hexdigest() in two


def test_an_image_that_the_run_could_not_read_stays_unread(tmp_path: Path) -> None:
    source = made.coco(tmp_path / "first")
    lost = source.images()["file"].iloc[2]
    (tmp_path / "first/images" / lost).unlink()
    for images in ("include", "reference"):
        folder = bundle_made.written(tmp_path / images, source, images=images)
        home = str(tmp_path / "first/images") if images == "reference" else None
        (tmp_path / "first/images" / lost).write_bytes(made.png(2))
        bundle = Bundle(str(folder), images=home)
        assert look(bundle).images["sha256"].isna().tolist() == [n == 2 for n in range(12)]
        (tmp_path / "first/images" / lost).unlink()
