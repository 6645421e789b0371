"""The release check after Table E1 of OODConceptBench.

The table lists reviews in prose; here each is a requirement with a verdict, and what a table of
images cannot show has to be declared.
"""

from __future__ import annotations

import numpy as np
import pytest

from oodexp import table
from oodexp.error import OodexpError
from oodexp.record import Concept
from oodexp.report.release import DECLARED, Duplicates, Release, Waiver, check, releasable

ALL = dict.fromkeys(DECLARED, "done by A. Reviewer")
FOUND = Duplicates("perceptual hash within 6 bits", 3, 8, 5)


def concepts(**changed):
    columns = {
        "source": "s", "image_id": [f"i{n}" for n in range(6)], "phrase": "foggy car",
        "category": "fog", "acquisition": ["crawled"] * 3 + ["generated"] * 3,
        "licence": "CC BY 4.0", "origin": "a collection",
    } | changed  # fmt: skip
    return table.frame(Concept, columns)


def levels(*sizes):
    return {f"L{n}": np.arange(6) < size for n, size in enumerate(sizes)}


def release(rows=None, sizes=(6, 4, 2), **options):
    options = {"duplicates": FOUND, "declared": ALL} | options
    return Release(concepts() if rows is None else rows, levels(*sizes), **options)


def verdicts(found):
    return {each.name: each.verdict for each in found}


def words(found, name):
    return next(each.words for each in found if each.name == name)


def test_a_complete_set_meets_every_requirement():
    found = check(release())
    assert set(verdicts(found).values()) == {"met"}
    assert releasable(found)
    assert list(verdicts(found)) == [
        "concepts", "phrases", "categories", "levels", "acquisition", "origin", "licence",
        "near-duplicates", *DECLARED,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("column", "name"), [("licence", "licence"), ("origin", "origin")],
)  # fmt: skip
def test_a_missing_licence_or_origin_is_counted_and_blocks_unless_waived(column, name):
    rows = concepts(**{column: ["x", None, " ", "", "y", "z"]})
    found = check(release(rows))
    (mine,) = [each for each in found if each.verdict != "met"]
    assert (mine.name, mine.verdict, mine.lacking) == (name, "missing", 3)
    assert "3 of 6 images lack" in mine.words
    assert not releasable(found)
    waived = check(release(rows, waivers=[Waiver(name, "B. Owner", "internal use")]))
    assert verdicts(waived)[name] == "waived"
    assert words(waived, name).endswith("waived by B. Owner: internal use")
    assert releasable(waived)


def test_an_unknown_acquisition_counts_as_lacking():
    found = check(release(concepts(acquisition=["Unknown", "crawled", *["generated"] * 4])))
    assert verdicts(found)["acquisition"] == "missing"


@pytest.mark.parametrize(("column", "name"), [("phrase", "phrases"), ("category", "categories")])
def test_an_empty_phrase_or_category_cannot_be_waived(column, name):
    rows = concepts(**{column: ["a", " ", *["a"] * 4]})
    assert verdicts(check(release(rows)))[name] == "missing"
    with pytest.raises(OodexpError, match=r"it cannot be waived"):
        check(release(rows, waivers=[Waiver(name, "B. Owner", "why not")]))


def test_levels_must_lie_within_one_another():
    nested = check(release())
    assert words(nested, "levels") == "each within the one before: L0 6, L1 4, L2 2"
    crossed = release()._replace(levels={"L1": np.arange(6) < 3, "L2": np.arange(6) > 1})
    assert words(check(crossed), "levels") == "3 images are in L2 and not in L1"
    assert verdicts(check(crossed))["levels"] == "missing"
    assert verdicts(check(release()._replace(levels={})))["levels"] == "missing"


def test_near_duplicates_are_counted_or_nobody_looked():
    assert words(check(release()), "near-duplicates") == (
        "8 images in 3 groups, 5 removed, 3 kept (perceptual hash within 6 bits)"
    )
    assert verdicts(check(release(duplicates=None)))["near-duplicates"] == "missing"


def test_what_no_table_shows_has_to_be_declared():
    for name in DECLARED:
        found = check(release(declared={n: t for n, t in ALL.items() if n != name}))
        assert [each.name for each in found if each.verdict == "missing"] == [name]
    found = check(release(declared=ALL | {"privacy": "  "}))
    assert verdicts(found)["privacy"] == "missing"


def test_generated_content_is_only_asked_of_generated_images():
    crawled = concepts(acquisition=["crawled"] * 6)
    said = {n: t for n, t in ALL.items() if n != "generated content"}
    assert verdicts(check(release(crawled, declared=said)))["generated content"] == "met"
    assert verdicts(check(release(declared=said)))["generated content"] == "missing"


def test_a_waiver_without_need_changes_no_verdict():
    found = check(release(waivers=[Waiver("licence", "B. Owner", "to be sure")]))
    assert verdicts(found)["licence"] == "met"
    assert words(found, "licence").endswith("waived by B. Owner without need")


def test_no_image_at_all_is_no_release():
    empty = Release(table.frame(Concept), {"L1": np.zeros(0, bool)}, FOUND, ALL)
    assert verdicts(check(empty))["concepts"] == "missing"


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"waivers": [Waiver("lisence", "B", "w")]}, "waiver of 'lisence': expected one of"),
        ({"waivers": [Waiver("licence", "B", "w")] * 2}, "each once"),
        ({"waivers": [Waiver("licence", " ", "w")]}, "expected who waives it"),
        ({"declared": {"privat": "x"}}, r"declared \['privat'\]"),
        ({"levels": {"L1": np.ones(5, bool)}}, r"'L1': bool of the shape \(5,\), expected bool of"),
        ({"levels": {"L1": np.ones(6)}}, "'L1': float64"),
    ],
)
def test_a_faulty_waiver_statement_or_level_is_refused(changed, told):
    with pytest.raises(OodexpError, match=told):
        check(release()._replace(**changed))
