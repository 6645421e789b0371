"""Scenes as arrays and files."""

from __future__ import annotations

import numpy as np
import pytest

from oodexp.miniature.icon import CATEGORIES
from oodexp.miniature.world import (
    ABSENT,
    CANONICAL,
    SECONDARY,
    VARIANT,
    draw_many,
    to_world,
    write_split,
)


@pytest.fixture(scope="module")
def rows():
    return draw_many(31, 60, 1)


@pytest.fixture(scope="module")
def world(rows):
    return to_world(rows)


def test_counts_are_those_of_the_scenes(rows, world):
    for row, (scene, _, _) in enumerate(rows):
        for column, name in enumerate(CATEGORIES):
            assert world.counts[row, column] == sum(t.category == name for t in scene.things)


def test_reasons_say_absent_exactly_where_the_count_is_zero(world):
    np.testing.assert_array_equal(world.reasons == ABSENT, world.counts == 0)


def test_all_kinds_of_reasons_occur(world):
    assert set(np.unique(world.reasons)) == {ABSENT, CANONICAL, VARIANT, SECONDARY}


def test_captions_name_all_canonical_instances_and_nothing_that_is_absent(world):
    canonical = world.reasons == CANONICAL
    np.testing.assert_array_equal(world.named[canonical], world.counts[canonical])
    assert (world.named <= world.counts).all()


def test_the_first_scenes_are_those_drawn_alone(world):
    few, alone = world.first(7), to_world(draw_many(31, 7, 1))
    for name in ("images", "captions", "named", "counts", "reasons", "grounds"):
        np.testing.assert_array_equal(getattr(few, name), getattr(alone, name))


def test_files_are_the_same_however_often_they_are_written(tmp_path):
    for folder in ("one", "two"):
        write_split("dev", 12, tmp_path / folder, 1, with_images=True)
    for name in ("dev.zip", "dev.json.gz"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
