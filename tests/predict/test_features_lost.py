"""Images without a vector, and extractors that break their promise: each named, none silent."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from oodexp.error import OodexpError
from oodexp.predict.content import scan
from oodexp.predict.features import NO_CONTENT, NOT_FINITE, features
from oodexp.source.coco import Coco
from tests.predict.corners import Corners, by_hand, refuse, run
from tests.world import CATEGORIES, SCENES, annotated


@pytest.fixture
def cut(shared: Path, tmp_path: Path) -> Coco:
    """The case g10 of damaged files, and one file that is missing."""
    names = ["gone.jpg", "whole.jpg", "cut.jpg", "zero.jpg", "page.jpg"]
    document = {
        "images": [{"id": n, "file_name": name} for n, name in enumerate(names)],
        "categories": [{"id": n, "name": name} for n, name in enumerate(CATEGORIES)],
        "annotations": [],
    }
    return annotated(tmp_path / "case", document, shared / "cases/g10-truncated", "case")


def test_an_image_that_cannot_be_read_is_a_row_of_nan_with_a_reason(cut, store, loop):
    expected = json.loads((cut._root / "expected.json").read_text())
    files = cut.images()["file"].tolist()
    found = run(cut, Corners(), store, loop)
    readable = [files.index(name) for name in expected["readable"]]
    good = np.isin(np.arange(len(files)), readable)
    assert np.isfinite(found.vectors[good]).all()
    assert np.isnan(found.vectors[~good]).all()
    assert set(found.reasons) == {str(n) for n in np.flatnonzero(~good)}
    assert found.reasons["0"] == NO_CONTENT
    assert all(reason.startswith("unreadable: ") for reason in found.reasons.values())
    assert found.computed_images == good.sum()
    np.testing.assert_allclose(
        found.vectors[good], by_hand(cut, Corners(), [str(n) for n in readable]), rtol=1e-6
    )


def test_a_damaged_file_is_not_decoded_again_the_next_time(cut, store, loop):
    first = run(cut, Corners(), store, loop)
    again = Corners()
    second = features(scan(cut.images(), cut.read).images, refuse, again, store, loop)
    assert (second.computed_images, again.loads) == (0, [])
    assert second.reasons == first.reasons


def test_a_file_that_could_not_be_read_for_a_moment_is_computed_the_next_time(world, store, loop):
    images = scan(world.images(), world.read).images

    def hiccup(image_id: str) -> bytes:
        if image_id == "2":
            raise OSError(5, "Input/output error")
        return world.read(image_id)

    first = features(images, hiccup, Corners(), store, loop)
    assert first.reasons == {"2": "file not read: Input/output error"}
    assert np.isnan(first.vectors).any(axis=1).tolist() == [n == 2 for n in range(6)]
    assert first.computed_images == 5
    second = features(images, world.read, Corners(), store, loop)
    assert (second.reasons, second.computed_images) == ({}, 1)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_a_vector_that_is_not_finite_is_a_row_of_nan_with_a_reason(world, store, loop, wrong):
    class Broken(Corners):
        def encode_images(self, batch):
            found = super().encode_images(batch)
            found[batch[:, 2].mean(dim=(1, 2)) > 0.7, 4] = wrong  # the lake
            return found

    found = run(world, Broken(), store, loop)
    assert found.reasons == {"2": NOT_FINITE}
    assert np.isnan(found.vectors[2]).all()
    assert np.isfinite(np.delete(found.vectors, 2, axis=0)).all()
    assert found.computed_images == len(SCENES)


@pytest.mark.parametrize("rows", [slice(3, 5), slice(0, 1), slice(0, 0)])
def test_images_of_which_none_can_be_read_have_no_dimension_and_all_a_reason(
    cut, store, loop, rows
):
    images = scan(cut.images(), cut.read).images[rows]
    found = features(images, cut.read, Corners(), store, loop)
    assert found.vectors.shape == (len(images), 0)
    assert found.vectors.dtype == np.float32
    assert list(found.reasons) == images["image_id"].tolist()
    assert found.computed_images == 0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda v: v[:-1], r"shape \(1, 7\) for 2 images; expected \(image, dimension\)$"),
        (lambda v: v.ravel(), r"shape \(14,\) for 2 images"),
        (lambda v: v[:, None], r"shape \(2, 1, 7\) for 2 images"),
    ],
)
def test_vectors_of_another_shape_are_refused_and_not_stored(world, store, loop, change, said):
    class Faulty(Corners):
        def encode_images(self, batch):
            return change(super().encode_images(batch))

    with pytest.raises(OodexpError, match=f"feature Faulty: image vectors of {said}"):
        run(world, Faulty(), store, loop)
    assert run(world, Corners(), store, loop).computed_images == len(SCENES)


def test_vectors_of_several_lengths_are_refused(world, store, loop):
    class Growing(Corners):
        def encode_images(self, batch):
            return super().encode_images(batch)[:, : 2 + len(self.encoded)]

    with pytest.raises(OodexpError, match="feature Growing: vectors of several shapes: 3, 4, 5"):
        run(world, Growing(), store, loop)
