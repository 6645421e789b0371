"""What a server may say, and what becomes of the question."""

from __future__ import annotations

import base64
import json
import random
import time
from collections import Counter

import pytest

from oodexp.error import OodexpError, Paused
from oodexp.pixel import decode
from oodexp.vlm.openai_api import OpenAIApi
from tests.served.stub import KEY, Said, completion, error, later, question, serving

PRICE = {"prompt": 2.0, "completion": 8.0}


def one(ask, script, **settings):
    """The completion row of one question, the server, and the run's requests."""
    with serving(script) as stub:
        done = ask(stub, 1, **settings)
    return done.completions.iloc[0], stub, done.requests


@pytest.mark.parametrize(
    ("said", "status", "text"),
    [
        (completion(" Yes, one.\n"), "ok", " Yes, one.\n"),
        (completion("Yes, I th", finish="length"), "truncated", "Yes, I th"),
        (completion(None, finish="content_filter"), "filtered", None),
        (completion(None, refusal="I will not."), "refused", None),
        (completion(None), "empty", None),
        (completion(""), "empty", ""),
        (completion([{"type": "text", "text": "Y"}, {"type": "text", "text": "es"}]), "ok", "Yes"),
        (error(400, "content_policy_violation"), "filtered", None),
    ],
)
def test_a_reply_has_its_text_and_its_status(ask, said, status, text):
    row, stub, requests = one(ask, lambda *_: said)
    assert row["status"] == status
    assert (None if row["completion"] is None or row["completion"] != row["completion"]
            else row["completion"]) == text  # fmt: skip
    assert stub.asked.total() == 1
    assert requests["status"].tolist() == [status]


def test_an_answer_is_not_taken_from_the_reasoning(ask, shared):
    case = shared / "cases/g20-null-content"
    body = json.loads((case / "response.json").read_text())
    expected = json.loads((case / "expected.json").read_text())
    row, _, requests = one(ask, lambda *_: Said(200, body))
    assert row["status"] == expected["status"]
    assert row.isna()["completion"]
    billed = requests[["prompt_tokens", "completion_tokens"]].sum().sum()
    assert billed == expected["billed_tokens"]


@pytest.mark.parametrize(
    "broken",
    [
        error(500), error(502), error(503), error(408), error(409),
        Said(200, '{"choices": [{"mess'), Said(200, {"choices": [], "usage": {}}),
        Said(act="close"), Said(act="hang"), error(429, "rate_limit_exceeded"),
    ],
    ids=["500", "502", "503", "408", "409", "half", "shape", "closed", "hang", "429"],
)  # fmt: skip
def test_what_is_the_servers_fault_is_tried_again(ask, broken):
    row, stub, requests = one(ask, lambda _, turn: broken if turn < 3 else completion())
    assert (row["status"], row["completion"]) == ("ok", "Yes")
    assert stub.asked.total() == 3
    assert requests["attempt"].tolist() == [1, 2, 3]


def test_a_question_that_always_fails_is_a_row_and_is_asked_by_the_next_run(ask):
    with serving(lambda *_: error(503, message="overloaded")) as stub:
        row = ask(stub, 1, retries=2).completions.iloc[0]
        assert row["status"] == "error"
        assert row["reason"] == "http 503: overloaded (3 attempts)"
        stub.script = lambda *_: completion()
        assert ask(stub, 1).completions.iloc[0]["status"] == "ok"
        assert ask(stub, 1).asked_questions == 0


def test_a_request_that_is_refused_is_not_sent_again(ask):
    with serving(lambda body, _: error(400, message="too large") if "No. 3" in str(body)
                 else completion()) as stub:  # fmt: skip
        done = ask(stub, 6).completions.set_index("question_id")
    assert done.loc["q3", "reason"] == "http 400: too large"
    assert (done["status"] == "ok").sum() == 5
    assert stub.asked.total() == 6


def test_settings_that_no_request_survives_end_the_run(ask):
    with (
        serving(lambda *_: error(400, message="unknown field")) as stub,
        pytest.raises(OodexpError, match=r"8 requests were all refused.*unknown field"),
    ):
        ask(stub, 40, concurrency=1)
    assert stub.asked.total() == 8


@pytest.mark.parametrize(
    ("headers", "least"), [(lambda: {"Retry-After": "1"}, 1.0), (lambda: later(2.0), 0.9)]
)
def test_a_server_says_how_long_to_wait(ask, headers, least):
    def script(_, turn):
        wait = error(429, "rate_limit_exceeded", headers=headers())
        return wait if turn == 1 else completion()

    _, stub, _ = one(ask, script)
    assert stub.asked.total() == 2
    assert stub.times[1] - stub.times[0] >= least


