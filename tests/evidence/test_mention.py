"""OODBench, appendix C.1.2: does any training text of an image contain its category?

The paper says "semantic expressions matching the category" and no more. Ours: a name between word
boundaries, its words joined by blanks, hyphens or underscores; names within longer names do not
count. The witness is one regular expression a name, and a loop over spans.
"""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oodexp.error import OodexpError
from oodexp.evidence.mention import Finder

NAMES = {
    "dog": ["dog", "dogs"],
    "hot dog": ["hot dog", "hot-dogs", "hotdog"],
    "house": ["house", "dog dog"],
    "bear": ["bear", "Bears"],
    "teddy bear": ["teddy bear", "teddy"],
    "café": ["café", "straße 5"],
    "toaster": ["toaster oven", "toaster"],
    "oven": ["oven", "toaster oven"],
}
OTHER = ["dog house", "bear claw"]
WORDS = [
    "dog", "Dog", "DOGS", "hot", "hotdog", "house", "dogma", "bear", "bears", "teddy", "café",
    "CAFÉ", "straße", "5", "toaster", "oven", "claw", "a", "_", "x1", "été", "\ud83d", "狗",
]  # fmt: skip
SIGNS = [" ", "  ", "-", "_", ", ", ".", "'", "\u2019s ", "\n", "\t", "\xa0", "", "\x00", "\x01",
         "“", " - ", "/", "\u2011", "—", "<image>\n", "\x1f", "(", "\\"]  # fmt: skip
TEXTS = st.lists(
    st.lists(st.tuples(st.sampled_from(SIGNS), st.sampled_from(WORDS)), max_size=8).map(
        lambda parts: "".join(sign + word for sign, word in parts)
    ),
    max_size=6,
)


def spans(name: str, text: str) -> list[tuple[int, int]]:
    words = map(re.escape, re.split(r"[\s_-]+", name))
    inner = r"[\s_\-\u2010\u2011]+".join(words)
    one = rf"(?<![^\W_])(?=({inner})(?![^\W_]))"
    return [m.span(1) for m in re.finditer(one, text, re.IGNORECASE)]


def mentioned(text: str) -> set[str]:
    found = [(*span, c) for c, names in NAMES.items() for n in names for span in spans(n, text)]
    found += [(*span, None) for name in OTHER for span in spans(name, text)]
    return {
        c
        for a, b, c in found
        if c is not None and not any(x <= a and b <= y and y - x > b - a for x, y, _ in found)
    }


def by_text(finder: Finder, texts: list[str]) -> list[set[str]]:
    found = finder.find(texts)
    sets: list[set[str]] = [set() for _ in texts]
    for text, category in zip(found.text, found.category, strict=True):
        sets[text].add(finder.categories[category])
    return sets


FINDER = Finder(NAMES, OTHER)


@settings(max_examples=400, deadline=None)
@given(TEXTS)
def test_mentions_are_those_of_one_expression_a_name(texts):
    assert by_text(FINDER, texts) == [mentioned(text) for text in texts]


@settings(max_examples=60, deadline=None)
@given(TEXTS, TEXTS)
def test_texts_are_searched_each_for_itself(first, second):
    assert by_text(FINDER, first + second) == by_text(FINDER, first) + by_text(FINDER, second)


@pytest.mark.parametrize(
    ("text", "categories"),
    [
        ("A hot dog.", {"hot dog"}),
        ("hot-dog and HOT_DOGS", {"hot dog"}),
        ("hot, dog", {"dog"}),
        ("a dog eats a hot dog", {"dog", "hot dog"}),
        ("the dog's dog-friendly dogma", {"dog"}),
        ("a dog house", set()),
        ("a dog house for a dog", {"dog"}),
        ("a toaster oven", {"toaster", "oven"}),
        ("hot\ndog", {"hot dog"}),
        ("", set()),
    ],
)
def test_the_rule_by_example(text, categories):
    assert by_text(FINDER, [text]) == [categories]


def test_names_that_overlap_in_part_both_count():
    finder = Finder({"ball": ["tennis ball"], "game": ["ball game"]})
    assert by_text(finder, ["a tennis ball game"]) == [{"ball", "game"}]


def test_an_accent_may_be_written_apart():
    assert by_text(FINDER, ["cafe\u0301"]) == [{"café"}]


def test_mentions_are_sorted_and_each_is_there_once():
    texts = ["bear dog bear", "", "dog teddy dog \u2011 dog", "bear"]
    found = FINDER.find(texts)
    cells = found.text * len(NAMES) + found.category
    assert (np.diff(cells) > 0).all()
    assert set(found.text.tolist()) == {0, 2, 3}


def test_no_text_has_no_mention():
    assert len(FINDER.find([]).text) == 0


@pytest.mark.parametrize("names", [{}, {"dog": []}, {"dog": ["dog", " - "]}])
def test_a_category_without_a_name_is_refused(names):
    with pytest.raises(OodexpError, match=r"name|category"):
        Finder(names)
