"""Texts of bounded length and finite numbers."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from oodexp.error import OodexpError
from oodexp.tracker.value import as_text, cut, parted


@pytest.mark.parametrize("limit", [120, 250, 500, 6000])
def test_a_cut_text_fits_and_names_the_hash_of_the_whole(limit):
    text = "é" * 30_000
    short = cut(text, limit)
    assert len(short) == limit
    assert short.startswith("é")
    assert hashlib.sha256(text.encode()).hexdigest() in short
    assert "cut from 30000 characters" in short


def test_a_text_that_fits_is_left_whole():
    assert cut("x" * 250, 250) == "x" * 250
    assert cut("x" * 99_999, None) == "x" * 99_999


def test_cut_texts_of_different_endings_differ():
    assert cut("x" * 999 + "a", 250) != cut("x" * 999 + "b", 250)


def test_numbers_of_numpy_count_as_numbers():
    defined, undefined = parted({"a": np.float32(0.5), "b": np.int64(2), "c": np.float64("nan")})
    assert defined == {"a": 0.5, "b": 2.0}
    assert undefined == {"c": "NaN"}


def test_every_refused_metric_is_named():
    with pytest.raises(OodexpError) as caught:
        parted({"a": float("inf"), "b": 1.0, "c": "text"})
    assert "'a' = inf, 'c' = 'text'" in str(caught.value)


def test_plain_values_become_json_and_text_stays():
    assert [as_text(v) for v in (None, True, 0.1, "x", [1, "é"])] == [
        "null",
        "true",
        "0.1",
        "x",
        '[1, "é"]',
    ]