def test_a_server_that_only_asks_to_wait_uses_up_no_retries(ask):
    wait = error(429, "rate_limit_exceeded", headers={"Retry-After": "0.01"})
    row, stub, _ = one(ask, lambda _, turn: wait if turn <= 5 else completion(), retries=0)
    assert (row["status"], stub.asked.total()) == ("ok", 6)


def test_a_wait_is_everybodys(ask):
    wait = error(429, "rate_limit_exceeded", headers={"Retry-After": "1"})
    served: list[int] = []

    def script(_, __):
        served.append(1)
        return wait if len(served) == 1 else completion()

    with serving(script) as stub:
        ask(stub, 30, concurrency=2)
    late = [t for t in stub.times if stub.times[0] + 0.2 < t < stub.times[0] + 0.95]
    assert not late


def test_an_exhausted_quota_pauses_the_run_after_one_request(ask, shared):
    responses = json.loads((shared / "cases/g19-quota-vs-rate/responses.json").read_text())
    quota = next(r for r in responses if r["case"] == "quota")
    with (
        serving(lambda *_: Said(quota["status"], quota["body"], quota["headers"])) as stub,
        pytest.raises(Paused, match="quota"),
    ):
        ask(stub, 1)
    assert stub.asked.total() == 1


def test_what_is_in_flight_when_the_quota_ends_is_kept_and_never_asked_again(ask):
    def script(body, _):
        if "No. 20?" in str(body):
            return error(429, "insufficient_quota")
        time.sleep(0.02)
        return completion()

    with serving(script) as stub:
        with pytest.raises(Paused, match="same command"):
            ask(stub, 60)
        before = Counter(stub.answered)
        stub.script = lambda *_: completion()
        assert (ask(stub, 60).completions["status"] == "ok").all()
    assert len(stub.answered) == 60
    assert all(stub.answered[name] == 1 for name in before)


@pytest.mark.parametrize(("code", "words"), [(401, "key in STUB_KEY"), (403, "STUB_KEY")])
def test_a_key_that_is_refused_is_named_by_its_variable(ask, code, words):
    said = error(code, "invalid_api_key", f"Incorrect API key provided: {KEY}")
    with serving(lambda *_: said) as stub, pytest.raises(OodexpError, match=words) as caught:
        ask(stub, 1)
    assert KEY not in str(caught.value)


def test_an_unknown_model_ends_the_run(ask):
    said = error(404, "model_not_found", "no such model")
    with serving(lambda *_: said) as stub, pytest.raises(OodexpError, match="no such model"):
        ask(stub, 1)


def test_a_key_that_a_server_echoes_is_kept_nowhere(ask, tmp_path):
    said = error(400, "bad", f"request with Bearer {KEY} and {KEY[:6]}***{KEY[-4:]} failed")
    row, _, _ = one(ask, lambda *_: said)
    assert "[key]" in row["reason"]
    texts = [f.read_bytes() for f in tmp_path.rglob("*") if f.is_file()]
    assert texts
    assert not any(KEY.encode() in text for text in texts)


def test_the_variable_of_the_key_must_be_set_before_anything_is_asked(monkeypatch):
    monkeypatch.delenv("STUB_KEY")
    with pytest.raises(OodexpError, match="STUB_KEY is not set"):
        OpenAIApi("m", "http://127.0.0.1:1/v1", "STUB_KEY").fingerprint()


def test_an_address_that_holds_a_password_is_refused_without_repeating_it():
    for url in ("https://user:secret@host:8000/v1", "https://host:8000/v1?key=secret"):
        with pytest.raises(OodexpError, match="of the host host, holds") as caught:
            OpenAIApi("m", url)
        assert "secret" not in str(caught.value)


def test_a_fingerprint_holds_no_header():
    told = json.dumps(OpenAIApi("m", "https://host:8000/v1", headers={"X": "secret"}).fingerprint())
    assert "secret" not in told
    assert "https://host:8000/v1" in told


def test_the_file_is_sent_as_it_is_with_the_question_after_it(ask, world):
    _, stub, _ = one(ask, lambda *_: completion(), system="Be brief.", temperature=0.0)
    (body,) = stub.bodies
    image, text = body["messages"][-1]["content"]
    kind, _, data = image["image_url"]["url"].partition(";base64,")
    assert kind == "data:image/png"
    assert base64.b64decode(data) == world.read("0")
    assert text == {"type": "text", "text": "No. 0?"}
    assert body["messages"][0] == {"role": "system", "content": "Be brief."}
    assert (body["temperature"], body["max_tokens"], body["model"]) == (0.0, 256, "stub-model")
    assert "top_p" not in body


