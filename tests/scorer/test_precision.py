"""Number formats, and how far a fast one is from float32."""

from __future__ import annotations

import numpy as np
import pytest

from oodexp.error import OodexpError
from oodexp.scorer.precision import check_precision, error_band


def test_a_format_that_is_none_is_refused() -> None:
    with pytest.raises(OodexpError, match="precision 'float16'"):
        check_precision("float16")


def test_the_band_is_the_largest_difference_either_way() -> None:
    exact = np.float32([[1, 2], [3, 4]])
    assert error_band(exact + np.float32([[0, 0.25], [-0.5, 0]]), exact) == 0.5


def test_cells_that_neither_format_scores_do_not_count() -> None:
    assert error_band(np.float32([np.nan, 1]), np.float32([np.nan, 1.5])) == 0.5


def test_a_cell_that_one_format_alone_scores_makes_the_band_infinite() -> None:
    assert error_band(np.float32([np.nan, 1]), np.float32([0, 1])) == np.inf


def test_no_cells_have_no_band() -> None:
    assert error_band(np.zeros((0, 3), np.float32), np.zeros((0, 3), np.float32)) == 0
