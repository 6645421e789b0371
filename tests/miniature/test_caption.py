"""What captions name."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from oodexp.miniature.caption import count_phrase, named_counts, plural, write_caption
from oodexp.miniature.scene import Scene, Thing, scene_at


def _scene(*things: Thing) -> Scene:
    return Scene(np.zeros((64, 64, 3), np.uint8), things, "sand", "sea")


def _thing(planted: str, size: int) -> Thing:
    return Thing("car", planted, size, (0, 0, size, size), size)


def _share_named(thing: Thing) -> float:
    scene = _scene(thing)
    draws = [named_counts(scene, np.random.default_rng(seed)) for seed in range(600)]
    return float(np.mean([bool(named) for named in draws]))


def test_every_canonical_object_is_named_with_its_number():
    for index in range(80):
        scene = scene_at(11, index)
        named = named_counts(scene, np.random.default_rng(index))
        wanted = Counter(t.category for t in scene.things if t.planted == "canonical")
        assert {name: named[name] for name in wanted} == dict(wanted)


def test_the_smallest_secondary_objects_are_never_named():
    assert _share_named(_thing("secondary", 9)) == 0.0


def test_larger_secondary_objects_are_named_more_often_but_not_mostly():
    small, large = _share_named(_thing("secondary", 20)), _share_named(_thing("secondary", 34))
    assert 0 < small < large < 0.55


def test_deformed_objects_are_seldom_named():
    assert 0 < _share_named(_thing("variant:sketch", 30)) < 0.25


def test_a_caption_reads_like_english():
    texts = {
        write_caption({"boat": 2, "apple": 1}, "sand", np.random.default_rng(s)) for s in range(40)
    }
    assert texts == {
        "a photo of two boats and an apple",
        "a photo of an apple and two boats",
        "a photo of two boats and an apple on a sand background",
        "a photo of an apple and two boats on a sand background",
    }


@pytest.mark.parametrize(
    ("name", "wanted"), [("car", "cars"), ("fish", "fish"), ("house", "houses")]
)
def test_plurals(name, wanted):
    assert plural(name) == wanted


@pytest.mark.parametrize("count", [0, 7])
def test_a_count_without_a_number_word_is_refused(count):
    with pytest.raises(ValueError, match="from 1 to 6"):
        count_phrase("car", count)