def test_one_in_five_requests_may_fail_and_every_question_ends_once(ask):
    rng = random.Random(4)
    faults = [
        error(429, "rate_limit_exceeded"), error(429, "x", headers={"Retry-After": "0.02"}),
        error(429, "x", headers=later(0)), error(500), error(503), Said(act="close"),
        Said(act="hang"), Said(200, '{"choi'),
    ]  # fmt: skip
    ends = [completion(None), completion(None, finish="content_filter"),
            completion(None, refusal="no"), completion("Yes", finish="length")]  # fmt: skip

    def script(_, turn):
        if rng.random() < 0.2:
            return rng.choice(faults if rng.random() < 0.6 else ends)
        return completion()

    with serving(script) as stub:
        done = ask(stub, 2000, concurrency=32, timeout=2.0)
    rows = done.completions
    assert len(rows) == rows["question_id"].nunique() == 2000
    assert set(rows["status"]) <= {"ok", "empty", "filtered", "refused", "truncated", "error"}
    assert (rows["status"] == "error").sum() <= 2  # eight faults in a row
    assert len(stub.answered) >= 1998
    assert max(stub.answered.values()) == 1
    assert len(done.requests) >= stub.asked.total() - 1


def test_a_budget_is_never_passed_and_a_larger_one_goes_on(ask):
    settings = {"price": PRICE, "image_tokens": 1000, "max_tokens": 16, "concurrency": 4}
    each = (1000 * PRICE["prompt"] + 16 * PRICE["completion"]) / 1e6
    with serving(lambda *_: completion(prompt=1000, new=16)) as stub:
        with pytest.raises(Paused, match="budget"):
            ask(stub, 40, budget=10.5 * each, **settings)
        spent = len(stub.answered) * each
        assert 8 * each <= spent <= 10.5 * each
        done = ask(stub, 40, budget=41 * each, **settings)
        assert (done.completions["status"] == "ok").all()
    assert max(stub.answered.values()) == 1


def test_a_budget_without_a_price_is_refused():
    with pytest.raises(OodexpError, match="price, max_tokens and image_tokens"):
        OpenAIApi("m", "http://h/v1", budget=1.0)


def test_what_was_billed_and_what_nobody_knows_are_told_apart(ask, shared):
    case = shared / "cases/g22-billed-then-crash"
    expected = json.loads((case / "expected.json").read_text())
    usage = [json.loads(line) for line in (case / "usage.jsonl").read_text().splitlines()]

    def script(body, turn):
        n = f"q{int(question(body).rpartition('No. ')[2][:-1]) + 1}"
        row = next(r for r in usage if (r["id"], r["attempt"]) == (n, turn))
        if row["prompt_tokens"] is None:
            return Said(act="hang")
        return completion(prompt=row["prompt_tokens"], new=row["completion_tokens"])

    with serving(script) as stub:
        done = ask(stub, 3, price=expected["price_per_million"])
        assert done.requests["cost"].sum() == pytest.approx(expected["known_cost"])
        assert done.requests["cost"].isna().sum() == expected["unknown_cost_requests"]
        again = ask(stub, 3, price=expected["price_per_million"])
        assert (again.asked_questions, len(again.requests)) == (0, 0)
        assert len(again.completions) == expected["answers"]
        assert stub.asked.total() == len(usage)


def test_media_types_are_those_of_the_bytes(shared):
    from oodexp.vlm.media import data_uri

    folder = shared / "cases/g11-wrong-extension"
    for file, kind in (("photo.jpg", "image/png"), ("photo.png", "image/webp")):
        path = next(folder.rglob(file))
        uri = data_uri(path.read_bytes())
        assert uri.startswith(f"data:{kind};base64,")
        assert base64.b64decode(uri.partition(",")[2]) == path.read_bytes()


def test_a_turned_photograph_is_sent_as_others_see_it(shared):
    from oodexp.vlm.media import data_uri

    path = next((shared / "cases/g09-exif").rglob("*.jp*g"))
    uri = data_uri(path.read_bytes())
    assert uri.startswith("data:image/png;")
    sent = decode(base64.b64decode(uri.partition(",")[2]))
    assert sent.tobytes() == decode(path.read_bytes()).tobytes()
