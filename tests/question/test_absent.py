"""Absent categories in the order of each strategy, beside slow counts written another way."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from oodexp.question.absent import STRATEGIES, Absent
from oodexp.record import ABSENT, PRESENT

ANNOTATED = arrays(
    np.uint8, st.tuples(st.integers(1, 7), st.integers(1, 6)), elements=st.integers(0, 2)
)


def sets(presence: np.ndarray) -> list[set[int]]:
    return [{c for c, code in enumerate(row) if code == PRESENT} for row in presence.tolist()]


@given(ANNOTATED, st.sampled_from(STRATEGIES))
def test_an_order_holds_what_is_annotated_as_absent_and_nothing_else(presence, strategy):
    absent = Absent("s", presence, 0)
    for image, row in enumerate(presence.tolist()):
        found = absent.order(image, str(image), strategy).tolist()
        assert sorted(found) == [c for c, code in enumerate(row) if code == ABSENT]


@given(ANNOTATED)
def test_popular_is_by_the_number_of_images_that_hold_the_category(presence):
    held = sets(presence)
    often = Counter(c for categories in held for c in categories)
    ranked = [c for c, _ in sorted(enumerate(presence[0].tolist()), key=lambda i: -often[i[0]])]
    for image, row in enumerate(presence.tolist()):
        want = [c for c in ranked if row[c] == ABSENT]
        assert Absent("s", presence, 0).order(image, "i", "popular").tolist() == want


@given(ANNOTATED)
def test_adversarial_is_by_how_often_it_stands_beside_what_the_image_holds(presence):
    held = sets(presence)
    often = Counter(c for categories in held for c in categories)
    for image, row in enumerate(presence.tolist()):
        beside: Counter[int] = Counter()
        for other in held:
            for category in other:
                beside[category] += len(other & held[image])
        absent = [c for c, code in enumerate(row) if code == ABSENT]
        want = sorted(absent, key=lambda c: (beside[c], often[c], -c), reverse=True)
        assert Absent("s", presence, 0).order(image, "i", "adversarial").tolist() == want


def test_popular_and_adversarial_differ_where_the_frequent_is_elsewhere():
    # 0 stands beside 1; 2 is everywhere else.
    presence = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 1], [0, 0, 1]], dtype=np.uint8)
    absent = Absent("s", presence, 0)
    assert absent.order(0, "i", "adversarial").tolist() == [1, 2]
    assert absent.order(0, "i", "popular").tolist() == [2, 1]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_an_order_does_not_depend_on_the_other_images_order(strategy):
    rng = np.random.default_rng(0)
    presence = rng.integers(0, 3, (30, 12)).astype(np.uint8)
    turned = rng.permutation(30)
    there, here = Absent("s", presence[turned], 3), Absent("s", presence, 3)
    for row, image in enumerate(turned):
        one, two = (a.order(n, f"i{image}", strategy) for a, n in ((there, row), (here, image)))
        np.testing.assert_array_equal(one, two)


def test_random_puts_each_absent_category_in_front_equally_often():
    presence = np.array([[ABSENT] * 5 + [PRESENT]], dtype=np.uint8)
    absent = Absent("s", presence, 0)
    orders = np.array([absent.order(0, f"image {n}", "random") for n in range(4000)])
    for place in range(5):
        share = np.bincount(orders[:, place], minlength=5) / 4000
        assert np.abs(share - 1 / 5).max() < 5 * np.sqrt(0.2 * 0.8 / 4000)  # five standard errors


def test_random_is_of_the_seed_the_source_and_the_image():
    presence = np.zeros((1, 40), dtype=np.uint8)
    order = Absent("s", presence, 0).order(0, "a", "random").tolist()
    assert Absent("s", presence, 0).order(0, "a", "random").tolist() == order
    assert Absent("s", presence, 1).order(0, "a", "random").tolist() != order
    assert Absent("t", presence, 0).order(0, "a", "random").tolist() != order
    assert Absent("s", presence, 0).order(0, "b", "random").tolist() != order
