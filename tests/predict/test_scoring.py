"""Scorers over the images of a source, through the real loop."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import ImageFile

from oodexp.division.base import Matrix
from oodexp.division.cross_validation import CrossValidation
from oodexp.error import OodexpError
from oodexp.pixel import decode
from oodexp.predict.content import scan
from oodexp.predict.loop import Loop
from oodexp.predict.scoring import Scored, score
from oodexp.predict.store import Store
from oodexp.source.coco import Coco
from tests.world import CATEGORIES, SCENES, SIDE, Colour, Hashing, annotated, draw, picture


def scorers() -> dict[str, Colour]:
    return {"colour": Colour(), "hashing": Hashing()}


def run(source: Coco, chosen: dict[str, Colour], store: Store, loop: Loop) -> Scored:
    images = scan(source.images(), source.read).images
    return score(images, source.categories(), source.read, chosen, store, loop)


def by_hand(source: Coco, scorer: Colour) -> np.ndarray:
    """The same matrix without store, loop or batches."""
    scorer.load("cpu")
    bank = scorer.encode_texts(source.categories())
    rows = []
    for image_id in source.images()["image_id"]:
        pixels = scorer.preprocess(decode(source.read(image_id)))
        rows.append(scorer.logits(scorer.encode_images(pixels[None]).numpy(), bank)[0])
    return np.stack(rows)


def test_the_whole_matrix_is_what_each_scorer_says_of_each_image_alone(world, store, loop):
    found = run(world, scorers(), store, loop)
    assert found.scored_images == len(SCENES)
    assert found.reasons == {}
    assert list(found.logits) == ["colour", "hashing"]
    for name, scorer in scorers().items():
        assert found.logits[name].dtype == np.float32
        np.testing.assert_array_equal(found.logits[name], by_hand(world, scorer))
    assert {CATEGORIES[c] for c in found.logits["colour"][:3].argmax(axis=1)} == set(CATEGORIES)


def test_the_second_time_no_model_is_loaded_and_nothing_is_decoded(world, store, loop):
    first = run(world, scorers(), store, loop)
    images = scan(world.images(), world.read).images

    def refuse(_: str) -> bytes:
        raise AssertionError("read again")

    again = scorers()
    second = score(images, world.categories(), refuse, again, store, loop)
    assert second.scored_images == 0
    assert [s.loads for s in again.values()] == [[], []]
    for name, logits in first.logits.items():
        np.testing.assert_array_equal(second.logits[name], logits)


def test_a_third_scorer_is_the_only_one_that_runs(world, store, loop):
    run(world, scorers(), store, loop)
    again = scorers() | {"third": Hashing(seed=1)}
    found = run(world, again, store, loop)
    assert [sum(s.encoded) for s in again.values()] == [0, 0, len(SCENES)]
    assert found.scored_images == len(SCENES)
    assert not np.array_equal(found.logits["third"], found.logits["hashing"])


def test_a_scorer_with_another_setting_is_another_scorer(world, store, loop):
    run(world, {"colour": Colour(20.0)}, store, loop)
    found = run(world, {"colour": Colour(10.0)}, store, loop)
    assert found.scored_images == len(SCENES)
    np.testing.assert_array_equal(found.logits["colour"], by_hand(world, Colour(10.0)))


def test_an_added_image_is_the_only_one_that_is_scored(world, store, loop, tmp_path):
    run(world, scorers(), store, loop)
    more = {"new.png": [("leaf", "leaf", (0, 0, 30, 30), "canonical")], **SCENES}
    # Noise numbers follow the order: the old scenes get their old bytes back.
    source = draw(tmp_path / "more", more)
    for name in SCENES:
        shutil.copyfile(tmp_path / "world/images" / name, tmp_path / "more/images" / name)
    again = scorers()
    found = run(source, again, store, loop)
    assert found.scored_images == 1
    assert [s.encoded for s in again.values()] == [[1], [1]]
    np.testing.assert_array_equal(found.logits["hashing"], by_hand(source, Hashing()))


def test_an_added_image_changes_no_logit_of_the_others_in_its_last_digit(world, store, loop):
    class Wide(Hashing):
        def logits(self, images, bank):
            return (images @ bank.embeddings.T).astype(np.float32)

    images = scan(world.images(), world.read).images
    whole = score(images, CATEGORIES, world.read, {"wide": Wide(width=512)}, store, loop)
    for count in range(1, len(images)):
        part = score(images[:count], CATEGORIES, world.read, {"wide": Wide(width=512)}, store, loop)
        np.testing.assert_array_equal(part.logits["wide"], whole.logits["wide"][:count])


def test_an_added_category_runs_on_texts_only(world, store, loop):
    images = scan(world.images(), world.read).images
    score(images, ["apple"], world.read, {"colour": Colour()}, store, loop)
    again = Colour()
    found = score(images, CATEGORIES, world.read, {"colour": again}, store, loop)
    assert found.scored_images == 0
    assert again.encoded == []
    np.testing.assert_array_equal(found.logits["colour"], by_hand(world, Colour()))


def test_two_files_with_the_same_bytes_are_scored_once_and_both_get_the_logits(
    world, store, loop, tmp_path
):
    shutil.copyfile(tmp_path / "world/images/one.png", tmp_path / "world/images/empty.png")
    chosen = scorers()
    found = run(world, chosen, store, loop)
    assert found.scored_images == len(SCENES) - 1
    assert [sum(s.encoded) for s in chosen.values()] == [len(SCENES) - 1] * 2
    for logits in found.logits.values():
        np.testing.assert_array_equal(logits[0], logits[5])
        assert np.isfinite(logits).all()


@pytest.mark.parametrize("batch", [1, 4, 64])
def test_the_composition_of_batches_changes_no_logit(world, store, tmp_path, loop, batch):
    one = run(world, scorers(), store, loop)
    other = run(
        world, scorers(), Store(str(tmp_path / "other")),
        Loop("cpu", scoring_batch=batch, progress=False),
    )  # fmt: skip
    for name, logits in one.logits.items():
        np.testing.assert_array_equal(other.logits[name], logits)


def test_decoding_in_other_processes_changes_no_logit(world, store, tmp_path, loop):
    one = run(world, scorers(), store, loop)
    workers = Loop("cpu", scoring_batch=2, workers=1, progress=False)
    other = run(world, scorers(), Store(str(tmp_path / "other")), workers)
    for name, logits in one.logits.items():
        np.testing.assert_array_equal(other.logits[name], logits)


def test_a_killed_run_goes_on_where_it_was(world, store, loop):
    class Killed(Colour):
        def encode_images(self, batch):
            if len(self.encoded) == 2:
                raise KeyboardInterrupt
            return super().encode_images(batch)

    with pytest.raises((KeyboardInterrupt, SystemExit)):
        run(world, {"colour": Killed()}, store, loop)
    again = Colour()
    found = run(world, {"colour": again}, store, loop)
    assert found.scored_images == sum(again.encoded) == len(SCENES) - 4
    np.testing.assert_array_equal(found.logits["colour"], by_hand(world, Colour()))


def test_a_torn_text_bank_is_made_again(world, store, loop, tmp_path):
    run(world, {"colour": Colour()}, store, loop)
    (path,) = (tmp_path / "store").rglob("texts-*.npz")
    for torn in (b"", b"PK\x03\x04", path.read_bytes()[:-30]):
        path.write_bytes(torn)
        found = run(world, {"colour": Colour()}, store, loop)
        np.testing.assert_array_equal(found.logits["colour"], by_hand(world, Colour()))


class Faulty(Colour):
    """A scorer that breaks its promise in one way."""

    def __init__(self, fault: str) -> None:
        super().__init__()
        self.fault = fault

    def fingerprint(self):
        return {"fault": self.fault}

    def encode_images(self, batch):
        vectors = super().encode_images(batch)
        return {
            "too few": vectors[:-1], "too many": torch.cat([vectors, vectors]),
            "flat": vectors.ravel(), "one number": vectors[0, 0],
            "by batch": vectors[:, : len(self.encoded)],
        }.get(self.fault, vectors)  # fmt: skip

    def logits(self, images, bank):
        found = super().logits(images, bank)
        return {"transposed": found.T, "no category": found[:, 1:]}.get(self.fault, found)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("too few", r"image vectors of shape \(1, 3\) for 2 images"),
        ("too many", r"image vectors of shape \(4, 3\) for 2 images"),
        ("flat", r"image vectors of shape \(6,\) for 2 images"),
        ("one number", r"image vectors of shape \(\) for 2 images"),
        ("by batch", "vectors of several shapes: 1, 2, 3"),
        ("transposed", r"logits of shape \(3, 1024\); expected \(1024, 3\)"),
        ("no category", r"logits of shape \(1024, 2\); expected \(1024, 3\)"),
    ],
)
def test_a_scorer_that_returns_another_shape_is_named(world, store, loop, fault, said):
    with pytest.raises(OodexpError, match=f"scorer faulty: {said}"):
        run(world, {"faulty": Faulty(fault)}, store, loop)


def test_a_scorer_may_give_several_vectors_an_image(world, store, loop):
    class Several(Colour):
        def encode_images(self, batch):
            vectors = super().encode_images(batch)
            return torch.stack([-vectors, vectors], dim=1)

        def logits(self, images, bank):
            assert images.shape[1:] == (2, 3)
            return np.max([Colour.logits(self, images[:, q], bank) for q in (0, 1)], axis=0)

    found = run(world, {"several": Several()}, store, loop).logits["several"]
    np.testing.assert_array_equal(found, np.abs(by_hand(world, Colour())))


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_a_logit_that_is_not_finite_is_no_score(world, store, loop, wrong):
    class Broken(Colour):
        def logits(self, images, bank):
            found = super().logits(images, bank)
            found[1, 2] = wrong
            return found

    found = run(world, {"broken": Broken()}, store, loop).logits["broken"]
    assert np.argwhere(np.isnan(found)).tolist() == [[1, 2]]
    assert np.isfinite(np.delete(found.ravel(), 5)).all()


@pytest.fixture
def cut(shared: Path, tmp_path: Path) -> Coco:
    """The case g10 with an object of each category in every image, and one file that is missing."""
    names = ["whole.jpg", "cut.jpg", "zero.jpg", "page.jpg", "gone.jpg"]
    document = {
        "images": [{"id": n, "file_name": name} for n, name in enumerate(names)],
        "categories": [{"id": n, "name": name} for n, name in enumerate(CATEGORIES)],
        "annotations": [{"image_id": n, "category_id": 0} for n in range(len(names))],
    }
    return annotated(tmp_path / "case", document, shared / "cases/g10-truncated", "case")


def test_pairs_of_unreadable_images_are_in_no_split_and_listed_with_reasons(cut, store, loop):
    expected = json.loads((cut._root / "expected.json").read_text())
    content = scan(cut.images(), cut.read)
    found = score(content.images, cut.categories(), cut.read, scorers(), store, loop)
    files = dict(cut.images()[["image_id", "file"]].itertuples(index=False))
    reasons = dict(content.problems[["image_id", "reason"]].itertuples(index=False))
    reasons |= found.reasons
    named = {files[i] for i, reason in reasons.items() if reason.startswith("unreadable: ")}
    assert named == {*expected["unreadable"], "gone.jpg"}
    assert found.scored_images == len(expected["readable"])
    matrix = Matrix("case", list(files), cut.categories(), cut.presence())
    members = CrossValidation().divide(matrix, found.logits, reasons).memberships
    divided = members[members["split"].notna()]
    assert [files[i] for i in divided["image_id"]] == expected["readable"]
    lost = members[members["split"].isna()]
    assert [reasons[i] for i in lost["image_id"]] == lost["reason"].tolist()
    assert ImageFile.LOAD_TRUNCATED_IMAGES is False


def test_a_damaged_file_is_not_decoded_again_the_next_time(cut, store, loop):
    run(cut, scorers(), store, loop)
    again = scorers()
    found = run(cut, again, store, loop)
    assert found.scored_images == 0
    assert [s.loads for s in again.values()] == [[], []]
    assert list(found.reasons) == ["1"]


def test_a_file_that_could_not_be_read_for_a_moment_is_scored_the_next_time(world, store, loop):
    images = scan(world.images(), world.read).images

    def hiccup(image_id: str) -> bytes:
        if image_id == "2":
            raise OSError(5, "Input/output error")
        return world.read(image_id)

    first = score(images, CATEGORIES, hiccup, scorers(), store, loop)
    assert first.reasons == {"2": "file not read: Input/output error"}
    assert (
        np.isnan(first.logits["colour"]).all(axis=1).tolist() == [False] * 2 + [True] + [False] * 3
    )
    second = score(images, CATEGORIES, world.read, scorers(), store, loop)
    assert second.reasons == {}
    assert second.scored_images == 1
    np.testing.assert_array_equal(second.logits["colour"], by_hand(world, Colour()))


def test_a_source_of_which_nothing_can_be_read_has_no_scores(cut, store, loop):
    images = cut.images()[2:].reset_index(drop=True)
    content = scan(images, cut.read)
    found = score(content.images, CATEGORIES, cut.read, scorers(), store, loop)
    assert np.isnan(found.logits["colour"]).all()
    assert found.logits["colour"].shape == (3, 3)


def test_a_cmyk_photograph_and_its_neighbour_are_both_scored(shared, store, loop, tmp_path):
    case = shared / "cases/g08-cmyk"
    expected = json.loads((case / "expected.json").read_text())
    names = ["cmyk.jpg", "next.png"]
    document = {
        "images": [{"id": n, "file_name": name} for n, name in enumerate(names)],
        "categories": [{"id": n, "name": name} for n, name in enumerate(CATEGORIES)],
        "annotations": [],
    }
    found = run(annotated(tmp_path / "case", document, case), scorers(), store, loop)
    assert found.scored_images == expected["both_images_scored"]
    assert np.isfinite(found.logits["colour"]).all()
    assert found.logits["colour"][0].argmax() == 0  # red, as the apple is


def test_scorers_and_models_are_shown_the_same_turned_pixels(shared, store, loop, tmp_path):
    case = shared / "cases/g09-exif"
    seen = []

    class Watching(Colour):
        def preprocess(self, image):
            seen.append(image)
            return super().preprocess(image)

    document = json.loads((case / "instances.json").read_text())
    document["categories"] = [{"id": 1, "name": "apple"}]
    source = annotated(tmp_path / "case", document, case)
    run(source, {"watching": Watching()}, store, loop)
    (image,) = seen
    assert image.size == (16, 24)
    np.testing.assert_array_equal(np.asarray(image), np.asarray(decode(source.read("1"))))


@pytest.mark.slow
@pytest.mark.parametrize("items", [len(SCENES), 1])
def test_two_processes_give_the_table_of_one(world, store, loop, tmp_path, items):
    images = scan(world.images(), world.read).images[:items]
    one = score(images, CATEGORIES, world.read, scorers(), store, loop)
    other = Store(str(tmp_path / "other"))
    pair = Loop("cpu", devices=2, scoring_batch=2, progress=False)
    two = score(images, CATEGORIES, world.read, scorers(), other, pair)
    assert two.scored_images == items
    for name, logits in one.logits.items():
        np.testing.assert_array_equal(two.logits[name], logits)
    assert score(images, CATEGORIES, world.read, scorers(), other, pair).scored_images == 0


def test_the_drawn_world_is_what_it_says():
    image = picture(SCENES["one.png"])
    assert image.size == (SIDE, SIDE)
    assert image.getpixel((16, 16))[0] > image.getpixel((16, 16))[1]


class Sighted(Colour):
    """Says how it sees, and counts how often it looks."""

    def __init__(self, sight: str, scale: float) -> None:
        super().__init__(scale)
        self.sight = sight
        self.looks = 0

    def preprocess(self, image):
        self.looks += 1
        return super().preprocess(image)


def test_scorers_that_see_alike_share_the_transform_of_an_image(world, store, loop):
    chosen = {"one": Sighted("a", 20.0), "two": Sighted("a", 10.0), "three": Sighted("b", 5.0)}
    found = run(world, chosen, store, loop)
    assert [s.looks for s in chosen.values()] == [len(SCENES), 0, len(SCENES)]
    for name, scorer in chosen.items():
        np.testing.assert_array_equal(found.logits[name], by_hand(world, scorer))
