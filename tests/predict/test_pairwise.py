"""Pairwise scorers through the real loop: their rows of logits are kept like vectors."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch

from oodexp.pixel import decode
from oodexp.predict.content import scan
from oodexp.predict.scoring import score
from oodexp.scorer.pairwise import Rows
from tests.world import CATEGORIES, SCENES, Colour


class Beside(Colour):
    """A pairwise scorer that compares each image's mean colour with each name's colour."""

    link = "sigmoid"
    precision = "float32"

    def __init__(self, harshness: float = 4.0) -> None:
        super().__init__(harshness)
        self.cells: list[int] = []

    def exact(self):
        return copy.copy(self)

    def fingerprint(self):
        return {"kind": "beside", "harshness": self.scale}

    def over(self, categories):
        return Rows(self, categories)

    def refuse(self, categories):
        assert len(set(categories)) == len(categories)

    def pair_logits(self, batch, categories):
        self.cells.append(len(batch) * len(categories))
        vectors = Colour.encode_images(self, batch).numpy()
        bank = Colour.encode_texts(self, categories)
        return torch.from_numpy(2 - Colour.logits(self, vectors, bank) ** 2)


def run(world, part, store, loop, categories=CATEGORIES):
    images = scan(world.images(), world.read).images
    return score(images, categories, world.read, {"beside": part}, store, loop)


def test_logits_are_the_heads_own_and_are_kept(world, store, loop):
    head = Beside()
    found = run(world, head, store, loop)
    head.load("cpu")
    for row, image_id in zip(found.logits["beside"], world.images()["image_id"], strict=True):
        pixels = head.preprocess(decode(world.read(image_id)))[None]
        np.testing.assert_array_equal(row, head.pair_logits(pixels, list(CATEGORIES))[0].numpy())
    again = Beside()
    second = run(world, again, store, loop)
    assert (second.scored_images, again.cells) == (0, [])
    np.testing.assert_array_equal(second.logits["beside"], found.logits["beside"])


def test_another_list_of_categories_asks_the_model_anew(world, store, loop):
    run(world, Beside(), store, loop)
    fewer = Beside()
    found = run(world, fewer, store, loop, list(CATEGORIES[:1]))
    assert sum(fewer.cells) == len(SCENES)
    assert found.logits["beside"].shape == (len(SCENES), 1)


def test_the_kept_fingerprint_is_the_heads_and_names_no_categories(world, store, loop):
    assert run(world, Beside(), store, loop).fingerprints == {"beside": Beside().fingerprint()}


def test_a_row_scorer_refuses_another_list(world):
    from oodexp.error import OodexpError

    with pytest.raises(OodexpError, match="make one for it with `over`"):
        Rows(Beside(), ["apple"]).encode_texts(["leaf"])
