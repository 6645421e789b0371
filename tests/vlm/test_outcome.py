"""Responses of servers read into statuses: what is said, what is tried again, what ends a run."""

from __future__ import annotations

import json
from email.utils import formatdate

import pytest

from oodexp.vlm.outcome import LONGEST_WAIT, judge

NOW = 1_790_000_000.0


def reply(text="Yes", finish="stop", usage=(100, 2), **message):
    told = {"role": "assistant", "content": text, **message}
    body = {"choices": [{"index": 0, "finish_reason": finish, "message": told}]}
    if usage is not None:
        body["usage"] = dict(zip(("prompt_tokens", "completion_tokens"), usage, strict=True))
    return body


def error(message, **fields):
    return {"error": {"message": message, **fields}}


def read(body, code=200, **headers):
    text = body if isinstance(body, str) else json.dumps(body)
    return judge(code, {k.replace("_", "-"): v for k, v in headers.items()}, text, NOW)


def test_a_text_is_kept_word_for_word_with_its_tokens():
    found = read(reply("  Yes, \n…", usage=(300, 7)))
    assert (found.kind, found.status, found.billed) == ("reply", "ok", True)
    assert found.reply[:6] == ("  Yes, \n…", "ok", None, 7, 300, None)


@pytest.mark.parametrize(
    ("body", "status", "text"),
    [
        (reply("Well, the", "length"), "truncated", "Well, the"),
        (reply(None, "length"), "truncated", None),
        (reply(None, refusal="I cannot help"), "refused", None),
        (reply("", refusal="I cannot help"), "refused", ""),
        (reply(None, "content_filter"), "filtered", None),
        (reply("Yes, th", "content_filter"), "filtered", "Yes, th"),
        (reply(None), "empty", None),
        (reply(" \n"), "empty", " \n"),
        (reply("Yes", refusal=None), "ok", "Yes"),
        (reply([{"type": "text", "text": "Ye"}, {"type": "text", "text": "s"}]), "ok", "Yes"),
        (reply([{"type": "thinking", "thinking": "no"}, {"type": "text", "text": "Yes"}]), "ok",
         "Yes"),
        (reply([]), "empty", ""),
        (reply("Yes", None), "ok", "Yes"),
        (reply(None, reasoning_content="yes", reasoning="yes"), "empty", None),
    ],
)  # fmt: skip
def test_what_a_server_says_is_a_status(body, status, text):
    found = read(body)
    assert found.kind == "reply"
    assert (found.reply.status, found.reply.text, found.status) == (status, text, status)


def test_a_reply_without_usage_has_an_unknown_cost():
    found = read(reply("Yes", usage=None))
    assert found.reply[3:5] == (None, None)
    assert (found.kind, found.billed) == ("reply", None)


@pytest.mark.parametrize(
    "body",
    ["", '{"choices": [{"mess', "<html>", "null", "[]", {}, {"choices": []}, {"choices": None},
     {"choices": [{}]}, {"choices": [{"message": None}]}, {"error": {"message": "overloaded"}},
     reply(5), reply([5]), reply([{"type": "text"}])],
)  # fmt: skip
def test_half_a_body_or_one_of_another_shape_is_tried_again_and_may_have_been_billed(body):
    found = read(body)
    assert (found.kind, found.status, found.billed) == ("retry", "broken reply", None)


@pytest.mark.parametrize(
    ("code", "body"),
    [
        (429, error("no credit", code="insufficient_quota")),
        (429, error("no credit", type="insufficient_quota")),
        (429, error("limit", code="billing_hard_limit_reached")),
        (402, error("pay first")),
        (402, ""),
    ],
)
def test_money_that_is_gone_pauses(code, body):
    assert read(body, code, retry_after="1").kind == "pause"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": "0.25"}, 0.25),
        ({"retry-after": formatdate(NOW + 90, usegmt=True)}, 90.0),
        ({"retry-after": formatdate(NOW - 90, usegmt=True)}, 0.0),
        ({"retry-after-ms": "1500", "retry-after": "2"}, 1.5),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "nan"}, 0.0),
        ({}, None),
    ],
)
def test_a_rate_limit_waits_as_long_as_the_server_says(headers, seconds):
    found = judge(429, headers, json.dumps(error("slow down", code="rate_limit_exceeded")), NOW)
    assert (found.kind, found.seconds, found.billed) == ("wait", seconds, False)


