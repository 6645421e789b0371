"""Names for keys and files."""

from __future__ import annotations

import random

import pytest

from oodexp.error import OodexpError
from oodexp.tracker.name import clean

LIMIT = 250


@pytest.mark.parametrize("name", ["OOD-H/accuracy.lower", "drop/OOD-S/f1", "a b:c_d", "精度", "é"])
def test_a_usable_name_is_left_as_it_is(name):
    assert clean(name, LIMIT) == name


@pytest.mark.parametrize("name", ["", " ", "\n\t"])
def test_a_blank_name_is_refused(name):
    with pytest.raises(OodexpError, match="is blank"):
        clean(name, LIMIT)


def test_a_cleaned_name_stays_legible():
    assert clean("F1@OOD-H (T=0.05)", LIMIT).startswith("F1_OOD-H _T_0.05_.x")
    assert clean("../x", LIMIT).startswith("_/x.x")
    assert clean("a//b", LIMIT).startswith("a/_/b.x")


def test_names_that_look_alike_when_cleaned_stay_apart():
    alike = ["a@b", "a_b", "a#b", "a(b", "a\nb"]
    assert len({clean(name, LIMIT) for name in alike}) == len(alike)


def test_no_name_can_pose_as_the_stand_in_of_another():
    stand_in = clean("a@b", LIMIT)
    assert clean(stand_in, LIMIT) != stand_in


def test_long_names_that_differ_at_the_end_stay_apart():
    one, two = clean("é" * 300 + "1", LIMIT), clean("é" * 300 + "2", LIMIT)
    assert one != two
    assert max(len(one.encode()), len(two.encode())) <= LIMIT


def test_mlflow_takes_every_cleaned_name_and_none_is_shared():
    from mlflow.utils.validation import _validate_metric_name, _validate_param_name

    rng = random.Random(0)
    letters = "ab.._-/: @(),%é精\n\\#"
    names = {"".join(rng.choices(letters, k=rng.randint(1, 9))) for _ in range(20_000)}
    names |= {"." * n for n in range(1, 5)} | {"/" * n for n in range(1, 5)} | {"\ud800", "x" * 999}
    cleaned = {name: clean(name, LIMIT) for name in names if name.strip()}
    for name in cleaned.values():
        _validate_metric_name(name)
        _validate_param_name(name)
    assert len(set(cleaned.values())) == len(cleaned) > 10_000


def test_without_slashes_a_name_is_one_folder():
    assert "/" not in clean("a/b", LIMIT, slash=False)
    assert clean("a/b", LIMIT, slash=False) != clean("a_b", LIMIT, slash=False)
