"""Templates and the refusal of prompts that a model cannot tell apart."""

from __future__ import annotations

import pytest

from oodexp.error import OodexpError
from oodexp.scorer.prompt import check_templates, fill, refuse_lost


def test_a_category_is_inserted_verbatim() -> None:
    assert fill("a photo of a {}", ["Pushable/Pullable Object", "{odd} {}"]) == [
        "a photo of a Pushable/Pullable Object",
        "a photo of a {odd} {}",
    ]


@pytest.mark.parametrize("templates", [[], ["a photo"], ["{} and {}"], "a {}"])
def test_templates_without_one_blank_are_refused(templates: list[str]) -> None:
    with pytest.raises(OodexpError, match="templates"):
        check_templates(templates)


def test_distinct_texts_that_fit_are_accepted() -> None:
    refuse_lost(["a", "b"], [(1,), (2,)], [False, False], 77)


def test_equal_and_cut_texts_are_named_together() -> None:
    with pytest.raises(OodexpError) as caught:
        refuse_lost(["a", "b", "c"], [(1,), (1,), (2,)], [False, False, True], 8)
    assert "8 tokens and would be cut: ['c']" in str(caught.value)
    assert "[['a', 'b']]" in str(caught.value)
