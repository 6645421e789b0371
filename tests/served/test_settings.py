"""What a user may set, what is sent for it, and what stands in no record."""

from __future__ import annotations

import json
import random

import pytest

from oodexp.error import OodexpError, Paused
from oodexp.vlm.base import Estimated, Remote
from oodexp.vlm.openai_api import OpenAIApi
from tests.served.stub import Said, completion, error, serving

URL = "http://127.0.0.1:9/v1"


def body_of(ask, **settings):
    with serving(lambda *_: completion()) as stub:
        ask(stub, 1, **settings)
    return stub.bodies[0]


def test_a_served_vlm_is_what_the_loop_and_the_estimate_take_it_for():
    vlm = OpenAIApi("m", URL, price={"prompt": 1.0, "completion": 2.0}, image_tokens=7)
    assert isinstance(vlm, Remote)
    assert isinstance(vlm, Estimated)
    assert (vlm.tariff().max_tokens, vlm.tariff().image_tokens) == (256, 7)
    assert (vlm.tariff().prompt_price, vlm.tariff().completion_price) == (1.0, 2.0)


def test_only_what_is_set_is_sent(ask):
    body = body_of(ask, max_tokens=None)
    assert set(body) == {"model", "messages"}
    assert [m["role"] for m in body["messages"]] == ["user"]


def test_everything_that_is_set_is_sent(ask):
    body = body_of(
        ask, max_tokens=9, max_tokens_field="max_completion_tokens", temperature=0.5, top_p=0.9,
        seed=3, system="Be brief.", detail="low", extra={"top_k": 1},
    )  # fmt: skip
    sent = {k: v for k, v in body.items() if k not in ("messages", "model")}
    assert sent == {
        "max_completion_tokens": 9, "temperature": 0.5, "top_p": 0.9, "seed": 3, "top_k": 1,
    }  # fmt: skip
    assert body["messages"][1]["content"][0]["image_url"]["detail"] == "low"


@pytest.mark.parametrize(
    "change",
    [{"model": "n"}, {"base_url": "http://other/v1"}, {"temperature": 0.0}, {"top_p": 0.5},
     {"seed": 1}, {"system": "S"}, {"detail": "low"}, {"extra": {"top_k": 1}}, {"max_tokens": 9}],
    ids=lambda change: next(iter(change)),
)  # fmt: skip
def test_what_can_change_a_completion_is_in_the_fingerprint(change):
    plain = {"model": "m", "base_url": URL}
    assert OpenAIApi(**plain).fingerprint() != OpenAIApi(**(plain | change)).fingerprint()


def test_how_fast_and_at_what_price_is_not_in_the_fingerprint():
    hurried = OpenAIApi(
        "m", URL, concurrency=3, timeout=5, retries=1, requests_per_minute=9,
        price={"prompt": 1.0, "completion": 1.0}, headers={"X": "y"}, jitter=4,
    )  # fmt: skip
    assert hurried.fingerprint() == OpenAIApi("m", f"{URL}/").fingerprint()


def test_the_account_is_the_same_for_every_decoding():
    warm = OpenAIApi("m", URL, temperature=1.0, max_tokens=9)
    assert warm.payee() == OpenAIApi("m", URL).payee()
    assert warm.payee() != OpenAIApi("n", URL).payee()


def test_a_header_may_come_from_the_environment_and_stands_in_no_record(ask, monkeypatch, tmp_path):
    monkeypatch.setenv("GATEWAY", "gateway-secret-0123")

    def echo(*_):
        return error(400, message="who is gateway-secret-0123?")

    with serving(echo) as stub:
        done = ask(stub, 1, headers={"X-Gateway": "$GATEWAY"})
    assert done.completions["reason"].tolist() == ["http 400: who is [key]?"]
    told = [f.read_bytes() for f in tmp_path.rglob("*") if f.is_file()]
    assert not any(b"gateway-secret" in text for text in told)
    monkeypatch.delenv("GATEWAY")
    with pytest.raises(OodexpError, match="GATEWAY is not set; put the header X-Gateway"):
        OpenAIApi("m", URL, headers={"X-Gateway": "$GATEWAY"}).fingerprint()