@pytest.mark.parametrize("value", ["86400", "inf", formatdate(NOW + 90_000, usegmt=True)])
def test_a_wait_of_more_than_an_hour_pauses_the_run(value):
    assert read(error("daily limit"), 429, retry_after=value).kind == "pause"
    assert read(error("slow"), 429, retry_after=str(int(LONGEST_WAIT))).kind == "wait"


@pytest.mark.parametrize("code", [408, 409, 425, 500, 502, 503, 504, 529])
def test_a_server_at_fault_is_asked_again(code):
    assert read("<html>", code).kind == "retry"
    assert read("", code, retry_after="3").kind == "wait"


@pytest.mark.parametrize(("code", "billed"), [(500, False), (503, False), (408, None), (504, None)])
def test_a_reply_that_came_too_late_may_have_been_billed(code, billed):
    assert read("", code).billed is billed


@pytest.mark.parametrize(
    ("code", "body"),
    [
        (400, error("blocked", code="content_filter")),
        (400, error("rejected", code="content_policy_violation")),
        (403, error("your input was flagged", code=403)),
        (403, error("requires moderation", code=403)),
    ],
)
def test_a_blocked_question_is_filtered_and_costs_nothing(code, body):
    found = read(body, code)
    assert (found.kind, found.status, found.billed) == ("reply", "filtered", False)
    assert found.reply[:3] == (None, "filtered", None)


@pytest.mark.parametrize(
    ("code", "kind"),
    [(401, "key"), (403, "key"), (404, "stop"), (400, "failed"), (413, "failed"), (422, "failed"),
     (418, "failed")],
)  # fmt: skip
def test_other_refusals_are_not_tried_again(code, kind):
    found = read(error("because", code="invalid"), code)
    assert (found.kind, found.status, found.reason) == (kind, f"http {code}", "because")


@pytest.mark.parametrize("code", [300, 301, 302, 303, 307, 308])
def test_a_redirection_is_told_and_ends_the_run(code):
    found = judge(code, {"location": "http://elsewhere.example/v1"}, "", NOW)
    assert (found.kind, found.status, found.billed) == ("stop", f"http {code}", False)
    assert "redirects to 'http://elsewhere.example/v1'" in found.reason


@pytest.mark.parametrize("code", [200, 400, 429, 500])
@pytest.mark.parametrize("around", ["{}", '{{"choices": {}}}', '{{"error": {}}}'])
def test_lists_within_lists_without_end_are_a_broken_body(code, around):
    found = judge(code, {}, around.format("[" * 100_000), NOW)
    assert found.kind == {200: "retry", 400: "failed", 429: "wait", 500: "retry"}[code]


@pytest.mark.parametrize("tokens", [-1, 10**30, True, 1.5, "2", None, float("inf")])
def test_a_count_of_tokens_that_is_none_leaves_the_cost_unknown(tokens):
    found = read(reply("Yes", usage=(3, tokens)))
    assert (found.kind, found.billed, found.reply.tokens) == ("reply", None, None)
    assert found.reply.prompt_tokens == 3


def test_a_list_around_an_error_is_opened():
    assert read([error("API key not valid", status="INVALID_ARGUMENT")], 400).reason == (
        "API key not valid"
    )


def test_case_g19_tells_quota_from_rate(shared):
    cases = json.loads((shared / "cases/g19-quota-vs-rate/responses.json").read_text())
    kinds = {}
    for case in cases:
        headers = {k.lower(): v for k, v in case["headers"].items()}
        if "<" in headers.get("retry-after", ""):
            headers["retry-after"] = formatdate(NOW + 2, usegmt=True)
        kinds[case["case"]] = judge(case["status"], headers, json.dumps(case["body"]), NOW)
    assert kinds["quota"].kind == "pause"
    assert (kinds["rate"].kind, kinds["rate"].seconds) == ("wait", 2)
    assert kinds["rate-date"].kind == "wait"
    assert 1 <= kinds["rate-date"].seconds <= 2


def test_case_g20_null_content_is_truncated_and_billed(shared):
    case = shared / "cases/g20-null-content"
    expected = json.loads((case / "expected.json").read_text())
    found = read((case / "response.json").read_text())
    assert (found.reply.status, found.reply.text) == (expected["status"], expected["parsed"])
    assert found.reply.tokens + found.reply.prompt_tokens == expected["billed_tokens"]
