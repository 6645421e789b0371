"""The server through its front door: what raters see, what is kept, who is refused."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from PIL import Image

from oodexp.review.guard import HEADERS
from oodexp.review.journal import Journal
from oodexp.review.sample import PAIR
from oodexp.review.server import application
from oodexp.review.session import Session
from oodexp.review.standing import standing
from tests.review.conftest import ODD

TOKEN = "a-token-of-the-test"
BASE = "http://127.0.0.1:8123"
OWN = {"X-Oodexp-Token": TOKEN, "Origin": BASE}


class Page:
    """What the page does, without a browser."""

    def __init__(self, session: Session, **headers: str) -> None:
        self.stopped: list[bool] = []
        app = application(session, TOKEN, lambda: self.stopped.append(True))
        self.client = TestClient(app, base_url=BASE, headers={**OWN, **headers})
        self.sent = 0

    def get(self, path: str) -> Any:
        found = self.client.get(f"/api/{path}")
        assert found.status_code == 200, found.text
        return found.json()

    def post(self, path: str, **body: Any) -> Any:
        self.sent += 1
        body = {"id": f"request-{self.sent:04}", "rater": "ann"} | body
        return self.client.post(f"/api/{path}", json=body)

    def judge(self, pair: int, verdict: str = "yes", rater: str = "ann", **more: Any) -> Any:
        said = {"verdict": verdict, "reason": None, "note": None, "seconds": 1.5} | more
        answer = self.post("verdict", rater=rater, pair=pair, **said)
        assert answer.status_code == 200, answer.text
        return answer.json()


@pytest.fixture
def page(session: Session) -> Page:
    return Page(session)


def held(journal: Journal) -> dict[tuple[str, str, str, str], str]:
    rows = standing(journal.lines).rows
    return {(r["rater"], *(r[name] for name in PAIR)): r["verdict"] for r in rows}


def test_a_rater_sees_pairs_and_nothing_of_splits_scores_or_strata(page: Page, sample) -> None:
    shown = page.get("sample?rater=ann")
    assert set(shown) == {"order", "pairs", "verdicts"}
    assert {name for pair in shown["pairs"] for name in pair} == set(PAIR)
    assert sorted(shown["order"]) == list(range(len(sample.rows)))
    text = json.dumps(shown)
    assert not any(split in text for split in ("ID", "OOD", "stratum", "population", "planted"))
    assert shown["order"] != page.get("sample?rater=ben")["order"]


def test_a_verdict_is_on_the_disk_before_it_is_answered(page: Page, journal: Journal) -> None:
    page.judge(2, "no", reason="wrong label", note="a leaf", seconds=2.25)
    (line,) = [json.loads(text) for text in journal.path.read_text().splitlines()]
    source, image_id, category = (page.get("sample?rater=ann")["pairs"][2][n] for n in PAIR)
    expected = {
        "kind": "verdict", "rater": "ann", "source": source, "image_id": image_id,
        "category": category, "verdict": "no", "reason": "wrong label", "note": "a leaf",
        "seconds": 2.25, "rule": "1",
    }  # fmt: skip
    assert expected.items() <= line.items()
    assert len(line["sample"]) == 64
    assert line["at"].endswith("+00:00")


def test_a_request_sent_again_counts_once(page: Page, journal: Journal) -> None:
    page.judge(1, id="the-same-one")
    page.judge(1, id="the-same-one")
    assert len(journal.lines) == 1
    page.post("undo", id="undo-again")
    page.judge(3)
    page.post("undo", id="undo-again")
    assert [r["pair"] for r in [page.post("undo").json()]] == [3]


def test_undo_takes_back_one_verdict_and_leads_to_its_pair(page: Page, journal: Journal) -> None:
    page.judge(1)
    page.judge(2, "no")
    answer = page.post("undo").json()
    assert (answer["pair"], list(answer["verdicts"])) == (2, ["1"])
    assert page.post("undo").json()["pair"] == 1
    assert page.post("undo").json()["pair"] is None
    assert [line["kind"] for line in journal.lines] == ["verdict", "verdict", "undo", "undo"]


def test_two_tabs_of_a_rater_lose_and_double_nothing(session: Session, journal: Journal) -> None:
    one, other = Page(session), Page(session)
    other.sent = 1000
    for pair in range(0, 6, 2):
        one.judge(pair)
        other.judge(pair + 1, "no")
    other.judge(0, "unsure")  # the last line wins
    found = held(journal)
    assert len(found) == 6
    assert sorted(found.values()) == ["no", "no", "no", "unsure", "yes", "yes"]
    assert one.get("sample?rater=ann")["verdicts"] == other.get("sample?rater=ann")["verdicts"]


def test_raters_keep_their_own_verdicts(page: Page, journal: Journal) -> None:
    page.judge(0, "yes", "ann")
    page.judge(0, "no", "ben")
    assert page.get("sample?rater=ann")["verdicts"]["0"]["verdict"] == "yes"
    assert page.get("sample?rater=ben")["verdicts"]["0"]["verdict"] == "no"
    assert page.get("raters")["done"] == {"ann": 1, "ben": 1}
    assert page.post("undo", rater="cid").json()["pair"] is None
    assert len(held(journal)) == 2


def test_a_restart_goes_on_where_each_rater_was(
    division, sample, tmp_path: Path, session: Session, journal: Journal
) -> None:
    Page(session).judge(4, "unsure")
    journal.close()
    with journal.path.open("ab") as file:
        file.write(b'{"kind": "verdict", "rater": "ann", "sour')  # a kill
    with Journal(journal.path, sample.digest) as again:
        page = Page(Session(sample, again, division.read, lambda *_: None, {}))
        page.sent = 50
        shown = page.get("sample?rater=ann")
        assert shown["verdicts"]["4"]["verdict"] == "unsure"
        page.judge(5)
        assert len(held(again)) == 2
    with Journal(journal.path, sample.digest) as third:
        assert len(held(third)) == 2


def test_names_that_were_fixed_are_the_only_ones(division, sample, journal: Journal) -> None:
    session = Session(sample, journal, division.read, lambda *_: None, {}, ["ann", "ben"])
    page = Page(session)
    assert page.get("raters") == {"only": True, "done": {"ann": 0, "ben": 0}, "n": len(session)}
    said = {"pair": 0, "verdict": "yes", "reason": None, "note": None, "seconds": 1.0}
    assert page.post("verdict", rater="eve", **said).status_code == 403
    assert page.client.get("/api/sample?rater=eve").status_code == 403
    assert journal.lines == []


@pytest.mark.parametrize("rater", [" ann", "a\nb", "\x1b[2J", "x" * 41, ""])
def test_names_that_bend_a_terminal_or_hide_are_refused(page: Page, rater: str) -> None:
    said = {"pair": 0, "verdict": "yes", "reason": None, "note": None, "seconds": 1.0}
    assert page.post("verdict", rater=rater, **said).status_code in (403, 422)


@pytest.mark.parametrize(
    "bad",
    [{"verdict": "maybe"}, {"reason": "dark"}, {"pair": -1}, {"pair": 10**6}, {"seconds": -1},
     {"seconds": "1"}, {"note": ""}, {"note": "x" * 2001}, {"split": "ID"}, {"id": "short"},
     {"pair": "0"}, {"note": "\ud800"}],
)  # fmt: skip
def test_verdicts_of_another_form_are_refused(page: Page, journal: Journal, bad: Any) -> None:
    said = {"pair": 0, "verdict": "yes", "reason": None, "note": None, "seconds": 1.0}
    body = json.dumps({"id": "request-0001", "rater": "ann"} | said | bad)
    answer = page.client.post(
        "/api/verdict", content=body, headers={"Content-Type": "application/json"}
    )
    assert answer.status_code in (404, 422)
    assert journal.lines == []


def test_images_are_those_of_the_sample_and_no_others(page: Page, sample, division) -> None:
    for pair in range(len(sample.rows)):
        answer = page.client.get(f"/api/image/{pair}")
        assert answer.headers["content-type"] == "image/png"
        Image.open(io.BytesIO(answer.content)).verify()
    shown = set(sample.rows[["source", "image_id"]].itertuples(index=False, name=None))
    assert set(division.asked) == shown
    for path in (str(len(sample.rows)), "-1", "a/0", "..%2f..%2fetc%2fpasswd", "0.5"):
        assert page.client.get(f"/api/image/{path}").status_code in (404, 422)
    assert set(division.asked) == shown


def test_an_image_that_cannot_be_read_is_no_end(division, sample, journal: Journal) -> None:
    def lost(source: str, image_id: str) -> bytes:
        if source == "a":
            raise OSError("gone: /secret/path")
        return b"no image at all"

    page = Page(Session(sample, journal, lost, lambda *_: [(0, 0, 1, 1)], {}))
    for pair in range(len(sample.rows)):
        answer = page.client.get(f"/api/image/{pair}")
        assert answer.status_code == 404
        assert "secret" not in answer.text
        assert page.get(f"boxes/{pair}") == {"boxes": None}


def test_an_image_that_changed_since_the_run_is_not_judged(
    division, sample, journal: Journal
) -> None:
    def other(source: str, image_id: str) -> bytes:
        return division.read(source, image_id) + b" "

    page = Page(Session(sample, journal, other, lambda *_: None, {}))
    assert page.client.get("/api/image/0").status_code == 404


def test_boxes_are_fractions_or_not_known(page: Page) -> None:
    pairs = page.get("sample?rater=ann")["pairs"]
    for number, pair in enumerate(pairs):
        known = {"boxes": [[0.25, 0.5, 0.5, 0.5]]} if pair["source"] == "a" else {"boxes": None}
        assert page.get(f"boxes/{number}") == known


def test_the_page_is_served_with_its_policy_and_without_data(page: Page) -> None:
    for path in ("/", "/review.css", "/review.js", "/review.svg"):
        answer = page.client.get(path, headers={"X-Oodexp-Token": ""})
        assert answer.status_code == 200
        assert all(answer.headers[name] == value for name, value in HEADERS.items())
        assert TOKEN not in answer.text
        assert ODD not in answer.text
        text = answer.text.replace("http://www.w3.org/2000/svg", "")
        assert not any(scheme in text for scheme in ("http:", "https:", "url("))
    assert "<script>" not in page.client.get("/").text
    assert "style=" not in page.client.get("/").text


def test_ids_with_markup_go_out_as_json_alone(page: Page) -> None:
    answer = page.client.get("/api/sample?rater=ann")
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert ODD in {pair["category"] for pair in answer.json()["pairs"]}


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"}, {"Origin": "null"}, {"X-Oodexp-Token": "guess"},
        {"Host": "evil.example:8123", "Origin": "http://evil.example:8123"},
        {"Sec-Fetch-Site": "cross-site"}, {"Content-Type": "text/plain"},
    ],
)  # fmt: skip
def test_a_foreign_page_can_post_no_verdict(session, journal: Journal, headers) -> None:
    body = {"id": "request-0001", "rater": "ann", "pair": 0, "verdict": "yes", "reason": None,
            "note": None, "seconds": 1.0}  # fmt: skip
    client = Page(session).client
    sent = {"Content-Type": "application/json", **headers}
    for path in ("verdict", "undo", "finish"):
        answer = client.post(f"/api/{path}", content=json.dumps(body), headers=sent)
        assert answer.status_code in (401, 403, 415)
        assert "access-control-allow-origin" not in answer.headers
    assert journal.lines == []


def test_no_other_page_is_given_leave(page: Page) -> None:
    answer = page.client.options(
        "/api/verdict",
        headers={"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"},
    )
    assert answer.status_code == 403
    assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize("path", ["/docs", "/openapi.json", "/redoc", "/static/page.html"])
def test_nothing_else_is_served(page: Page, path: str) -> None:
    assert page.client.get(path).status_code == 404


def test_the_button_finishes_the_review(page: Page) -> None:
    assert page.client.post("/api/finish", json={}).json() == {"finished": True}
    assert page.stopped == [True]


def test_a_full_disk_is_told_and_nothing_is_taken_for_saved(
    session: Session, journal: Journal, monkeypatch
) -> None:
    def full(*_: Any) -> bool:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(journal, "append", full)
    app = application(session, TOKEN, lambda: None)
    client = TestClient(app, base_url=BASE, headers=OWN, raise_server_exceptions=False)
    body = {"id": "request-0001", "rater": "ann", "pair": 0, "verdict": "yes", "reason": None,
            "note": None, "seconds": 1.0}  # fmt: skip
    answer = client.post("/api/verdict", json=body)
    assert answer.status_code == 507
    assert "No space left" in answer.json()["detail"]
