"""OODConceptBench, Table D6 (moved thresholds) and Table D7 (a larger ID vocabulary).

J = |A & B| / |A | B| of L2 at fixed and moved thresholds. Witnesses: sets and plain loops; counts
and indices that the paper prints. Deviation from the paper: it does not list its six settings; -5,
-3, -1, 1, 3, 5 % are read.
"""

import math

import numpy as np
import pytest

from oodexp.division.filter_cascade import PAPER, Scores, Thresholds, alignment, farness
from oodexp.error import OodexpError
from oodexp.evidence.nearest import unit
from oodexp.evidence.perturbation import FACTORS, expanded, local, more_names, perturbed, pruning

RNG = np.random.default_rng(8)


def made(n):
    columns = RNG.normal((0.73, 0.36, 0.30), (0.03, 0.05, 0.03), (n, 3)).astype(np.float32)
    return Scores(*columns.T)


def chosen(scores, limits):
    """Plain: the numbers of images that pass all three rules."""
    limits = [np.float32(one) for one in limits]
    return {
        n
        for n, (common, rare, target) in enumerate(zip(*scores, strict=True))
        if common > limits[0] and rare > limits[1] and target < limits[2]
    }


def test_sizes_and_jaccard_are_those_of_sets():
    scores, fixed = made(500), None
    fixed = chosen(scores, PAPER)
    found = perturbed(scores, PAPER)
    assert len(found) == 4 * len(FACTORS)
    for one in found:
        limits = [
            value * (1 + one.factor) if one.moved in (name, "joint") else value
            for name, value in zip(Thresholds._fields, PAPER, strict=True)
        ]
        mine = chosen(scores, limits)
        assert one.size == len(mine)
        assert one.jaccard == pytest.approx(len(mine & fixed) / len(mine | fixed))
        assert one.reason is None


def level2(sizes):
    """Scores of which T3 at -5, 0 and 5 % selects as many as the paper prints."""
    target = np.concatenate([
        np.full(count, PAPER.target * factor)
        for count, factor in zip(np.diff([0, *sizes]), (0.94, 0.97, 1.03), strict=True)
    ])  # fmt: skip
    far = np.ones(len(target), np.float32)
    return Scores(far, far, target.astype(np.float32))


def test_the_papers_counts_give_the_papers_indices():
    # Moving one threshold nests the selections, so that J is the ratio of two printed counts.
    found = perturbed(level2([10396, 14285, 18560]), PAPER, (-0.05, 0.05))
    (row,) = [one for one in local(found) if one.moved == "target"]
    assert (row.fewest, row.most, row.settings) == (10396, 18560, 2)
    assert round(row.lowest, 3) == 0.728
    assert round(4967 / 14285, 3) == 0.348
    assert round(13214 / 14285, 3) == 0.925


def test_a_factor_of_zero_changes_nothing():
    for one in perturbed(made(300), PAPER, (0.0,)):
        assert one.jaccard == 1


def test_settings_are_summed_up_by_what_they_move():
    found = perturbed(made(400), PAPER)
    rows = local(found)
    assert [row.moved for row in rows] == [*Thresholds._fields, "joint"]
    for row in rows:
        mine = [one for one in found if one.moved == row.moved]
        assert row.fewest == min(one.size for one in mine)
        assert row.most == max(one.size for one in mine)
        assert row.lowest == min(one.jaccard for one in mine)
        assert row.highest == max(one.jaccard for one in mine)
        assert row.mean == pytest.approx(sum(one.jaccard for one in mine) / 6)


def test_empty_selections_have_no_index_but_a_reason():
    nothing = Scores(*(np.zeros(5, np.float32),) * 3)
    found = perturbed(nothing, PAPER, (0.05,))
    assert all(math.isnan(one.jaccard) and one.size == 0 for one in found)
    assert {one.reason for one in found} == {"both selections are empty"}
    assert math.isnan(local(found)[0].mean)
    assert local(found)[0].reason == "both selections are empty"


def test_an_unknown_level_is_refused():
    with pytest.raises(OodexpError, match="level 'L3': expected one of L0, rule 1, L1, L2"):
        perturbed(made(3), PAPER, level="L3")


