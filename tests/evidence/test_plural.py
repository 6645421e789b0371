"""OODBench, appendix C.1.2: a category in the plural is a mention, too."""

from __future__ import annotations

import pytest

from oodexp.evidence.plural import plurals


@pytest.mark.parametrize(
    ("name", "forms"),
    [
        ("dog", ("dogs",)),
        ("wine glass", ("wine glasses",)),
        ("bus", ("buses",)),
        ("bench", ("benches",)),
        ("toothbrush", ("toothbrushes",)),
        ("fox", ("foxes",)),
        ("puppy", ("puppies",)),
        ("key", ("keys",)),
        ("potato", ("potatos", "potatoes")),
        ("policewoman", ("policewomen",)),
        ("human", ("humans",)),
        ("Person", ("people", "persons")),
        ("computer mouse", ("computer mice", "computer mouses")),
        ("butter-knife", ("butter-knives",)),
        ("catcher's mitt", ("catcher's mitts",)),
        ("route 66", ()),
        ("", ()),
    ],
)
def test_plurals_are_spelt_as_people_do(name, forms):
    assert plurals(name) == forms
