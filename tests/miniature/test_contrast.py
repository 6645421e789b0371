"""Captions of a batch and the contrastive loss."""

from __future__ import annotations

import numpy as np
import pytest

from oodexp.miniature.contrast import contrastive_loss, deal
from oodexp.miniature.world import CANONICAL, draw_many, to_world


@pytest.fixture(scope="module")
def world():
    return to_world(draw_many(19, 64, 1))


@pytest.fixture(scope="module")
def dealt(world):
    return deal(world, np.arange(64), np.random.default_rng(0))


def test_every_caption_holds_for_its_own_image(dealt):
    assert dealt.fits.diagonal().all()


def test_images_with_the_same_caption_share_it(dealt):
    for one in range(64):
        for other in range(64):
            if dealt.texts[one] == dealt.texts[other]:
                assert dealt.fits[one, other]


def test_a_caption_never_fits_an_image_that_lacks_what_it_names(world, dealt):
    from oodexp.miniature.icon import CATEGORIES

    for column, text in enumerate(dealt.texts):
        told = {c for c, name in enumerate(CATEGORIES) if f" {name}" in text}
        for row in np.flatnonzero(dealt.fits[:, column]):
            assert all(world.counts[row, c] > 0 for c in told)


def test_some_captions_name_one_of_two_primaries(world, dealt):
    two = np.flatnonzero((world.reasons == CANONICAL).sum(1) == 2)
    short = [" and " not in dealt.texts[row] for row in two]
    assert 0.25 < np.mean(short) < 0.75


def test_the_loss_of_single_matches_is_the_usual_cross_entropy():
    import torch
    from torch.nn.functional import cross_entropy

    logits = torch.randn(6, 6, generator=torch.Generator().manual_seed(0))
    usual = cross_entropy(logits, torch.arange(6)) + cross_entropy(logits.T, torch.arange(6))
    ours = contrastive_loss(logits, np.eye(6, dtype=bool))
    assert ours.item() == pytest.approx(usual.item() / 2, rel=1e-6)


def test_a_boat_holds_where_there_are_two_but_two_boats_only_there(world, dealt):
    from oodexp.miniature.icon import CATEGORIES

    seen = world.named
    for column, text in enumerate(dealt.texts):
        for c, name in enumerate(CATEGORIES):
            if text in (f"a photo of a {name}", f"a photo of an {name}"):
                np.testing.assert_array_equal(dealt.fits[:, column], seen[:, c] > 0)
            if text == f"a photo of two {name}s":
                np.testing.assert_array_equal(dealt.fits[:, column], seen[:, c] == 2)
