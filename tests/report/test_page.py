"""The report page: parsed as a browser would, over tables with hostile texts and lacking values."""

from __future__ import annotations

import base64
import hashlib
import json
import re

import pytest

from oodexp.report.page import page
from tests.report.page_run import EVIL, META, VLMS, Tree, drawing, make_tables, no_picture


@pytest.fixture(scope="module")
def tables():
    return make_tables()


@pytest.fixture(scope="module")
def text(tables):
    figures = {f"fig {EVIL}": f"<svg xmlns='http://www.w3.org/2000/svg'>{EVIL}</svg>"}
    return page(tables, META, lambda source, image: drawing(), figures)


@pytest.fixture(scope="module")
def tree(text):
    return Tree(text)


def test_every_element_is_closed_in_its_place(tree):
    assert [tag for tag, _ in tree.open] == []
    ids = [attrs["id"] for _, attrs in tree.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    links = [attrs["href"] for attrs in tree.all("a")]
    assert all(link[1:] in ids for link in links)


def test_the_gallery_is_last_as_it_grows_while_one_scrolls(tree):
    assert [attrs["id"] for attrs in tree.all("section")][-1] == "gallery"
    assert all(attrs["id"] != "gallery" for attrs in tree.all("section")[:-1])


def test_markup_in_ids_categories_and_completions_is_text(tree, text):
    assert EVIL not in text
    scripts = [attrs.get("type", "code") for attrs in tree.all("script")]
    assert scripts == ["application/json", "text/plain", "code"]
    shown = "".join(tree.text)
    assert EVIL in shown
    assert VLMS[1] in shown
    assert "no <question> was asked" in shown


def test_nothing_is_loaded_from_anywhere(tree, text):
    assert not re.search(r"https?:", text.replace("http://www.w3.org/2000/svg", ""))
    for _, attrs in tree.elements:
        for name in ("src", "href", "action", "data", "poster", "srcset"):
            assert attrs.get(name, "#").startswith(("#", "data:image/"))
        assert not any(name.startswith("on") for name in attrs)
    assert not re.search(r"@import|url\(", text)


def test_only_the_page_s_own_script_may_run(tree):
    rules = next(a["content"] for a in tree.all("meta") if "Security" in a.get("http-equiv", ""))
    digest = base64.b64encode(hashlib.sha256(tree.raw["code"].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in rules
    assert rules.startswith("default-src 'none'")


def test_the_script_writes_no_markup(tree):
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(",
                         tree.raw["code"])  # fmt: skip


def test_the_same_run_gives_the_same_page(tables, text):
    figures = {f"fig {EVIL}": f"<svg xmlns='http://www.w3.org/2000/svg'>{EVIL}</svg>"}
    assert page(make_tables(), META, lambda source, image: drawing(), figures) == text


def test_three_sentences_tell_what_was_asked_found_and_lost(tree):
    lead = " ".join("".join(tree.text).split())
    assert "answered 24 questions about 12 image-category pairs of 4 images" in lead
    assert "the 11 pairs that were drawn: 3 ID, 4 OOD-S, 4 OOD-H." in lead
    assert "2 of 48 answers could not be read; left out were 1, noted 0" in lead


def test_a_run_with_failed_questions_is_called_incomplete():
    tables = make_tables()
    tables["completions"].loc[0, "status"] = "error"
    assert "the run is INCOMPLETE: 1 completions failed" in page(tables, META, no_picture, {})


def test_a_run_without_answers_or_pairs_still_has_a_page():
    made = Tree(page({}, {"title": "empty"}, no_picture, {}))
    assert made.open == []
    assert "Nothing was measured." in "".join(made.text)
    assert json.loads(made.raw["cards"])["cards"]["split"] == []
