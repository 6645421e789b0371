"""The benchmark of mentions does what it says."""

from __future__ import annotations

import random

from benchmarks.mentions import coco_names, generated, measure, pairs, stream


def test_captions_are_of_cocos_length_and_name_every_category():
    table = coco_names()
    captions = generated(table, 20_000, random.Random(0))
    words = [len(caption.split()) for caption in captions]
    assert 9 < sum(words) / len(words) < 13
    text = " ".join(captions).lower()
    assert all(f" {category}" in text for category in table.of)


def test_every_text_of_the_stream_is_of_an_image_of_the_pairs():
    images, categories = pairs(20, ["a", "b"])
    assert {image for image, _ in stream(["x", "y"], 100)} == set(images)
    assert set(categories) == {"a", "b"}


def test_the_figures_are_there_and_both_sides_agree():
    found = measure(texts=20_000, compared=400)
    assert found["overlap_texts_per_second"] > 0
    assert 0 < found["overlap_covered_share"] < 1
    assert found["overlap_regex_ratio"] > 1
