"""Two raters review drawn scenes by keyboard in a real browser, through a kill of the server."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sklearn.metrics import cohen_kappa_score

from oodexp.review.journal import read
from oodexp.review.standing import standing
from tests.browser.conftest import Tab

pytestmark = pytest.mark.browser

KEY = {"yes": "y", "no": "n", "unsure": "u"}
SHOWN = "#frame:not(.empty)"


class Server:
    """A review in a process of its own, which can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.process: subprocess.Popen[str] | None = None
        self.address = ""

    def start(self, **settings: Any) -> None:
        line = [sys.executable, "-u", "-m", "tests.browser.review_of_miniature"]
        self.process = subprocess.Popen(
            [*line, str(self.folder), json.dumps(settings)], stdout=subprocess.PIPE, text=True,
            cwd=Path(__file__).resolve().parents[2],
        )  # fmt: skip
        assert self.process.stdout is not None
        for text in self.process.stdout:
            if found := re.search(r"http://\S+", text):
                self.address = found[0]
                return
        raise AssertionError("the review did not start")

    def end(self, how: signal.Signals) -> str:
        assert self.process is not None
        self.process.send_signal(how)
        out, _ = self.process.communicate(timeout=60)
        return out

    def verdicts(self) -> dict[tuple[str, str, str], dict[str, Any]]:
        (path,) = self.folder.glob("*.jsonl")
        rows = standing(read(path).whole).rows
        return {(r["rater"], r["image_id"], r["category"]): r for r in rows}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    made = Server(tmp_path)
    yield made
    if made.process is not None and made.process.poll() is None:
        made.process.kill()
        made.process.communicate()


def begin(tab: Tab, server: Server, rater: str) -> None:
    tab.page.goto("about:blank")
    tab.page.goto(server.address)
    tab.page.fill("#name", rater)
    tab.page.keyboard.press("Enter")
    tab.page.wait_for_selector(SHOWN)


def pair(tab: Tab) -> tuple[str, str]:
    """Image id and category on the screen."""
    category = re.fullmatch("Is “(.*)” visible\\?", tab.page.inner_text("#question"))
    image_id = tab.page.inner_text("#where").rpartition(" ")[2]
    assert category is not None
    return image_id, category[1]


def told(tab: Tab, place: str, text: str) -> None:
    """Waits until an element says something."""
    tab.page.wait_for_function(
        "([id, text]) => document.getElementById(id).innerText.includes(text)", arg=[place, text]
    )


def judge(tab: Tab, said: Callable[[str, str], tuple[str, int | None]]) -> tuple[str, str, str]:
    """Judges the pair on the screen by keyboard, and waits for the next."""
    image_id, category = pair(tab)
    verdict, reason = said(image_id, category)
    before = tab.page.inner_text("#count")
    if reason is not None:
        tab.page.keyboard.press(str(reason))
    tab.page.keyboard.press(KEY[verdict])
    tab.page.wait_for_function("text => document.getElementById('count').innerText !== text",
                               arg=before)  # fmt: skip
    tab.page.wait_for_selector(SHOWN)
    return image_id, category, verdict


def ann_says(image_id: str, category: str) -> tuple[str, int | None]:
    return (("no", 3), ("yes", None), ("yes", 2), ("unsure", 4))[int(image_id) % 4]


def ben_says(image_id: str, category: str) -> tuple[str, int | None]:
    if int(image_id) % 5 == 0:
        return "no", None
    return ann_says(image_id, category)


