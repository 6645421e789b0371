"""Scripted replies."""

from __future__ import annotations

import json

import pytest
from omegaconf import OmegaConf
from PIL import Image

from oodexp.error import OodexpError
from oodexp.vlm.base import Reply
from oodexp.vlm.scripted import Scripted

IMAGE = Image.new("RGB", (4, 4))


def test_one_text_answers_every_prompt() -> None:
    replies = Scripted("Yes").complete([IMAGE, IMAGE], ["a?", "b?"])
    assert replies == [Reply("Yes", "ok", None, None)] * 2


def test_the_first_rule_that_fits_answers() -> None:
    vlm = Scripted({"not contain": "No", "contain": "Yes"})
    replies = vlm.complete([IMAGE] * 2, ["Does it contain x?", "Does it not contain x?"])
    assert [r.text for r in replies] == ["Yes", "No"]


def test_a_prompt_without_a_rule_is_an_error() -> None:
    (reply,) = Scripted({"dog": "Yes"}).complete([IMAGE], ["cat?"])
    assert (reply.text, reply.status) == (None, "error")


def test_null_is_no_text() -> None:
    (reply,) = Scripted({".": None}).complete([IMAGE], ["cat?"])
    assert (reply.text, reply.status, bool(reply.reason)) == (None, "error", True)


def test_a_reply_may_be_given_field_by_field() -> None:
    rules = OmegaConf.create({"cat": {"text": "It is", "status": "truncated", "tokens": 2}})
    assert Scripted(rules).complete([IMAGE], ["cat?"]) == [Reply("It is", "truncated", None, 2)]


@pytest.mark.parametrize("rules", [{"(": "Yes"}, {"a": {"txt": "Yes"}}])
def test_a_wrong_script_is_refused(rules: dict[str, object]) -> None:
    with pytest.raises(OodexpError, match="scripted replies"):
        Scripted(rules)


def test_the_script_is_the_fingerprint() -> None:
    yes, no = (json.dumps(Scripted(text).fingerprint()) for text in ("Yes", "No"))
    assert yes != no
