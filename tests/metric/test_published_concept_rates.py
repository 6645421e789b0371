"""OODConceptBench: what the printed rates of models say of one another (Tables C1 to C8).

Determined, and tested to the printed digits:
  * Tables C1 to C3: overall rates cannot be means of categories; shares of images explain them,
    with one set of shares for all models that also agrees with the retention of Table A4.
  * Tables C5 and C6: 2021 is three OpenAI B/32 and two B/16 (3 x 13.6 + 2 x 36.6 = 5 x 22.8); 2022
    is the four ConvNeXt-CLIP, three OpenCLIP-LAION B/32, a B/16 and an H/14, provided that its five
    others are OpenCLIP-LAION; 37 models in all.

Possible, and tested to agree: 2024 as two DFN B/16 and an L/14, by its median with 45.2 and 52.8;
B/32 rates of 15.3, 15.3 and 10.2 in 2021. The means of 2025 are those of SigLIP2 in Table C8.

Not determined:
  * Counts by category: linear programming leaves ranges of several percentage points and more.
  * The rates of single models other than ConvNeXt-CLIP, EVA-CLIP and those alone in their row of
    Table C6; so medians follow only where such a model is in the middle (2022: 51.6).
  * Which 16 models are the group of 2023.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog

from oodexp.metric.model_group import by_group, compare

L1, L2 = 30_752, 14_285

# Tables C2 and C3: four ConvNeXt-CLIP by seven categories; then Table C1.
ON_L1 = np.array([
    [0.499, 0.922, 0.831, 0.632, 0.758, 0.786, 0.865],
    [0.539, 0.941, 0.806, 0.631, 0.765, 0.779, 0.871],
    [0.541, 0.961, 0.826, 0.638, 0.772, 0.796, 0.878],
    [0.567, 0.960, 0.842, 0.639, 0.776, 0.812, 0.883],
])  # fmt: skip
ON_L2 = np.array([
    [0.373, 0.807, 0.516, 0.295, 0.526, 0.582, 0.645],
    [0.416, 0.854, 0.485, 0.299, 0.544, 0.582, 0.653],
    [0.417, 0.903, 0.526, 0.312, 0.555, 0.620, 0.677],
    [0.448, 0.906, 0.568, 0.314, 0.561, 0.653, 0.687],
])  # fmt: skip
OVERALL_L1 = np.array([0.759, 0.767, 0.778, 0.788])
OVERALL_L2 = np.array([0.516, 0.536, 0.557, 0.575])
STAYS = np.array([0.7687, 0.3864, 0.2771, 0.5026, 0.4966, 0.4650])
"""L1 to L2 of Table A4; the typographic row is not printed."""
ROUNDED = 0.0005 + 1e-12
"""By how much a rate of three digits may be off."""
TOLERANCE = 2 * ROUNDED + 1e-9
"""By how much a mean of such rates may be off from one that is rounded itself."""


def shares_that_fit(table: np.ndarray, overall: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A w <= b for shares of categories that give the overall rates, all numbers rounded."""
    # Each rate may be anywhere within its rounding, and so may the overall rate.
    rows = np.vstack((table - ROUNDED, -(table + ROUNDED)))
    return rows, np.concatenate((overall + ROUNDED, -(overall - ROUNDED)))


def joint_programme() -> dict[str, np.ndarray | tuple[float, float]]:
    """Shares on L1 and L2 together, tied by retention: a category of L2 is a part of that of L1."""
    (one, most), (two, least) = (
        shares_that_fit(ON_L1, OVERALL_L1), shares_that_fit(ON_L2, OVERALL_L2)
    )  # fmt: skip
    tie = np.zeros((13, 14))
    for k, share in enumerate(STAYS):
        tie[2 * k, [7 + k, k]] = L2, -(share + 0.1 * ROUNDED) * L1
        tie[2 * k + 1, [7 + k, k]] = -L2, (share - 0.1 * ROUNDED) * L1
    tie[12, [13, 6]] = L2, -L1
    zero = np.zeros_like(one)
    return {
        "A_ub": np.vstack((np.hstack((one, zero)), np.hstack((zero, two)), tie)),
        "b_ub": np.concatenate((most, least, np.zeros(13))),
        "A_eq": np.kron(np.eye(2), np.ones(7)),
        "b_eq": np.ones(2),
        "bounds": (0, 1),
    }


