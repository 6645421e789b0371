"""OODConceptBench: which printed numbers of the build fix one another, on generated scores.

The images are not at hand. A table of scores is generated instead that has the stated counts at the
stated thresholds and the stated means; the project's own arithmetic must then give what the paper
prints elsewhere. What Tables C1 to C8 fix of one another is in `test_published_concept_rates.py`.

Determined, and tested to the printed digits:
  * Table 1: 34,963, 30,752 and 14,285 images; both levels as sums of their sources (Table D4).
  * Table D6: the L2 counts at thresholds 5 % up and down (a perturbed threshold gives a nested set,
    so the Jaccard index is the ratio of the counts), and so the lowest index of each threshold.
  * Table D10: the mean target similarities of L1 and L2, and with them that of the rest, 0.3295.
  * Recognition by the construction model: at any Q_95 below T3 all images of L1 outside L2 are
    recognised, so 13.6 % on L2 *is* 59.9 % on L1. That Q_95 is on the cosine of the build is our
    reading (protocol 2.2).

Not determined:
  * The size of L0 and with it every count before rule 1; any number is used here.
  * Q_95 of CLIP ViT-B/32: by the counts alone it is between 0.2879 and 0.3031; 0.2955 takes the
    scores to be even within that band.
  * The shape of the scores within a band, their joint law beyond the counts above, the joint
    perturbation of Table D6 and its smaller steps.
  * Counts by category and by concept.
"""

from __future__ import annotations

import numpy as np
import pytest

from oodexp.division.filter_cascade import PAPER, Scores, Thresholds, cascade
from oodexp.metric.recognition import cells, concept_weights, rates, recognise

RULE_1, L1, L2 = 34_963, 30_752, 14_285
UP, DOWN = 1.05, 0.95


def even(low: float, high: float, count: int, mean: float | None = None) -> np.ndarray:
    """Values evenly inside (low, high), as a rising power of the place if their mean is given."""
    place = (np.arange(count) + 0.5) / count
    if mean is None:
        return low + (high - low) * place
    # The mean of u^p on (0, 1) is 1 / (1 + p).
    values = low + (high - low) * place ** ((high - low) / (mean - low) - 1)
    return values + (mean - values.mean())


def target_similarities() -> tuple[np.ndarray, np.ndarray]:
    """S_Txt of L2, and of L1 without L2: counts of Table D6, means of Table D10."""
    t3 = PAPER.target
    middle, above = even(DOWN * t3, t3, L2 - 10_396), even(t3, UP * t3, 18_560 - L2)
    rest = (L1 * 0.296289 - L2 * 0.257976) - above.sum()
    low = even(0.15, DOWN * t3, 10_396, (L2 * 0.257976 - middle.sum()) / 10_396)
    return np.concatenate((low, middle)), np.concatenate(
        (above, even(UP * t3, 0.45, L1 - 18_560, rest / (L1 - 18_560)))
    )


@pytest.fixture(scope="module")
def scores() -> Scores:
    """All images that some threshold within 5 % could keep, and as many again that none keeps."""
    rng, (t1, t2, _) = np.random.default_rng(0), PAPER
    hard, easy = (rng.permutation(part) for part in target_similarities())
    far, middle, near = (0.77, 0.85), (t1, UP * t1), (DOWN * t1, t1)
    rare, between, common = (0.32, 0.5), (t2, UP * t2), (DOWN * t2, t2)
    blocks = [
        # (images, range of S_1K, range of S_21K, S_Txt)
        (4_967, far, rare, hard[:4_967]),
        (13_214 - 4_967, middle, rare, hard[4_967:13_214]),
        (L2 - 13_214, middle, between, hard[13_214:]),
        (L1 - L2, far, rare, easy),
        (15_070 - L2, far, common, rng.uniform(0.2, 0.3, 15_070 - L2)),
        (RULE_1 - L1 - 785, far, (0.1, 0.28), rng.uniform(0.2, 0.4, RULE_1 - L1 - 785)),
        (16_786 - L2, near, rare, rng.uniform(0.2, 0.3, 16_786 - L2)),
        (30_000, (0.5, 0.68), (0.1, 0.5), rng.uniform(0.2, 0.4, 30_000)),
    ]
    columns = [
        (even(*first, count), rng.permutation(even(*second, count)), target)
        for count, first, second, target in blocks
    ]
    stacked = (np.concatenate(part) for part in zip(*columns, strict=True))
    order = rng.permutation(sum(block[0] for block in blocks))
    return Scores(*(part[order].astype(np.float32) for part in stacked))


def test_the_cascade_gives_the_counts_of_table_1(scores):
    assert cascade(scores, PAPER).kept[:, 1:].sum(axis=0).tolist() == [RULE_1, L1, L2]


