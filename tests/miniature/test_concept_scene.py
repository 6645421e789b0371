"""Pictures of concepts: patterns, renderers, and what each family does to its objects."""

from __future__ import annotations

import numpy as np
import pytest

from oodexp.miniature.concept_icon import DRAWN, NEW_SHAPES, RARE_SHAPES
from oodexp.miniature.concept_idea import (
    CALIBRATION,
    CONCEPTS,
    CULTURE,
    FAMILIES,
    TIME,
    imagine,
    labelled,
    mixture,
    ornament,
    plain,
    textured,
    viewed,
    weathered,
)
from oodexp.miniature.concept_paint import ACQUISITIONS, ground, paint
from oodexp.miniature.concept_pattern import ORNAMENTS, TEXTURES, tiled, written
from oodexp.miniature.concept_scene import draw_idea
from oodexp.miniature.icon import CATEGORIES

IDEAS = [*CONCEPTS, *(idea for part in CALIBRATION.values() for idea in part)]


def picture(idea, seed=0, acquisition="crawled"):
    return draw_idea(idea, acquisition, np.random.default_rng(seed)).astype(int)


def test_every_phrase_occurs_once():
    assert len({idea.phrase for idea in IDEAS}) == len(IDEAS)


def test_new_rare_and_common_shapes_have_no_name_in_common():
    names = [*CATEGORIES, *NEW_SHAPES, *RARE_SHAPES]
    assert len(set(names)) == len(names) == len(DRAWN)


@pytest.mark.parametrize("name", DRAWN)
def test_drawings_stay_in_their_box_and_differ_from_one_another(name):
    alpha = {n: np.asarray(paint(DRAWN[n], "crawled", np.random.default_rng(0))) for n in DRAWN}
    mine = alpha[name]
    assert 0.05 < (mine[..., 3] > 0).mean() < 0.95
    assert all(np.abs(mine.astype(int) - o).mean() > 3 for n, o in alpha.items() if n != name)
    points = [p for mark in DRAWN[name].marks for point in mark.points for p in point]
    assert -1 <= min(points) <= max(points) <= 97


@pytest.mark.parametrize("idea", IDEAS, ids=lambda idea: idea.phrase)
def test_one_seed_is_one_picture_and_another_seed_another(idea):
    for acquisition in ACQUISITIONS:
        first = picture(idea, 3, acquisition)
        assert first.shape == (64, 64, 3)
        assert np.array_equal(first, picture(idea, 3, acquisition))
        assert not np.array_equal(first, picture(idea, 4, acquisition))


def test_the_soft_renderer_has_fewer_hard_edges():
    def jump(acquisition):
        found = [picture(plain(name), n, acquisition) for n, name in enumerate(CATEGORIES)]
        return np.mean([(np.abs(np.diff(p, axis=1)).max(-1) > 60).mean() for p in found])

    assert jump("generated") < 0.5 * jump("crawled")


def test_fog_takes_contrast_and_night_takes_light():
    clear = np.mean([picture(plain("boat"), n).std() for n in range(20)])
    fog = np.mean([picture(weathered("boat", "in fog"), n).std() for n in range(20)])
    night = np.mean([picture(weathered("boat", "at night"), n).mean() for n in range(20)])
    assert fog < 0.5 * clear
    assert night < 70


def test_what_is_close_fills_the_picture_and_what_is_far_a_hundredth_of_it():
    def share(view, seed):
        bare = np.asarray(ground("crawled", np.random.default_rng(seed)), int)
        return (picture(viewed("heart", view), seed) != bare).any(-1).mean()

    assert min(share("close up", seed) for seed in range(20)) > 0.4
    far = [share("far away", seed) for seed in range(20)]
    assert min(far) > 0.005
    assert max(far) < 13 * 13 / 64**2


def test_upside_down_puts_the_lower_half_on_top():
    def centre(idea, seed):
        bare = np.asarray(ground("crawled", np.random.default_rng(seed)), int)
        rows = np.flatnonzero((picture(idea, seed) != bare).any(-1).any(1))
        mass = (picture(idea, seed) != bare).any(-1).sum(1)
        return (mass @ np.arange(64) / mass.sum() - rows[0]) / (rows[-1] - rows[0])

    # A mushroom's cap holds most of its pixels.
    for seed in range(10):
        assert centre(plain("mushroom"), seed) < 0.5
        assert centre(viewed("mushroom", "upside down"), seed) > 0.5


def test_a_mixture_is_the_halves_of_two_objects():
    # The same first half, at the same place, whatever stands in the second.
    boat, fish, key = (picture(mixture("boat", other), 2) for other in ("boat", "fish", "key"))
    bare = np.asarray(ground("crawled", np.random.default_rng(2)), int)
    there = np.flatnonzero((boat != bare).any(axis=(0, 2)))
    middle = (there[0] + there[-1]) / 2
    for one, two in ((boat, fish), (fish, key)):
        changed = np.flatnonzero((np.abs(one - two) > 40).any(axis=(0, 2)))
        assert changed[0] > middle - 6


def test_a_label_holds_the_written_word():
    wanted = written("car", 3)
    # Same height and width of the plate's pattern, found by sliding it over the picture.
    dark = picture(labelled("apple", "car"), 5).max(-1) < 80
    height, width = wanted.shape
    hits = [
        (dark[y : y + height, x : x + width] == wanted).mean()
        for y in range(65 - height) for x in range(65 - width)
    ]  # fmt: skip
    assert max(hits) == 1.0


def test_a_repeated_bitmap_is_what_a_plain_loop_makes():
    bitmap, scale, shift = ORNAMENTS["spiral"], 3, (5, 2)
    found = tiled(bitmap, 30, 41, scale, shift)
    for y in range(30):
        for x in range(41):
            row = bitmap[(y + shift[0]) // scale % 8]
            assert found[y, x] == bool(row >> (7 - (x + shift[1]) // scale % 8) & 1)


def test_patterns_differ_under_every_shift():
    for group in (ORNAMENTS, TEXTURES):
        shifted = {
            name: {tiled(bits, 8, 8, 1, (a, b)).tobytes() for a in range(8) for b in range(8)}
            for name, bits in group.items()
        }
        for name, mine in shifted.items():
            assert all(mine.isdisjoint(o) for other, o in shifted.items() if other != name)


def test_a_text_is_drawn_letter_by_letter():
    both, first, second = written("ab", 2), written("a", 2), written("b", 2)
    assert np.array_equal(both[:, :6], first)
    assert not both[:, 6:8].any()
    assert np.array_equal(both[:, 8:], second)
    assert written("i", 1).astype(int).tolist() == [
        [1, 1, 1], [0, 1, 0], [0, 1, 0], [0, 1, 0], [1, 1, 1],
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["", "ä", "a b"])
def test_a_text_that_cannot_be_drawn_is_named(text):
    with pytest.raises(ValueError, match="are not drawn"):
        written(text, 2)


def test_what_is_made_up_belongs_to_its_family_and_to_what_is_known():
    rng = np.random.default_rng(0)
    known = ("drone", "robot", "meander")
    for family in FAMILIES:
        made = [imagine(family, known, rng) for _ in range(40)]
        assert {idea.family for idea in made} == {family}
        if family == TIME:
            assert {idea.phrase for idea in made} == {"drone", "robot"}
        if family == CULTURE:
            assert {idea.phrase for idea in made} == {"meander ornament"}


def test_an_objects_name_holds_too_where_it_is_one_and_whole():
    assert textured("cup", "dotted").truths == ("dotted cup", "cup")
    assert ornament("meander").truths == ("meander ornament",)
    assert mixture("cup", "key").truths == ("half cup half key",)
