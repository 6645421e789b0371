"""LVIS annotations as the official package reads them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from oodexp.record import ABSENT, PRESENT, UNKNOWN
from tests.source import made

pytestmark = pytest.mark.oracle


@pytest.mark.parametrize("seed", range(5))
def test_presence_and_counts_are_those_of_the_official_package(tmp_path, seed):
    package = pytest.importorskip("lvis")
    document = made.lvis_document(seed, images=40)
    source = made.lvis(tmp_path, document)
    official = package.LVIS(str(tmp_path / "annotations.json"))
    images = official.load_imgs(official.get_img_ids())
    kinds = sorted(official.get_cat_ids())
    counts = Counter()
    for note in official.load_anns(official.get_ann_ids()):
        counts[note["image_id"], note["category_id"]] += 1
    assert source.images()["image_id"].tolist() == [str(i["id"]) for i in images]
    presence = np.full((len(images), len(kinds)), UNKNOWN)
    expected = {}
    for row, image in enumerate(images):
        for column, kind in enumerate(kinds):
            number = counts[image["id"], kind]
            if number:
                presence[row, column] = PRESENT
                partial = kind in image["not_exhaustive_category_ids"]
                expected[str(image["id"]), source.categories()[column]] = -1 if partial else number
            elif kind in image["neg_category_ids"]:
                presence[row, column] = ABSENT
    assert np.array_equal(source.presence(), presence)
    pairs = source.pairs()
    keys = zip(pairs["image_id"], pairs["category"], strict=True)
    assert dict(zip(keys, pairs["count"].fillna(-1), strict=True)) == expected
