"""Arrays that would fill the memory."""

from __future__ import annotations

import numpy as np
import pytest

from oodexp.error import OodexpError
from oodexp.metric.bootstrap import resample_weights
from oodexp.predict.loop import MOST_THREADS, Loop
from oodexp.room import refuse_larger


def test_what_fits_passes_and_what_does_not_is_named_with_its_remedy():
    refuse_larger(100, "10 things", "take fewer", most=100)
    with pytest.raises(OodexpError, match=r"10 things: they take more than the 100 bytes .*; take"):
        refuse_larger(101, "10 things", "take fewer", most=100)


def test_resamples_without_end_are_refused_before_they_are_drawn():
    with pytest.raises(OodexpError, match="1,000,000,000,000 resamples x 10 images"):
        resample_weights(10, 10**12, np.random.default_rng(0))


@pytest.mark.parametrize("setting", ["threads", "workers"])
def test_threads_without_end_are_refused(setting):
    Loop(**{setting: MOST_THREADS})
    with pytest.raises(OodexpError, match=r"expected 4096 at the most"):
        Loop(**{setting: MOST_THREADS + 1})
