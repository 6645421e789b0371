"""The miniature's captions are those that its training world is drawn with."""

from __future__ import annotations

import pytest

from oodexp.corpus.base import Lost
from oodexp.corpus.miniature import Miniature
from oodexp.error import OodexpError
from oodexp.miniature.dial import SPLIT_SEED, SPLIT_SIZE
from oodexp.miniature.world import captioned
from oodexp.source.miniature import Miniature as Source


def test_captions_are_those_that_drawing_anew_gives():
    found = [text.text for text in Miniature(limit=40).read(Lost("c"))]
    assert found == [captioned(SPLIT_SEED["train"], n)[2] for n in range(40)]


def test_every_image_of_the_training_source_has_its_caption():
    keys = [text.image for text in Miniature().read(Lost("c"))]
    assert keys == Source(split="train").images()["image_id"].tolist()
    assert len(keys) == SPLIT_SIZE["train"]


def test_a_limit_below_one_is_refused():
    with pytest.raises(OodexpError, match=r"corpus\.miniature\.limit=0"):
        Miniature(limit=0)
