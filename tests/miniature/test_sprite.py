"""The drawing of single objects."""

from __future__ import annotations

import numpy as np
import pytest

from oodexp.miniature.icon import CATEGORIES
from oodexp.miniature.sprite import VARIANTS, make_sprite


def _sprite(category: str, kind: str, seed: int = 0) -> np.ndarray:
    return np.asarray(make_sprite(category, kind, 36, np.random.default_rng(seed)))


@pytest.mark.parametrize("category", CATEGORIES)
def test_each_category_covers_a_part_of_its_box(category):
    covered = (_sprite(category, "canonical")[..., 3] > 110).mean()
    assert 0.1 < covered < 0.9


def test_no_two_categories_look_alike():
    pictures = [_sprite(name, "canonical").astype(int) for name in CATEGORIES]
    for place, one in enumerate(pictures):
        for other in pictures[:place]:
            assert np.abs(one - other).mean() > 10


@pytest.mark.parametrize("kind", VARIANTS)
def test_each_deformation_changes_the_picture(kind):
    usual = make_sprite("car", "canonical", 36, np.random.default_rng(0))
    changed = make_sprite("car", kind, 36, np.random.default_rng(0)).resize(usual.size)
    assert np.abs(np.asarray(usual, int) - np.asarray(changed, int)).mean() > 5


def test_a_stretched_object_is_far_from_square():
    height, width = _sprite("clock", "stretch").shape[:2]
    assert max(height, width) > 2.5 * min(height, width)


def test_a_partial_object_shows_about_half():
    whole = (_sprite("clock", "canonical")[..., 3] > 110).sum()
    half = (_sprite("clock", "partial")[..., 3] > 110).sum()
    assert 0.35 < half / whole < 0.65


def test_a_sketch_has_no_colour():
    picture = _sprite("apple", "sketch")
    drawn = picture[picture[..., 3] > 200][:, :3].astype(int)
    assert np.ptp(drawn, axis=1).max() <= 2
