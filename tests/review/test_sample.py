"""The sample: stratified, the same for the same seed, unlike for anything else."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

from oodexp import record, table
from oodexp.review.sample import PAIR, Sample, draw, population

BY = ["split", "source"]


@pytest.fixture
def members() -> pd.DataFrame:
    """Strata of very unequal size: 90 ID, 20 OOD-S, 3 OOD-H pairs of `a`, 40 ID pairs of `b`."""
    sizes = {("a", "ID"): 90, ("a", "OOD-S"): 20, ("a", "OOD-H"): 3, ("b", "ID"): 40}
    rows = [
        record.Membership(source, f"{split}{n}", "dog", True, split, 0, 2, True, None)
        for (source, split), size in sizes.items()
        for n in range(size)
    ]
    more = [
        record.Membership("a", "absent", "dog", False, "ID", 0, 2, True, None),
        record.Membership("a", "unscored", "dog", True, None, None, 2, False, "scorer: NaN"),
        record.Membership("a", "capped", "dog", True, "ID", 0, 2, False, None),
    ]
    return table.frame(record.Membership, [*rows, *more])


@pytest.fixture
def images(members: pd.DataFrame) -> pd.DataFrame:
    rows = [
        record.Image(source, image_id, "f", f"sha of {source} {image_id}", 8, 8, 1)
        for source, image_id in members[["source", "image_id"]].drop_duplicates().to_numpy()
    ]
    return table.frame(record.Image, rows)


def keys(sample: Sample) -> set[tuple[str, ...]]:
    return set(sample.rows[PAIR].itertuples(index=False, name=None))


def test_each_stratum_gives_so_many_pairs_and_small_ones_all(members, images) -> None:
    sample = draw(population(members, True, BY), images, 10, 0)
    sizes = sample.rows.groupby(["source", "split"]).size().to_dict()
    assert sizes == {("a", "ID"): 10, ("a", "OOD-S"): 10, ("a", "OOD-H"): 3, ("b", "ID"): 10}
    held = sample.rows.groupby(["source", "split"])["population"].first().to_dict()
    assert held == {("a", "ID"): 90, ("a", "OOD-S"): 20, ("a", "OOD-H"): 3, ("b", "ID"): 40}


def test_only_present_divided_pairs_are_shown_and_only_drawn_ones_if_wanted(members) -> None:
    drawn = set(population(members, True, BY)["image_id"])
    assert not drawn & {"absent", "unscored", "capped"}
    assert set(population(members, False, BY)["image_id"]) - drawn == {"capped"}


def test_categories_may_be_strata(members, images) -> None:
    two = members.assign(category=["cat", "dog"] * (len(members) // 2))
    by = ["split", "source", "category"]
    sample = draw(population(two, True, by), images, 2, 0)
    assert sample.rows.groupby(["split", "source", "category"]).size().max() == 2


def test_the_same_rows_in_another_order_give_the_same_sample(members, images) -> None:
    first = draw(population(members, True, BY), images, 10, 4)
    again = draw(population(members.sample(frac=1, random_state=1), True, BY), images, 10, 4)
    assert first.digest == again.digest
    pd.testing.assert_frame_equal(first.rows, again.rows)


def test_another_source_changes_nothing_in_the_strata_of_the_first(members, images) -> None:
    alone = members[members["source"] == "a"]
    whole = draw(population(members, True, BY), images, 10, 4)
    assert keys(draw(population(alone, True, BY), images, 10, 4)) <= keys(whole)


def test_seed_division_and_image_bytes_each_make_another_sample(members, images) -> None:
    def digest(rows=members, pictures=images, size=10, seed=0) -> str:
        return draw(population(rows, True, BY), pictures, size, seed).digest

    other = images.assign(sha256=images["sha256"] + "!")
    moved = members.assign(split=members["split"].replace("OOD-S", "OOD-H"))
    found = [digest(), digest(seed=1), digest(size=9), digest(rows=moved), digest(pictures=other)]
    assert len(set(found)) == len(found)
    assert digest() == found[0]


def test_each_rater_has_an_own_order_which_a_restart_keeps(members, images) -> None:
    sample = draw(population(members, True, BY), images, 10, 0)
    ann, ben = sample.order("ann"), sample.order("ben")
    assert sorted(ann) == sorted(ben) == list(range(len(sample.rows)))
    assert ann != ben
    assert replace(sample).order("ann") == ann


def test_draws_are_without_favour(members, images) -> None:
    pairs = population(members[members["split"] == "OOD-S"], True, BY)
    taken = [n for s in range(400) for n in draw(pairs, images, 5, s).rows["image_id"]]
    counted = pd.Series(taken).value_counts()
    # 100 expected of each of 20 pairs, standard deviation 8.7.
    assert len(counted) == 20
    assert counted.between(65, 135).all()
