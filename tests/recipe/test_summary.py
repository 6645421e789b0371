"""The numbers of a run as it stands beside other runs."""

from __future__ import annotations

from oodexp.recipe.summary import together

ONE = {
    "OOD-H/accuracy": 0.5, "OOD-H/accuracy.lower": 0.4, "OOD-H/precision": 0.9, "OOD-H/n": 20,
    "OOD-H/n_unread": 1, "counting/ID/c_acc.n": 3,
}  # fmt: skip


def test_the_only_vlm_gives_its_numbers_under_their_own_names():
    assert together({"a": ONE}) == ONE
    assert together({}) == {}


def test_of_several_vlms_values_alone_are_averaged():
    other = {"OOD-H/accuracy": 0.7, "OOD-H/precision": 0.5, "OOD-H/mcc": 1.0}
    assert together({"a": ONE, "b": other}) == {
        "mean/OOD-H/accuracy": 0.6, "mean/OOD-H/precision": 0.7,
    }  # fmt: skip
