"""The drawing of scenes."""

from __future__ import annotations

import numpy as np
import pytest

from oodexp.miniature.icon import CATEGORIES
from oodexp.miniature.scene import CONTEXTS, Scene, draw_scene, scene_at


@pytest.fixture(scope="module")
def scenes() -> list[Scene]:
    return [scene_at(41, index) for index in range(300)]


def test_the_same_seed_and_number_draw_the_same_scene():
    first, again = scene_at(7, 3), scene_at(7, 3)
    assert first.things == again.things
    np.testing.assert_array_equal(first.image, again.image)


def test_a_scene_does_not_depend_on_what_was_drawn_before():
    scene_at(7, 0)
    after = scene_at(7, 5).image
    np.testing.assert_array_equal(after, draw_scene(np.random.default_rng([7, 5, 0])).image)


def test_another_number_draws_another_scene():
    assert not np.array_equal(scene_at(7, 3).image, scene_at(7, 4).image)


def test_every_category_belongs_to_some_context():
    assert {name for names in CONTEXTS.values() for name in names} == set(CATEGORIES)


def test_there_are_twenty_two_categories():
    assert len(CATEGORIES) == 22


def test_every_scene_has_one_or_two_canonical_categories_of_its_context(scenes):
    for scene in scenes:
        names = {t.category for t in scene.things if t.planted == "canonical"}
        assert 1 <= len(names) <= 2
        assert names <= set(CONTEXTS[scene.context])


def test_more_than_half_of_the_scenes_have_two_canonical_categories(scenes):
    pairs = [len({t.category for t in s.things if t.planted == "canonical"}) for s in scenes]
    assert np.mean(np.array(pairs) == 2) > 0.5


def test_a_deformed_object_stands_in_at_least_15_percent_of_the_scenes(scenes):
    deformed = [any(t.planted.startswith("variant:") for t in s.things) for s in scenes]
    assert np.mean(deformed) >= 0.15


def test_no_category_is_planted_for_two_reasons_in_one_scene(scenes):
    for scene in scenes:
        reasons: dict[str, set[str]] = {}
        for thing in scene.things:
            reasons.setdefault(thing.category, set()).add(thing.planted)
        assert all(len(found) == 1 for found in reasons.values())


def test_boxes_lie_within_the_image_and_hold_the_visible_pixels(scenes):
    for thing in (t for s in scenes for t in s.things):
        left, top, width, height = thing.box
        assert min(left, top) >= 0
        assert left + width <= 64
        assert top + height <= 64
        assert 0 < thing.area <= width * height


def test_secondary_objects_touch_the_border(scenes):
    margins = [
        min(t.box[0], t.box[1], 64 - t.box[0] - t.box[2], 64 - t.box[1] - t.box[3])
        for s in scenes
        for t in s.things
        if t.planted == "secondary"
    ]
    assert np.mean(np.array(margins) <= 3) > 0.95


def test_secondary_objects_are_graded_in_size(scenes):
    sizes = np.array([t.size for s in scenes for t in s.things if t.planted == "secondary"])
    assert sizes.min() <= 10
    assert sizes.max() >= 30
    assert np.median(sizes) < 18


def test_pixels_outside_all_boxes_show_only_the_ground(scenes):
    for scene in scenes[:20]:
        free = np.ones((64, 64), bool)
        for thing in scene.things:
            left, top, width, height = thing.box
            free[max(0, top - 3) : top + height + 3, max(0, left - 3) : left + width + 3] = False
        assert len(np.unique(scene.image[free], axis=0)) <= 2
