"""The report page of a real run, and one of hostile texts, in a real browser."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from oodexp.report.page import page
from tests.browser.conftest import Tab
from tests.report.page_run import EVIL, META, drawing, make_tables

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run of 120 scenes, with its tables and its page."""
    runs = tmp_path_factory.mktemp("runs")
    line = [
        sys.executable, "-m", "oodexp.run", "experiment=main", f"paths.runs={runs}",
        "tracker=folder", "source.limit=120", "metric.resamples=200", "predict.progress=false",
    ]  # fmt: skip
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (folder,) = (runs / "folder" / "main").iterdir()
    return folder


@pytest.fixture
def report(browser: Tab, run: Path) -> Tab:
    browser.page.goto((run / "report.html").as_uri())
    return browser


def shown(tab: Tab) -> int:
    """Number of cards that pass the filters, as the page says it."""
    said = tab.page.locator("#count").inner_text()
    return int(said.split()[0].replace(",", ""))


def memberships(run: Path) -> pd.DataFrame:
    return pd.read_parquet(run / "tables" / "memberships.parquet")


def test_it_opens_with_its_numbers_and_pictures_and_loads_nothing(report, run):
    page = report.page
    assert page.locator("#summary p").count() == 3
    accuracy = pd.read_parquet(run / "tables" / "measurements.parquet").query(
        "metric == 'accuracy' and group == 'all' and contrast == 'none' and split == 'OOD-H' "
        "and convention == 'headline' and source == 'pooled'"
    )["value"]
    assert f"{100 * accuracy.item():.1f} % on OOD-H" in page.locator("#summary").inner_text()
    page.locator("#gallery").scroll_into_view_if_needed()
    picture = page.locator("#cards-list .card img").first
    picture.wait_for()
    assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
    assert shown(report) == len(memberships(run))
    report.shot("report")
    assert (report.errors, report.foreign) == ([], [])


def test_filters_and_search_leave_the_cards_that_they_name(report, run):
    pairs, page = memberships(run), report.page
    for number, split in enumerate(("ID", "OOD-S", "OOD-H")):
        page.select_option("#split", str(number))
        assert shown(report) == (pairs["split"] == split).sum()
    page.click("#reset")
    category = pairs["category"].value_counts().index[0]
    page.select_option("#category", category)
    assert shown(report) == (pairs["category"] == category).sum()
    page.click("#reset")
    page.keyboard.press("/")
    page.keyboard.type(category.upper())
    page.wait_for_timeout(500)  # the page waits until one has typed
    texts = page.locator("#cards-list .card").all_text_contents()
    assert texts
    assert all(category in text for text in texts)
    assert len(texts) < len(pairs)
    page.keyboard.type(" that is nowhere")
    page.wait_for_timeout(500)
    assert shown(report) == 0
    assert report.errors == []


def test_cards_are_walked_by_keyboard(report):
    page = report.page
    page.keyboard.press("j")
    focused = "document.activeElement.closest('.card') === document.querySelectorAll('.card')[{}]"
    assert page.evaluate(focused.format(0))
    page.keyboard.press("j")
    assert page.evaluate(focused.format(1))
    page.keyboard.press("k")
    assert page.evaluate(focused.format(0))


def test_it_is_readable_in_the_dark_and_when_narrow(report):
    page = report.page
    page.emulate_media(color_scheme="dark")
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.emulate_media(color_scheme="light")
    assert dark != page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.emulate_media(color_scheme="dark")
    report.shot("report_dark")
    page.set_viewport_size({"width": 420, "height": 800})
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(wide) <= 0  # tables scroll within themselves
    assert report.errors == []


def test_it_prints(report, tmp_path):
    printed = report.page.pdf(path=tmp_path / "report.pdf")
    assert printed.startswith(b"%PDF")
    assert report.errors == []


def test_markup_in_ids_is_text_and_runs_nothing(browser, tmp_path):
    file = tmp_path / "report.html"
    file.write_text(page(make_tables(), META, lambda source, image: drawing(), {}), "utf-8")
    alerts: list[str] = []
    browser.page.on("dialog", lambda dialog: (alerts.append(dialog.message), dialog.dismiss()))
    browser.page.goto(file.as_uri())
    browser.page.locator("#cards-list .card").first.wait_for()
    assert EVIL in browser.page.locator("body").inner_text()
    assert alerts == []
    assert (browser.errors, browser.foreign) == ([], [])
