"""The ID pool and the caps."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import hypergeom

from oodexp.division.cross_validation import CrossValidation
from oodexp.division.sample import Sampling, absent_pairs
from oodexp.record import ABSENT, PRESENT

KEY = ["image_id", "category"]


def divide(drawn, **options):
    return CrossValidation(**options).divide(drawn.matrix, drawn.logits, {}).memberships


def chosen(members: pd.DataFrame, split: str) -> set[tuple[str, str]]:
    rows = members[(members["split"] == split) & members["drawn"]]
    return set(rows[KEY].itertuples(index=False, name=None))


def members(rows: pd.DataFrame, split: str) -> set[tuple[str, str]]:
    return set(rows.loc[rows["split"] == split, KEY].itertuples(index=False, name=None))


def test_the_same_seed_draws_the_same_pairs_and_another_draws_others(drawn):
    source = drawn(images=200)
    for pool in ("present", "random", "balanced"):
        one, again, other = (divide(source, id_pool=pool, cap=40, seed=s) for s in (0, 0, 1))
        pd.testing.assert_frame_equal(one, again)
        for split in ("ID", "OOD-S", "OOD-H"):
            assert chosen(one, split) != chosen(other, split)


def test_without_a_cap_every_flagged_pair_is_drawn(drawn):
    rows = divide(drawn(images=200), cap=None)
    for split in ("OOD-S", "OOD-H"):
        assert chosen(rows, split) == members(rows, split)


def test_a_cap_limits_each_split(drawn):
    rows = divide(drawn(images=300), cap=25, id_size="all")
    assert rows[rows["drawn"]]["split"].value_counts().to_dict() == {
        "ID": 25, "OOD-S": 25, "OOD-H": 25,
    }  # fmt: skip


def test_a_larger_cap_keeps_what_a_smaller_one_drew(drawn):
    source = drawn(images=300)
    small, large = (divide(source, cap=c, id_size="all") for c in (10, 30))
    for split in ("ID", "OOD-S", "OOD-H"):
        assert chosen(small, split) < chosen(large, split)


@pytest.mark.parametrize(("first", "second"), [(0.0, 0.6), (0.4, 0.6), (0.5, 0.7)])
def test_a_moved_threshold_changes_as_few_drawn_pairs_as_it_can(drawn, first, second):
    source = drawn(images=300)
    one, two = (divide(source, threshold=t, cap=30, id_size="all") for t in (first, second))
    assert members(one, "OOD-H") < members(two, "OOD-H")
    assert members(two, "ID") < members(one, "ID")
    # A split that grows draws no old member anew; one that shrinks loses only who left it.
    assert chosen(two, "OOD-H") & members(one, "OOD-H") <= chosen(one, "OOD-H")
    assert chosen(one, "ID") & members(two, "ID") <= chosen(two, "ID")


def test_by_default_id_is_as_large_as_the_larger_of_the_others(drawn):
    rows = divide(drawn(images=300, strength=8.0))
    sizes = rows[rows["drawn"]]["split"].value_counts()
    assert sizes["ID"] == max(sizes["OOD-S"], sizes["OOD-H"]) < len(members(rows, "ID"))


@pytest.mark.parametrize(("size", "want"), [(7, 7), (10**6, None), ("all", None)])
def test_id_holds_as_many_pairs_as_asked_for_or_all_there_are(drawn, size, want):
    rows = divide(drawn(), id_size=size)
    assert len(chosen(rows, "ID")) == (len(members(rows, "ID")) if want is None else want)


def test_the_present_pool_holds_annotated_pairs_only(drawn):
    rows = divide(drawn())
    assert rows["present"].all()


@pytest.mark.parametrize("pool", ["random", "balanced"])
def test_absent_pairs_of_a_pool_are_absent_by_annotation(drawn, pool):
    source = drawn(images=60, unknown=0.2)
    source.logits["s0"][3, 2] = np.nan
    rows = divide(source, id_pool=pool)
    absent = rows[~rows["present"]]
    assert len(absent) > 10
    for row in absent.itertuples():
        at = (
            source.matrix.image_ids.index(row.image_id),
            source.matrix.categories.index(row.category),
        )
        assert source.matrix.presence[at] == ABSENT
    assert (absent["split"] == "ID").all()
    assert absent["drawn"].all()
    assert "i3" not in set(absent["image_id"])


@pytest.mark.parametrize("pool", ["random", "balanced"])
def test_flagged_pairs_are_not_in_the_pool(drawn, pool):
    rows = divide(drawn(images=60), id_pool=pool, id_size=10**6)
    assert not rows.duplicated(KEY).any()
    assert (rows.loc[rows["split"] == "ID", "flags"] == 0).all()


def test_a_balanced_pool_is_half_present_and_half_absent(drawn):
    for size in (2, 10, 11, 60):
        rows = divide(drawn(images=200), id_pool="balanced", id_size=size)
        present = rows[rows["drawn"] & (rows["split"] == "ID")]["present"]
        assert (present.sum(), (~present).sum()) == (size // 2, size // 2)


def test_a_balanced_pool_stays_balanced_when_one_half_is_short(drawn):
    source = drawn(images=60)
    for presence in (0.95, 0.05):
        rng = np.random.default_rng(0)
        source.matrix.presence[:] = rng.random(source.matrix.presence.shape) < presence
        for logits in source.logits.values():
            logits[:] = np.where(source.matrix.presence == PRESENT, 9, 0)
        rows = divide(source, id_pool="balanced", id_size=10**6)
        present = rows[rows["drawn"] & (rows["split"] == "ID")]["present"]
        assert 0 < present.sum() == (~present).sum()


@pytest.mark.parametrize("target", [8, 40, 120])
def test_a_random_pool_draws_every_unflagged_cell_alike(drawn, target):
    source = drawn(images=30)
    present = divide(source, id_size="all").assign(drawn=False)
    readable = np.ones(30, dtype=bool)
    unflagged, absent = len(members(present, "ID")), int((source.matrix.presence == ABSENT).sum())
    sizes = [
        len(absent_pairs(source.matrix, readable, present, Sampling("random", target, None, seed)))
        for seed in range(200)
    ]
    # Without replacement, out of all cells: SciPy's mean and spread.
    law = hypergeom(unflagged + absent, absent, target)
    assert abs(np.mean(sizes) - law.mean()) < 4 * law.std() / np.sqrt(200)


def test_a_random_pool_of_every_cell_holds_every_cell(drawn):
    source = drawn(images=10, categories=3)
    rows = divide(source, id_pool="random", id_size=10**6)
    absent = int((source.matrix.presence == ABSENT).sum())
    assert (~rows["present"]).sum() == absent
    assert rows.loc[rows["split"] == "ID", "drawn"].all()


@pytest.mark.parametrize("pool", ["random", "balanced"])
def test_the_cap_holds_for_a_pool_with_absent_pairs(drawn, pool):
    rows = divide(drawn(images=200), id_pool=pool, cap=20, id_size="all")
    assert rows[rows["drawn"]].groupby("split").size().to_dict() == {
        "ID": 20, "OOD-S": 20, "OOD-H": 20,
    }  # fmt: skip


def test_the_division_of_present_pairs_does_not_depend_on_the_sampling(drawn):
    source = drawn(images=80)
    tables = [
        divide(source, **o).query("present").drop(columns="drawn").reset_index(drop=True)
        for o in ({}, {"cap": 3}, {"id_pool": "random", "seed": 5}, {"id_size": 1})
    ]
    for other in tables[1:]:
        pd.testing.assert_frame_equal(tables[0], other)
    assert len(tables[0]) == (source.matrix.presence == PRESENT).sum()
