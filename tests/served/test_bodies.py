"""Bodies that no client should meet: each question ends with a status, and no key goes astray."""

from __future__ import annotations

import json

import pytest

from oodexp.error import OodexpError
from oodexp.vlm import session
from tests.served.stub import KEY, Said, completion, serving

ODD = {
    "no JSON": Said(200, "<html>", {"Content-Type": "text/html"}),
    "deep": Said(200, "[" * 100_000),
    "cut": Said(200, '{"choices": [{"message": {"content": "Ye'),
    "wrong types": Said(200, '{"choices": {"0": 1}, "usage": []}'),
}


@pytest.mark.parametrize("name", ODD)
def test_a_body_that_is_no_reply_is_asked_again_and_then_recorded_as_failed(ask, name):
    with serving(lambda *_: ODD[name]) as stub:
        rows = ask(stub, 1, retries=2).completions
    assert rows["status"].tolist() == ["error"]
    assert rows["reason"].str.startswith("broken reply").all()
    assert list(stub.asked.values()) == [3]


@pytest.mark.parametrize("charset", ["hex", "utf-7", "utf-16", "nothing", "rot13", "idna"])
def test_a_wrong_character_set_changes_nothing(ask, charset):
    told = json.dumps(completion("Oui, un éléphant 🐘").body, ensure_ascii=False)
    headers = {"Content-Type": f"application/json; charset={charset}"}
    with serving(lambda *_: Said(200, told, headers)) as stub:
        assert ask(stub).completions["completion"].tolist() == ["Oui, un éléphant 🐘"]


def test_half_of_a_surrogate_pair_in_a_reply_is_kept_as_a_mark(ask):
    with serving(lambda *_: completion("Yes \ud83d")) as stub:
        rows = ask(stub).completions
    assert (rows["completion"].tolist(), rows["status"].tolist()) == (["Yes ?"], ["ok"])


def test_a_body_without_end_is_cut_off(ask, monkeypatch):
    monkeypatch.setattr(session, "LONGEST_REPLY", 1 << 16)
    with serving(lambda *_: completion("y" * (1 << 20))) as stub:
        rows = ask(stub, 1, retries=0, timeout=5.0).completions
    assert rows["reason"].str.startswith("broken reply").all()


def test_a_redirection_is_not_followed_and_the_key_goes_nowhere_else(ask):
    with serving(lambda *_: completion()) as other:
        moved = Said(307, "", {"Location": f"{other.url}/chat/completions?k={KEY}"})
        with (
            serving(lambda *_: moved) as stub,
            pytest.raises(
                OodexpError, match=r"http 307: it redirects to .*; check `model`"
            ) as told,
        ):
            ask(stub, 4)
    assert not other.asked
    assert KEY not in str(told.value)
