"""Which requests are refused: those of foreign pages, foreign names, without the token."""

from __future__ import annotations

import pytest

from oodexp.review.guard import HEADERS, MOST_BYTES, TOKEN, refusal

OWN = {
    "host": "127.0.0.1:8123", "origin": "http://127.0.0.1:8123", "sec-fetch-site": "same-origin",
    TOKEN: "right", "content-type": "application/json", "content-length": "20",
}  # fmt: skip


def status(method: str = "POST", path: str = "/api/verdict", **changed: str | None) -> int | None:
    headers = OWN | {name.replace("_", "-"): value for name, value in changed.items()}
    given = {name: value for name, value in headers.items() if value is not None}
    refused = refusal(method, path, given, "right")
    return refused.status if refused else None


def test_the_own_page_is_answered() -> None:
    assert status() is None
    assert status("GET", origin=None, content_type=None, content_length=None) is None
    assert status(content_type="application/json; charset=utf-8") is None


@pytest.mark.parametrize("host", ["localhost:8123", "[::1]:8123", "127.0.0.1", "LOCALHOST:1"])
def test_names_of_this_machine_are_answered_under_any_port(host: str) -> None:
    assert status(host=host, origin=f"http://{host}") is None  # as through a tunnel


@pytest.mark.parametrize(
    "host",
    ["evil.example:8123", "127.0.0.1.evil.example", "127.0.0.1:8123@evil.example", "", None,
     "localhost.evil.example:80", "127.0.0.2:8123", "127.0.0.1:", "127.0.0.1:123456"],
)  # fmt: skip
def test_other_names_are_refused_as_dns_rebinding_uses_them(host: str | None) -> None:
    origin = f"http://{host}"
    assert status(host=host, origin=origin) == 403
    assert status("GET", "/", host=host, origin=None) == 403


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "http://127.0.0.1:9999", "https://127.0.0.1:8123", "", None],
)
def test_verdicts_of_foreign_pages_are_refused(origin: str | None) -> None:
    assert status(origin=origin) == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site", "none"])
def test_what_the_browser_calls_foreign_is_refused(site: str) -> None:
    assert status(sec_fetch_site=site) == 403
    assert status("GET", sec_fetch_site=site, origin=None) == 403
    assert (
        status("GET", "/", sec_fetch_site=site, origin=None) is None
    )  # the bare page is no secret


@pytest.mark.parametrize("token", ["wrong", "", None, "right ", "ünicode"])
def test_without_the_token_nothing_is_told_or_taken(token: str | None) -> None:
    assert status(**{TOKEN: token}) == 401
    assert status("GET", "/api/sample", **{TOKEN: token}) == 401
    assert status("GET", "/api/image/0", **{TOKEN: token}) == 401


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", None]
)
def test_what_a_plain_form_can_send_is_refused(kind: str | None) -> None:
    assert status(content_type=kind) == 415


def test_bodies_have_a_known_and_small_size() -> None:
    assert status(content_length=None) == 411
    assert status(content_length="²") == 411
    assert status(content_length=str(MOST_BYTES + 1)) == 413


def test_the_page_itself_takes_nothing() -> None:
    assert status("POST", "/") == 405


def test_the_policy_lets_nothing_in_from_elsewhere() -> None:
    policy = HEADERS["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
