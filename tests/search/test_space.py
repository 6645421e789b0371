"""Dimensions, their cells, and when two settings or two studies are the same."""

from __future__ import annotations

import itertools
import random

import pytest

from oodexp.error import OodexpError
from oodexp.search.space import Choices, Range, Space, study_name

UP = {"gap": "maximize"}


def test_a_list_is_choices_and_a_mapping_a_range():
    space = Space.of({"a": ["x", 1, None], "b": {"low": 0.0, "high": 1.0}})
    assert space.dimensions == {"a": Choices(("x", 1, None)), "b": Range(0.0, 1.0)}


def test_the_cells_are_all_combinations_with_the_first_dimension_slowest():
    content = {"a": ["x", "y"], "b": {"low": 1, "high": 3}, "c": [[1], [1, 2]]}
    cells = list(Space.of(content).cells())
    expected = itertools.product(["x", "y"], [1, 2, 3], [[1], [1, 2]])
    assert [tuple(cell.values()) for cell in cells] == list(expected)
    assert Space.of(content).size == 12


@pytest.mark.parametrize(
    ("node", "cells"),
    [
        ({"low": 0.1, "high": 0.5, "step": 0.1}, (0.1, 0.2, 0.3, 0.4, 0.5)),
        ({"low": 0.0, "high": 1.0, "step": 0.4}, (0.0, 0.4, 0.8)),
        ({"low": 2, "high": 9, "step": 3}, (2, 5, 8)),
        ({"low": 3, "high": 3}, (3,)),
        ({"low": 1, "high": 3, "step": 0.5}, (1.0, 1.5, 2.0, 2.5, 3.0)),
        ({"low": 1, "high": 4, "log": True}, (1, 2, 3, 4)),
    ],
)
def test_a_range_with_steps_has_round_cells(node, cells):
    found = Space.of({"x": node}).dimensions["x"].cells()
    assert found == cells
    assert [type(value) for value in found] == [type(value) for value in cells]


def test_a_sampled_step_is_the_same_setting_as_its_cell():
    space = Space.of({"x": {"low": 0.1, "high": 0.9, "step": 0.1}})
    rng = random.Random(0)
    for cell in space.cells():
        sampled = cell["x"] + rng.uniform(-1e-12, 1e-12)
        assert space.key({"x": space.dimensions["x"].read(sampled)}) == space.key(cell)


def test_a_range_without_steps_has_no_grid():
    space = Space.of({"T": {"low": 0.001, "high": 0.1, "log": True}, "a": [1]})
    assert space.size is None
    with pytest.raises(OodexpError, match=r"T: a grid cannot hold every value.*sampler=tpe"):
        list(space.cells())


def test_lists_and_mappings_are_labelled_by_text_and_read_back():
    choices = Space.of({"a": [["x", "y"], {"k": 1}, "x"]}).dimensions["a"]
    assert choices.labels == ('["x","y"]', '{"k":1}', "x")
    for value in (["x", "y"], {"k": 1}, "x"):
        assert choices.read(choices.label(value)) == value


def test_the_order_of_settings_does_not_make_others_of_them():
    space = Space.of({"a": [1, 2], "b": ["x"]})
    assert space.key({"b": "x", "a": 1}) == space.key({"a": 1, "b": "x"})
    assert space.key({"a": 1, "b": "x"}) != space.key({"a": 2, "b": "x"})


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({}, "has no dimension"),
        ([1], "has no dimension"),
        ({"a": []}, r"a=\[\]: expected a list of choices"),
        ({"a": "xyz"}, "a='xyz': expected a list"),
        ({"a": 3}, "a=3: expected a list"),
        ({"a": [1, True]}, "the choice True stands twice"),
        ({"a": [[1, 2], "[1,2]"]}, "stands twice"),
        ({"a": [float("nan")]}, "a: the choice nan is no number"),
        ({"a": {"low": 1}}, "a: low or high is missing"),
        ({"a": {"low": 1, "high": 2, "lgo": True}}, "a: unknown key lgo"),
        ({"a": {"low": "1", "high": 2}}, "a.low='1': expected a number"),
        ({"a": {"low": 1, "high": float("inf")}}, "a.high=inf: expected a number"),
        ({"a": {"low": True, "high": 2}}, "a.low=True: expected a number"),
        ({"a": {"low": 3, "high": 2}}, "a: low=3 is above high=2"),
        ({"a": {"low": 1, "high": 2, "step": 0}}, "a.step=0: expected a number above 0"),
        ({"a": {"low": 1, "high": 2, "step": 1, "log": True}}, "none with log"),
        ({"a": {"low": 0, "high": 2, "log": True}}, "a.low=0: a logarithmic range starts above 0"),
    ],
)
def test_what_is_no_space_is_named(content, said):
    with pytest.raises(OodexpError, match=said):
        Space.of(content)


def test_a_study_is_another_when_space_objectives_or_data_change():
    space, other = Space.of({"a": [1, 2]}), Space.of({"a": [1, 3]})
    names = [
        study_name("s", space, UP, ""),
        study_name("s", other, UP, ""),
        study_name("s", space, {"gap": "minimize"}, ""),
        study_name("s", space, UP | {"pairs": "maximize"}, ""),
        study_name("s", space, UP, "data 2"),
        study_name("t", space, UP, ""),
    ]
    assert len(set(names)) == len(names)
    assert study_name("s", Space.of({"a": [1, 2]}), dict(UP), "") == names[0]


@pytest.mark.parametrize(
    ("name", "directions", "said"),
    [
        (" ", UP, "is blank"),
        ("s", {}, "no objective"),
        ("s", {"gap": "up"}, "objective gap: 'up'; expected maximize or minimize"),
    ],
)
def test_a_study_without_name_or_objective_is_refused(name, directions, said):
    with pytest.raises(OodexpError, match=said):
        study_name(name, Space.of({"a": [1]}), directions, "")
