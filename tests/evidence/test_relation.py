"""OODConceptBench, Table D10: Pearson's r and Spearman's rho of two construction scores of images.

Witnesses: scipy.stats, and resamples whose rows are repeated one by one. Deviation from the paper:
intervals over images are added; its "conditioned" figure is drawn within a level, see the module.
"""

import math

import numpy as np
import pytest
from scipy.stats import pearsonr, pointbiserialr, spearmanr

from oodexp.error import OodexpError
from oodexp.evidence.relation import relations
from oodexp.evidence.resampling import slabs

RNG = np.random.default_rng(7)


def columns(n, ties=False):
    x = RNG.normal(size=n)
    y = 0.4 * x + RNG.normal(size=n)
    return {"near": x.round(0) if ties else x, "target": y.round(0) if ties else y, "seen": y > 0.2}


@pytest.mark.parametrize("ties", [False, True])
def test_values_are_those_of_scipy_for_every_couple(ties):
    mine = columns(120, ties)
    found = relations(mine, np.arange(120), 20, 0)
    assert [(one.first, one.second) for one in found] == [
        ("near", "target"), ("near", "seen"), ("target", "seen"),
    ]  # fmt: skip
    for one in found:
        x, y = mine[one.first].astype(float), mine[one.second].astype(float)
        assert one.pearson.value == pytest.approx(pearsonr(x, y).statistic)
        assert one.spearman.value == pytest.approx(spearmanr(x, y).statistic)
        assert one.pearson.n == 120


def test_of_a_yes_no_column_it_is_the_point_biserial_correlation():
    mine = columns(80)
    (found,) = relations({"a": mine["near"], "b": mine["seen"]}, np.arange(80), 10, 0)
    expected = pointbiserialr(mine["seen"], mine["near"]).statistic
    assert found.pearson.value == pytest.approx(expected)


def test_intervals_are_those_of_repeated_rows_image_by_image():
    mine, image = columns(60, ties=True), np.arange(60) // 3
    x, y = mine["near"], mine["target"]
    (found,) = relations({"x": x, "y": y}, image, 300, 4)
    draws = []
    for _, weights in slabs(20, 300, 4):
        for row in weights:
            rows = np.repeat(np.arange(60), row[image].astype(int))
            draws.append([f(x[rows], y[rows]).statistic for f in (pearsonr, spearmanr)])
    ends = np.percentile(draws, [2.5, 97.5], axis=0).T
    assert found.pearson[1:3] == pytest.approx(tuple(ends[0]))
    assert found.spearman[1:3] == pytest.approx(tuple(ends[1]))


def test_rows_of_one_image_widen_the_interval():
    x = RNG.normal(size=40)
    y = 0.5 * x + RNG.normal(size=40)
    once = relations({"x": x, "y": y}, np.arange(40), 1000, 0)[0].pearson
    x4, y4 = np.repeat(x, 4), np.repeat(y, 4)
    naive = relations({"x": x4, "y": y4}, np.arange(160), 1000, 0)[0].pearson
    right = relations({"x": x4, "y": y4}, np.repeat(np.arange(40), 4), 1000, 0)[0].pearson
    assert right.upper - right.lower == pytest.approx(once.upper - once.lower, rel=0.01)
    assert naive.upper - naive.lower < 0.6 * (right.upper - right.lower)


def test_a_cut_by_one_column_shrinks_the_correlation_although_nothing_else_changed():
    x = RNG.normal(size=4000)
    y = 0.5 * x + RNG.normal(size=4000)
    whole = relations({"x": x, "y": y}, np.arange(4000), 2, 0)[0].pearson.value
    low = y < np.median(y)
    part = relations({"x": x[low], "y": y[low]}, np.arange(low.sum()), 2, 0)[0].pearson.value
    assert part < 0.75 * whole


def test_constant_columns_and_single_images_have_reasons():
    x = RNG.normal(size=6)
    (flat,) = relations({"x": x, "c": np.full(6, 0.1)}, np.arange(6), 10, 0)
    assert math.isnan(flat.pearson.value)
    assert flat.pearson.reason == flat.spearman.reason == "a column is constant"
    (single,) = relations({"x": x, "y": -x}, np.zeros(6), 10, 0)
    assert single.spearman.reason == "fewer than two images"
    (none,) = relations({"x": x[:0], "y": x[:0]}, np.zeros(0), 10, 0)
    assert (none.pearson.n, none.pearson.reason) == (0, "fewer than two images")


def test_columns_that_do_not_fit_are_refused():
    for bad in (np.ones(3), np.array([1.0, np.nan])):
        with pytest.raises(OodexpError, match="column 'y': expected 2 finite values"):
            relations({"x": np.ones(2), "y": bad}, np.arange(2), 10, 0)