def test_more_names_are_the_nearest_of_old_and_new():
    images, old, new = (unit(RNG.normal(size=(n, 6))) for n in (50, 8, 20))
    common = farness(images, old)
    own = alignment(images, old, np.arange(50) % 8)
    scores = expanded(Scores(common, common, own), images, new)
    np.testing.assert_allclose(scores.common, farness(images, np.vstack([old, new])))
    assert (scores.common <= common).all()
    assert (scores.common < common).any()
    np.testing.assert_array_equal(scores.rare, common)
    assert expanded(scores, images, new[:0]) is scores


# Category, images, survivors before and after, and the printed 100 x rates of Table D7.
TABLE_D7 = [
    ("Time-lagged", 4299, 3747, 3728, 87.16, 86.72, 0.44),
    ("Synthetic / fictional", 3892, 3322, 3307, 85.35, 84.97, 0.39),
    ("Cultural blindspots", 3550, 1919, 1839, 54.06, 51.80, 2.25),
    ("Fine-grained / texture", 3626, 1231, 1156, 33.95, 31.88, 2.07),
    ("Environmental shift", 4106, 2930, 2885, 71.36, 70.26, 1.10),
    ("Viewpoint / scale", 4386, 2447, 2410, 55.79, 54.95, 0.84),
]


def test_the_papers_counts_give_the_papers_rates():
    before, after, category = [], [], []
    for number, (_, images, kept, left, *_rates) in enumerate(TABLE_D7):
        category += [number] * images
        before += [0.8] * kept + [0.5] * (images - kept)
        after += [0.8] * left + [0.5] * (images - left)
    far = np.ones(len(category), np.float32)
    both = [Scores(np.array(one, np.float32), far, far) for one in (before, after)]
    names = [row[0] for row in TABLE_D7]
    found = pruning(*both, PAPER, np.array(category), names)
    for one, row in zip(found, TABLE_D7, strict=True):
        assert (one.category, one.images, one.before, one.after) == row[:4]
        rates = 100 * one.before_rate, 100 * one.after_rate, 100 * one.pruned_rate
        assert rates == pytest.approx(row[4:], abs=0.00501)


def test_rule_1_looks_at_the_vocabulary_alone_and_later_levels_at_all():
    before = made(300)
    after = before._replace(common=before.common - np.float32(0.01))
    category = np.arange(300) % 2
    for level, rules in (("rule 1", 1), ("L1", 2), ("L2", 3)):
        for number, one in enumerate(pruning(before, after, PAPER, category, "ab", level)):
            limits = [*PAPER[:rules], *(-9, -9, 9)[rules:]]
            mine = set(np.flatnonzero(category == number))
            assert one.before == len(chosen(before, limits) & mine)
            assert one.after == len(chosen(after, limits) & mine)


def test_images_without_scores_do_not_count_and_a_category_of_them_has_a_reason():
    scores = made(6)
    scores.common[[0, 1, 2]] = np.nan
    one, two = pruning(scores, scores, PAPER, np.array([0, 0, 0, 1, 1, 1]), ["a", "b"])
    assert (one.images, one.reason) == (0, "no image with scores")
    assert math.isnan(one.pruned_rate)
    assert (two.images, two.pruned_rate, two.reason) == (3, 0, None)


def test_names_are_added_once_whatever_their_case_and_order_is_kept():
    found = more_names(["Dog", "sea horse"], ["puppy", "DOG", "sea_horse", "Puppy", "cat"])
    assert found == ["puppy", "cat"]


def test_wordnet_adds_the_words_of_synsets_and_narrower_ones(tmp_path):
    data = (
        "{a:08d} 05 n 02 dog 0 domestic_dog 0 001 ~ {b:08d} n 0000 | an animal\n",
        "{b:08d} 05 n 01 poodle 0 001 @ {a:08d} n 0000 | curly\n",
    )
    first = len(data[0].format(a=0, b=0))
    lines = "".join(data).format(a=0, b=first)
    (tmp_path / "data.noun").write_text(lines)
    (tmp_path / "index.noun").write_text("dog n 1 1 ~ 1 1 00000000  \n")
    assert more_names(["dog"], wordnet=str(tmp_path)) == ["domestic dog"]
    found = more_names(["dog"], ["Poodle"], str(tmp_path), depth=1)
    assert found == ["Poodle", "domestic dog"]