@pytest.mark.parametrize(("table", "overall"), [(ON_L1, OVERALL_L1), (ON_L2, OVERALL_L2)])
def test_overall_rates_are_no_means_of_categories_but_shares_of_images_give_them(table, overall):
    rows, ends = shares_that_fit(table, overall)
    assert (rows @ np.full(7, 1 / 7) > ends).any()
    found = linprog(np.zeros(7), rows, ends, np.ones((1, 7)), [1], (0, 1))
    assert found.status == 0
    assert table @ found.x == pytest.approx(overall, abs=TOLERANCE)


def test_the_macro_mean_of_the_first_row_is_0_535_where_0_516_is_printed():
    assert f"{ON_L2[0].mean():.3f}" == "0.535"


def test_one_set_of_shares_fits_both_levels_and_the_retention():
    found = linprog(np.zeros(14), **joint_programme())
    assert found.status == 0
    first, second = found.x[:7], found.x[7:]
    assert second[:6] * L2 == pytest.approx(STAYS * first[:6] * L1, abs=1e-4 * L1)
    assert second[6] * L2 <= first[6] * L1 + 1e-6
    assert ON_L1 @ first == pytest.approx(OVERALL_L1, abs=TOLERANCE)
    assert ON_L2 @ second == pytest.approx(OVERALL_L2, abs=TOLERANCE)


def test_counts_by_category_are_not_determined():
    programme = joint_programme()
    widths = []
    for k in range(14):
        ends = [linprog(sign * np.eye(14)[k], **programme).fun * sign for sign in (1, -1)]
        widths.append(ends[1] - ends[0])
    assert min(widths) > 0.05


def mean_is(parts: dict[float, int], total: int, printed: float) -> bool:
    """Whether so many models of rates rounded to 0.1 can have a mean that is printed so."""
    mean = sum(rate * n for rate, n in parts.items()) / total
    return abs(mean - printed) <= 0.05 + 0.05 + 1e-9


def test_2021_can_only_be_three_b32_and_two_b16():
    fits = [n for n in range(6) if mean_is({13.6: n, 36.6: 5 - n}, 5, 22.8)]
    assert fits == [3]
    assert sum([13.6] * 3 + [36.6] * 2) == pytest.approx(5 * 22.8)


def test_2022_can_only_be_four_convnext_with_three_b32_a_b16_and_an_h14_of_laion():
    convnext = {100 * rate: 1 for rate in OVERALL_L2}
    fits = [
        (b32, b16, h14)
        for b32, b16, h14 in product(range(6), repeat=3)
        if b32 + b16 + h14 == 5 and min(b32, b16, h14) > 0
        and mean_is(convnext | {39.5: b32, 45.7: b16, 53.0: h14}, 9, 48.4)
    ]  # fmt: skip
    assert fits == [(3, 1, 1)]


def test_models_that_tables_c1_and_c6_allow_give_means_and_medians_of_table_c5():
    # Three B/32 of mean 13.6 and median 15.3; two DFN B/16 of mean 49.0, the higher the median.
    l2 = {
        2021: [15.3, 15.3, 10.2, 36.6, 36.6],
        2022: [*(100 * OVERALL_L2), 39.5, 39.5, 39.5, 45.7, 53.0],
        2024: [45.2, 52.8, 56.1],
    }
    years = [year for year, values in l2.items() for _ in values]
    rows = np.concatenate([*l2.values()]) / 100
    found = by_group(years, rows, rows)
    printed = {2021: (22.8, 15.3), 2022: (48.4, 51.6), 2024: (51.4, 52.8)}
    for year, (mean, median) in printed.items():
        assert f"{100 * found[year].mean_l2:.1f}" == str(mean)
        assert f"{100 * found[year].median_l2:.1f}" == str(median)


def test_convnext_large_d_against_base_w_is_the_row_of_table_c6():
    found = compare(OVERALL_L2[:, None], np.array([1, 1, 0, 0], bool), np.array([0, 0, 1, 1], bool))
    printed = (found.reference[0], found.compared[0], found.difference[0])
    assert [f"{100 * value:.1f}" for value in printed] == ["52.6", "56.6", "4.0"]


def test_table_c5_counts_37_models_and_its_differences_are_those_of_its_means():
    rows = [
        (5, 61.6, 22.8, 38.8), (9, 73.6, 48.4, 25.2), (16, 62.9, 41.1, 21.8),
        (3, 74.6, 51.4, 23.2), (4, 72.5, 52.4, 20.2),
    ]  # fmt: skip
    assert sum(row[0] for row in rows) == 37
    # Each of the three is rounded by itself: 72.5 - 52.4 is 20.1, printed 20.2.
    assert all(abs(l1 - l2 - fall) <= 0.15 + 1e-9 for _, l1, l2, fall in rows)
