"""A real browser for tests of pages: an installed chromium, driven headless by Playwright.

`OODEXP_CHROMIUM=FILE` names another browser file; `OODEXP_SCREENSHOTS=FOLDER` keeps what
`Tab.shot` sees, and without it nothing is written.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
WIDTH, HEIGHT = 1280, 860


@dataclass
class Tab:
    """A page in a browser session of its own: no cookie, store or cache of another test."""

    page: Page
    """Playwright's page."""
    console: list[str] = field(default_factory=list)
    """What the page wrote to the console and did not catch, as `error: text`."""
    foreign: list[str] = field(default_factory=list)
    """Requests to other machines than this one."""

    @property
    def errors(self) -> list[str]:
        """Errors and warnings of the console."""
        return [line for line in self.console if line.startswith(("error", "warning"))]

    def shot(self, name: str) -> None:
        """Keeps a picture of the whole page, if a folder for them was named."""
        folder = os.environ.get("OODEXP_SCREENSHOTS")
        if folder:
            Path(folder).mkdir(parents=True, exist_ok=True)
            self.page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


# Not for the whole session: while it runs, Playwright's event loop is that of the thread, in which
# other tests start their own.
@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """The running browser; tests take `browser` or `tab`."""
    driver = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    found = os.environ.get("OODEXP_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip(f"no browser: none of {', '.join(NAMES)} is installed")
    # Chromium refuses its sandbox to root.
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with driver.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=found, args=flags)
        yield running
        running.close()


@pytest.fixture
def tab(chromium: Browser) -> Iterator[Callable[[], Tab]]:
    """Opens tabs, each as if another person had."""
    contexts = []

    def fresh() -> Tab:
        context = chromium.new_context(viewport={"width": WIDTH, "height": HEIGHT})
        contexts.append(context)
        opened = Tab(context.new_page())
        log, page = opened.console, opened.page
        page.on("console", lambda said: log.append(f"{said.type}: {said.text}"))
        page.on("pageerror", lambda error: log.append(f"error: {error}"))
        page.on("request", lambda sent: _note(opened, sent.url))
        return opened

    yield fresh
    for context in contexts:
        context.close()


@pytest.fixture
def browser(tab: Callable[[], Tab]) -> Tab:
    """A fresh headless page whose console is kept."""
    return tab()


def _note(tab: Tab, url: str) -> None:
    own = ("http://127.0.0.1:", "blob:", "data:", "file:", "about:")
    if not url.startswith(own):
        tab.foreign.append(url)
