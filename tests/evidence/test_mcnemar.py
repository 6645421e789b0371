"""Whether two models are right equally often.

OODBench names no test between models; McNemar (1947): of b + c questions that only one of two
models got right, b is binomial with chance 1/2. Clustered: the surplus d of right answers of an
image is as likely -d; two-sided p = P(|sum of +-d| >= |sum of d|), or its mid-p, from the law
worked out in full. Deviation from Durkalski et al. (2003) and Obuchowski (1998), whose forms rest
on a normal law: in simulations (30 to 400 images of 1 to 6 questions, accuracy 0.75 and 0.92,
equal and unequal image effects, 3,000 runs) size at nominal 5 % was 3.8-5.6 % for Durkalski,
4.6-5.8 % for Obuchowski, 4.2-5.8 % for the mid-p, 2.4-5.3 % for the exact form and 7.0-16.4 %
for the plain test that ignores images.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from oodexp.evidence.mcnemar import LEAST, mcnemar, sign_flip


def answers(only_first: int, only_second: int, both: int = 3) -> tuple[np.ndarray, np.ndarray]:
    first = np.repeat([True, False, True], [only_first, only_second, both])
    second = np.repeat([False, True, True], [only_first, only_second, both])
    return first, second


@pytest.mark.parametrize(("b", "c"), [(0, 1), (5, 0), (4, 4), (7, 2), (30, 61), (400, 350)])
def test_the_plain_p_is_the_binomial_test_of_scipy(b, c):
    first, second = answers(b, c)
    found = mcnemar(first, second, np.arange(len(first)))
    assert (found.first_only, found.second_only) == (b, c)
    assert found.exact == pytest.approx(binomtest(b, b + c).pvalue, rel=1e-10)
    assert found.reason is None


def enumerated(surplus: list[int]) -> tuple[float, float]:
    observed = abs(sum(surplus))
    sums = [abs(sum(s * d for s, d in zip(signs, surplus, strict=True)))
            for signs in product((-1, 1), repeat=len(surplus))]  # fmt: skip
    beyond = np.mean([total > observed for total in sums])
    equal = np.mean([total == observed for total in sums])
    return float(beyond + equal), float(beyond + equal / 2)


@given(st.lists(st.integers(-6, 6), max_size=9))
def test_the_law_is_that_of_all_signs_one_by_one(surplus):
    exact, mid = enumerated(surplus)
    found = sign_flip(np.array(surplus, dtype=np.int64))
    assert found.exact == pytest.approx(exact, rel=1e-10)
    # With a sum of 0 nothing is more extreme on the other side: the two-sided mid-p is 1.
    assert found.mid == pytest.approx(mid if sum(surplus) else 1.0, rel=1e-10)


def test_with_one_question_an_image_the_clustered_form_is_the_exact_test():
    first, second = answers(12, 4)
    found = mcnemar(first, second, np.random.default_rng(0).permutation(len(first)))
    assert found.clustered_exact == found.exact
    assert found.clustered < found.exact
    assert found.images == 16


def test_answers_that_go_together_on_an_image_weigh_less():
    first, second = answers(18, 6, both=0)
    alone = mcnemar(first, second, np.arange(24))
    together = mcnemar(first, second, np.arange(24) // 3)
    assert together.images == 8
    assert together.clustered_exact == pytest.approx(binomtest(6, 8).pvalue)
    assert together.clustered > alone.clustered
    assert together.exact == alone.exact


def test_the_order_of_models_and_questions_does_not_matter():
    rng = np.random.default_rng(3)
    first, second = rng.random((2, 60)) < 0.6
    image, order = rng.integers(0, 20, 60), rng.permutation(60)
    one, other = mcnemar(first, second, image), mcnemar(second, first, image)
    assert (one.exact, one.clustered) == (other.exact, other.clustered)
    assert (one.first_only, one.second_only) == (other.second_only, other.first_only)
    assert mcnemar(first[order], second[order], image[order]) == one


@pytest.mark.parametrize(
    ("first", "second", "image", "reason"),
    [
        ([], [], [], "no questions"),
        ([1, 0, 1], [1, 0, 1], [0, 0, 1], "right on the same questions"),
        ([1, 0], [0, 1], [0, 0], "as many right answers on every image"),
    ],
)
def test_models_that_never_differ_have_a_p_of_one_and_a_reason(first, second, image, reason):
    found = mcnemar(np.array(first, bool), np.array(second, bool), np.array(image, np.int64))
    assert found.clustered == found.clustered_exact == 1
    assert found.exact == 1
    assert reason in found.reason


def test_no_p_is_zero():
    found = sign_flip(np.ones(5000, dtype=np.int64))
    assert found.exact == found.mid == LEAST > 0