@pytest.mark.parametrize("key", ["two\nlines-of-secret", "sécret-secret"])
def test_a_key_that_no_header_may_hold_is_not_told(monkeypatch, key):
    monkeypatch.setenv("STUB_KEY", key)
    with pytest.raises(OodexpError, match="STUB_KEY holds a letter") as caught:
        OpenAIApi("m", URL, "STUB_KEY").fingerprint()
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"base_url": "127.0.0.1/v1"}, "expected http"),
        ({"base_url": "http://h:99999/v1"}, "no address"),
        ({"base_url": "https://user:hidden@h/v1"}, "of the host h, holds a password or key"),
        ({"base_url": "https://h/v1?api_key=hidden"}, "of the host h, holds a password or key"),
        (
            {"base_url": "https://h/sk-hidden0123456789/v1"},
            "of the host h, holds a password or key",
        ),
        ({"headers": {"X-Api-Key": "hidden"}}, r"headers=\{X-Api-Key: \$NAME\}"),
        ({"headers": {"Authorization": "Bearer hidden"}}, "the header Authorization holds"),
        ({"headers": {"X-Team": "Bearer hidden"}}, "the header X-Team holds"),
        ({"headers": {"Cookie": "session=hidden"}}, "the header Cookie holds"),
        ({"extra": {"metadata": [{"a": "sk-hidden0123456789"}]}}, "extra holds a key"),
        ({"key_variable": "sk-hidden0123456789"}, "must name the variable"),
        ({"key_variable": "hf_hidden0123456789"}, "must name the variable"),
        ({"concurrency": 0}, "concurrency >= 1"),
        ({"timeout": 0}, "timeout > 0"),
        ({"max_tokens_field": "tokens"}, "max_completion_tokens"),
        ({"price": {"prompt": 1.0}}, "prompt and completion"),
        ({"budget": 1.0}, "price, max_tokens and image_tokens"),
    ],
)
def test_a_wrong_setting_is_named(settings, words):
    with pytest.raises(OodexpError, match=words) as caught:
        OpenAIApi(**({"model": "m", "base_url": URL} | settings))
    assert "hidden" not in str(caught.value)


def test_the_query_of_an_address_goes_with_each_request(ask):
    with serving(lambda *_: completion()) as stub:
        stub.url += "/?api-version=2024-10-21"
        done = ask(stub, 2)
    assert set(done.completions["status"]) == {"ok"}
    assert set(stub.paths) == {"/v1/chat/completions?api-version=2024-10-21"}


@pytest.mark.parametrize("seed", range(3))
def test_no_budget_is_passed_whatever_is_billed_and_not_told(ask, seed):
    """The server bills replies that never arrive whole, as much as they can have cost."""
    rng, billed, budget = random.Random(seed), [], 0.05
    price = {"prompt": 2.0, "completion": 8.0}

    def script(body, _):
        words = body["messages"][-1]["content"][1]["text"]
        most = 500 + len(words.encode()), 16
        used = rng.randint(100, most[0]), rng.randint(1, most[1])
        half = rng.random() < 0.2
        counted = most if half else used
        billed.append((counted[0] * price["prompt"] + counted[1] * price["completion"]) / 1e6)
        if half:
            return Said(200, json.dumps(completion().body)[:40])
        return completion(prompt=used[0], new=used[1])

    settings = {"price": price, "image_tokens": 500, "max_tokens": 16, "budget": budget}
    with serving(script) as stub:
        for _ in range(2):  # another run begins with what the first one spent
            with pytest.raises(Paused, match=r"budget of 0\.05"):
                ask(stub, 200, **settings)
    assert 0.7 * budget < sum(billed) <= budget
    assert max(stub.answered.values()) == 1