def test_two_raters_judge_by_keyboard_through_a_kill(
    server: Server, tab: Callable[[], Tab]
) -> None:
    server.start()
    ann, ben = tab(), tab()
    begin(ann, server, "ann")
    begin(ben, server, "ben")
    ann.shot("review-light")
    said: dict[str, list[tuple[str, str, str]]] = {"ann": [], "ben": []}
    said["ann"] += [judge(ann, ann_says) for _ in range(20)]
    said["ben"] += [judge(ben, ben_says) for _ in range(9)]
    server.end(signal.SIGKILL)
    ben.page.keyboard.press("y")
    ben.page.wait_for_selector("#error:not([hidden])")
    assert "server does not answer" in ben.page.inner_text("#error")
    assert ben.page.inner_text("#count").startswith("9 of 21")
    refused = [line for line in ben.errors if "ERR_CONNECTION_REFUSED" not in line]
    assert refused == []
    ben.console.clear()
    server.start()
    ben.page.goto(server.address + "&rater=ben")  # the new address, the same tab
    ben.page.reload()
    ben.page.wait_for_selector(SHOWN)
    assert ben.page.inner_text("#count").startswith("9 of 21")
    said["ben"] += [judge(ben, ben_says) for _ in range(11)]
    out = server.end(signal.SIGINT)
    assert ann.errors == ben.errors == []
    assert ann.foreign == ben.foreign == []
    kept = {key: row["verdict"] for key, row in server.verdicts().items()}
    expected = {(r, i, c): v for r, rows in said.items() for i, c, v in rows}
    assert kept == expected
    assert len(expected) == 40
    findings = {(f["subject"], f["statistic"]): f for f in json.loads(out.splitlines()[-1])}
    both = sorted({k[1:] for k in kept if k[0] == "ann"} & {k[1:] for k in kept if k[0] == "ben"})
    labels = [[kept[(rater, *key)] for key in both] for rater in ("ann", "ben")]
    kappa = findings["ann and ben", "Cohen's kappa"]
    assert kappa["n"] == len(both) >= 18
    assert kappa["value"] == pytest.approx(cohen_kappa_score(*labels))


def test_keys_reasons_notes_boxes_and_undo(server: Server, browser: Tab) -> None:
    server.start()
    page = browser.page
    begin(browser, server, "ann")
    first = pair(browser)
    page.keyboard.press("b")
    page.wait_for_selector("#boxes div")
    browser.shot("review-boxes")
    page.keyboard.press("b")
    assert page.locator("#boxes div").count() == 0
    page.keyboard.press("1")
    page.keyboard.press("3")
    assert page.locator("#reasons [aria-pressed=true]").all_inner_texts() == ["wrong label 3"]
    page.keyboard.press("c")
    page.keyboard.type("you, zany bunny 123")  # letters that are keys elsewhere
    page.keyboard.press("Enter")
    assert server.verdicts() == {}
    page.keyboard.press("n")
    told(browser, "count", "1 of")
    row = server.verdicts()["ann", *first]
    assert (row["verdict"], row["reason"], row["note"]) == (
        "no", "wrong label", "you, zany bunny 123",
    )  # fmt: skip
    assert 0 < row["seconds"] < 60
    page.wait_for_selector(SHOWN)
    assert pair(browser) != first
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector(SHOWN)
    assert pair(browser) == first
    page.keyboard.press("4")  # a judged pair: the new reason is saved at once
    told(browser, "given", "other")
    assert server.verdicts()["ann", *first]["reason"] == "other"
    page.keyboard.press("z")
    told(browser, "given", "wrong label")
    page.keyboard.press("z")
    told(browser, "count", "0 of")
    assert server.verdicts() == {}
    assert browser.errors == []


def test_nothing_is_said_of_a_picture_that_was_not_seen(server: Server, browser: Tab) -> None:
    server.start()
    begin(browser, server, "ann")
    first = pair(browser)
    browser.page.evaluate(
        """() => {
          const press = (key, repeat) =>
            document.dispatchEvent(new KeyboardEvent("keydown", {key, repeat}));
          for (let n = 0; n < 5; n++) press("y", false);  // before the next picture can be there
          for (let n = 0; n < 5; n++) press("n", true);  // a key held down
          press("ArrowRight", false);
        }"""
    )
    told(browser, "count", "this is 3")  # the arrow was the last in the queue
    assert {k[1:]: r["verdict"] for k, r in server.verdicts().items()} == {first: "yes"}
    assert browser.page.inner_text("#count").startswith("1 of")


