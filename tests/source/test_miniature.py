"""The drawn world that ships with the package."""

from __future__ import annotations

import pickle
from multiprocessing import get_context

import numpy as np
import pytest

from oodexp.error import OodexpError
from oodexp.miniature.dial import SPLIT_SEED
from oodexp.miniature.world import captioned
from oodexp.pixel import decode
from oodexp.record import PRESENT
from oodexp.source.miniature import Miniature


def test_every_image_can_be_shown_in_its_annotated_size():
    source = Miniature("dev", limit=5)
    images = source.images()
    assert len(images) == 5
    for row in images.itertuples():
        assert decode(source.read(row.image_id)).size == (row.width, row.height)


@pytest.mark.parametrize("seed", ["test", "dev"])
def test_every_pair_says_why_it_is_out_of_distribution(seed):
    pairs = Miniature(seed).pairs()
    kinds = set(pairs["planted"].str.partition(":")[0])
    assert len(pairs) > 100
    assert "canonical" in kinds
    assert len(kinds) > 1
    assert (pairs["planted"].notna()).all()


def test_a_limit_takes_the_first_images_with_their_pairs():
    whole, part = Miniature("dev"), Miniature("dev", limit=7)
    assert part.images()["image_id"].tolist() == whole.images()["image_id"].tolist()[:7]
    assert np.array_equal(part.presence(), whole.presence()[:7])
    assert len(part.pairs()) == (whole.presence()[:7] == PRESENT).sum()
    assert len(part.problems()) == 0


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_one_is_refused(limit):
    with pytest.raises(OodexpError, match=f"source.limit={limit}"):
        Miniature(limit=limit)


def test_another_seed_is_refused():
    with pytest.raises(OodexpError, match=r"source\.seed=train: expected one of test, dev"):
        Miniature(seed="train")


def test_a_source_that_was_read_from_can_be_sent_to_another_process():
    source = Miniature("dev", limit=3)
    first = source.images()["image_id"].iloc[0]
    data = source.read(first)
    assert pickle.loads(pickle.dumps(source)).read(first) == data


def test_forked_processes_read_the_same_bytes_at_the_same_time():
    source = Miniature("dev", limit=40)
    ids = source.images()["image_id"].tolist()
    known = [(i, source.read(i)) for i in ids]
    context = get_context("fork")  # children share whatever file is open
    told = context.SimpleQueue()

    def read() -> None:
        told.put(all(source.read(i) == d for _ in range(5) for i, d in known))

    children = [context.Process(target=read) for _ in range(2)]
    for child in children:
        child.start()
    for child in children:
        child.join(60)
    assert [child.exitcode for child in children] == [0, 0]
    assert told.get()
    assert told.get()


def test_the_training_split_is_the_world_that_the_models_saw():
    source = Miniature(split="train", limit=6)
    images = source.images()
    for row in images.itertuples():
        scene = captioned(SPLIT_SEED["train"], int(row.image_id) - 1)[0]
        assert np.array_equal(np.asarray(decode(source.read(row.image_id))), scene.image)
        planted = {thing.category for thing in scene.things}
        mine = source.pairs().query("image_id == @row.image_id")
        assert set(mine["category"]) == planted
        assert row.objects == len(scene.things)


def test_training_images_have_the_same_bytes_in_every_process():
    source = Miniature("dev", split="train", limit=2)
    copied = pickle.loads(pickle.dumps(source))
    assert [copied.read(i) for i in ("1", "2")] == [source.read(i) for i in ("1", "2")]
    assert source.read("1") != Miniature("dev", limit=2).read("1")


@pytest.mark.parametrize("image_id", ["3", "0", "-1", "01", "x"])
def test_an_image_that_the_training_split_does_not_list_cannot_be_read(image_id):
    with pytest.raises(OSError, match="no image"):
        Miniature(split="train", limit=2).read(image_id)


def test_another_split_is_refused():
    with pytest.raises(OodexpError, match=r"source\.split=val: expected one of test, train"):
        Miniature(split="val")