def test_the_levels_are_the_sums_of_their_sources():
    assert sum((14_617, 16_135)) == L1
    assert sum((8_903, 5_382)) == L2


@pytest.mark.parametrize(
    ("rule", "factor", "count", "lowest"),
    [
        ("common", UP, 4_967, "0.348"), ("common", DOWN, 16_786, None),
        ("rare", UP, 13_214, "0.925"), ("rare", DOWN, 15_070, None),
        ("target", DOWN, 10_396, "0.728"), ("target", UP, 18_560, None),
    ],
)  # fmt: skip
def test_thresholds_five_percent_off_give_the_counts_and_jaccard_of_table_d6(
    scores, rule, factor, count, lowest
):
    moved = PAPER._replace(**{rule: factor * getattr(PAPER, rule)})
    one, other = (cascade(scores, limits).kept[:, 3] for limits in (PAPER, Thresholds(*moved)))
    assert other.sum() == count
    jaccard = (one & other).sum() / (one | other).sum()
    assert jaccard == min(count, L2) / max(count, L2)
    if lowest:
        assert f"{jaccard:.3f}" == lowest
    else:
        assert jaccard > min(4_967 / L2, 13_214 / L2, 10_396 / L2)


def test_the_means_of_table_d10_leave_0_3295_to_images_outside_l2(scores):
    first, second = cascade(scores, PAPER).kept[:, 2:].T
    target = scores.target.astype(np.float64)
    assert f"{target[first].mean():.6f}" == "0.296289"
    assert f"{target[second].mean():.6f}" == "0.257976"
    assert f"{target[first & ~second].mean():.4f}" == "0.3295"


def test_quantiles_of_the_target_similarity_follow_from_the_counts(scores):
    first = scores.target[cascade(scores, PAPER).kept[:, 2]]
    shares = [(first < np.float32(f * PAPER.target)).mean() for f in (DOWN, 1, UP)]
    assert shares == [10_396 / L1, L2 / L1, 18_560 / L1]
    assert [f"{share:.4f}" for share in shares] == ["0.3381", "0.4645", "0.6035"]


def rates_at(scores: Scores, q: float) -> list[float]:
    kept = cascade(scores, PAPER).kept[:, 2:]
    found = recognise(scores.target[:, None], np.array([q]))
    one = np.zeros(len(kept), int)
    inside = cells(kept, one, 1)
    weights = concept_weights(np.zeros(1, int), 2, np.random.default_rng(0))
    table = rates(found, inside, one, weights)[0]
    assert [level[-1].n for level in table] == [L1, L2]
    return [level[-1].value for level in table]


def threshold_for(scores: Scores, rate: float) -> float:
    """The cosine that this share of L2 is above."""
    second = np.sort(scores.target[cascade(scores, PAPER).kept[:, 3]].astype(np.float64))
    place = round((1 - rate) * L2)
    return float(second[place - 1 : place + 1].mean())


def test_13_6_percent_of_l2_is_59_9_percent_of_l1_and_a_threshold_of_0_2955(scores):
    q = threshold_for(scores, 0.136)
    assert f"{q:.4f}" == "0.2955"
    assert [f"{100 * rate:.1f}" for rate in rates_at(scores, q)] == ["59.9", "13.6"]


@pytest.mark.parametrize(("rate", "q"), [(0.153, "0.2946"), (0.102, "0.2974")])
def test_the_range_of_b32_rates_is_a_narrow_range_of_thresholds(scores, rate, q):
    assert f"{threshold_for(scores, rate):.4f}" == q
    assert rates_at(scores, threshold_for(scores, rate))[1] == pytest.approx(rate, abs=1e-4)


@pytest.mark.parametrize("bend", [0.3, 1.0, 4.0])
def test_the_rate_on_l1_does_not_hang_on_the_shape_of_the_scores_but_the_threshold_does(
    scores, bend
):
    # Bend all scores between the two counts of Table D6: no printed count sees it.
    low, high = np.float32(DOWN * PAPER.target), np.float32(PAPER.target)
    between = (scores.target >= low) & (scores.target < high)
    place = np.clip((scores.target - low) / (high - low), 0, 1)
    bent = scores._replace(
        target=np.where(between, low + (high - low) * place**bend, scores.target).astype(np.float32)
    )
    assert cascade(bent, PAPER).kept[:, 3].sum() == L2
    q = threshold_for(bent, 0.136)
    assert DOWN * PAPER.target < q < PAPER.target
    assert (f"{q:.4f}" == "0.2955") == (bend == 1)
    assert [f"{100 * rate:.1f}" for rate in rates_at(bent, q)] == ["59.9", "13.6"]