def test_two_tabs_of_one_rater_end_at_the_same_verdicts(
    server: Server, tab: Callable[[], Tab]
) -> None:
    server.start()
    one, other = tab(), tab()
    begin(one, server, "ann")
    begin(other, server, "ann")
    same = pair(one)
    assert pair(other) == same
    judge(one, lambda *_: ("yes", None))
    judge(other, lambda *_: ("no", None))
    assert {k[1:]: r["verdict"] for k, r in server.verdicts().items()} == {same: "no"}
    judge(one, lambda *_: ("yes", None))
    judge(other, lambda *_: ("yes", None))
    assert one.errors == other.errors == []
    assert len(server.verdicts()) >= 2


def test_a_finished_review_stops_its_server_by_the_button(server: Server, browser: Tab) -> None:
    server.start(raters=["ann", "ben"], per_stratum=1)
    browser.page.goto(server.address)
    browser.page.get_by_role("button", name="ben: 0 of 3").click()
    browser.page.wait_for_selector(SHOWN)
    for _ in range(3):
        judge(browser, lambda *_: ("yes", None))
    assert browser.page.is_visible("#done")
    browser.shot("review-done")
    browser.page.click("#finish")
    assert server.process is not None
    assert server.process.poll() is None  # asks once more
    browser.page.click("#finish")
    told(browser, "who", "finished")
    out, _ = server.process.communicate(timeout=60)
    (found,) = [
        f for f in json.loads(out.splitlines()[-1])
        if (f["subject"], f["statistic"]) == ("all splits", "acceptance rate")
    ]  # fmt: skip
    assert (found["value"], found["n"]) == (1.0, 3)
    assert browser.errors == []


def test_an_address_of_an_earlier_start_is_told_and_shows_nothing(
    server: Server, browser: Tab
) -> None:
    server.start()
    browser.page.goto(server.address.partition("#")[0] + "#token=guess")
    browser.page.wait_for_selector("#error:not([hidden])")
    assert "open the one that it printed" in browser.page.inner_text("#error")
    assert not browser.page.is_visible("#judge")
    assert not browser.page.is_visible("#start")
    browser.page.goto(server.address)  # the right one in the same tab
    browser.page.wait_for_selector("#start:not([hidden])")
    assert not browser.page.is_visible("#error")


def test_a_foreign_page_in_the_same_browser_gets_and_gives_nothing(
    server: Server, browser: Tab
) -> None:
    server.start()
    base = server.address.partition("#")[0]
    page = browser.page
    page.goto("data:text/html,<title>foreign</title>")
    tried = page.evaluate(
        """async (base) => {
          const post = (headers, mode) => fetch(base + "api/verdict", {
            method: "POST", mode, headers,
            body: JSON.stringify({id: "request-1", rater: "eve", pair: 0, verdict: "no",
                                  reason: null, note: null, seconds: 1})})
            .then((r) => r.type, () => "blocked");
          return [await post({"Content-Type": "text/plain"}, "no-cors"),
                  await post({"Content-Type": "application/json"}, "cors"),
                  await fetch(base + "api/sample?rater=eve").then((r) => r.type, () => "blocked")];
        }""",
        base,
    )
    assert tried[1:] == ["blocked", "blocked"]
    assert tried[0] in ("blocked", "opaque")  # sent at the most, never read, never kept
    assert server.verdicts() == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 420])
def test_the_page_fits_narrow_and_wide_light_and_dark(
    server: Server, browser: Tab, scheme: str, width: int
) -> None:
    server.start()
    page = browser.page
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 860})
    begin(browser, server, "ann")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    bright = sum(int(v) for v in re.findall(r"\d+", ground)[:3]) > 3 * 128
    assert bright == (scheme == "light")
    size = page.locator("#picture").bounding_box()
    assert size is not None
    assert size["width"] > 0.6 * min(width, 600)  # 64 pixels are enlarged
    page.click("summary")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    browser.shot(f"review-{scheme}-{width}")
    assert browser.errors == []
