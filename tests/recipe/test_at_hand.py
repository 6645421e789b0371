"""Before anything is run: are the weights of every model there."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from oodexp.error import OodexpError
from oodexp.recipe.step import at_hand
from oodexp.vlm.transformers_chat import TransformersChat


def parts(scorers, vlms):
    return SimpleNamespace(scorers=scorers, vlms=vlms)


def test_a_vlm_without_weights_is_named_before_a_scorer_is_run():
    with pytest.raises(OodexpError, match="no/such folder"):
        at_hand(parts({}, {"mine": TransformersChat("no/such folder")}))


def test_a_vlm_that_sets_its_value_by_the_images_is_left_for_later():
    class Later:
        def calibrate(self, calibration):
            raise AssertionError("not yet")

        def fingerprint(self):
            raise AssertionError("not yet")

    at_hand(parts({}, {"later": Later()}))
