"""MLflow's own page shows runs, models and numbers without anything being set up in it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.conftest import Tab

pytestmark = [pytest.mark.browser, pytest.mark.slow]

VLMS = "vlm=[fastvlm_miniature,fastvlm_miniature_weak]"


def run(runs: Path, *more: str) -> None:
    line = [
        sys.executable, "-m", "oodexp.run", "experiment=main", f"paths.runs={runs}",
        "source.limit=200", "metric.resamples=200", "predict.progress=false",
    ]  # fmt: skip
    done = subprocess.run([*line, *more], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """MLflow as `make ui` starts it, on four runs: one model, another one, both with another T."""
    runs = tmp_path_factory.mktemp("runs")
    run(runs, "vlm=[fastvlm_miniature]")
    run(runs, "vlm=[fastvlm_miniature_weak]")
    for threshold in (0.05, 0.01):
        run(runs, VLMS, "division.criterion=score", f"division.threshold={threshold}")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    place = f"http://127.0.0.1:{port}"
    server = subprocess.Popen(
        [sys.executable, "-m", "mlflow", "ui", "--host", "127.0.0.1", "--port", str(port),
         "--workers", "1", "--backend-store-uri", f"sqlite:///{runs}/mlflow.db"],
        env=os.environ
        | {"MLFLOW_DISABLE_TELEMETRY": "true", "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    for _ in range(120):
        try:
            urllib.request.urlopen(f"{place}/health", timeout=1).close()
            break
        except (urllib.error.URLError, OSError):
            time.sleep(0.5)
    yield place
    os.killpg(server.pid, 15)
    server.wait()


def visit(browser: Tab, address: str, query: str) -> None:
    browser.page.goto(f"{address}/#/experiments/1/runs?{query}")
    browser.page.get_by_text("matching runs").wait_for(timeout=60_000)
    assistant = browser.page.get_by_label("Close", exact=True)
    if assistant.count():  # a panel that takes a third of the page
        assistant.click()


def test_the_table_has_runs_by_their_models_and_below_them_a_run_for_each(browser, address):
    browser.page.set_viewport_size({"width": 1900, "height": 760})  # columns off it are not drawn
    visit(browser, address, "")
    page = browser.page
    for name in ("fastvlm_miniature on miniature", "2 VLMs on miniature", "miniature ("):
        page.get_by_text(name, exact=False).first.wait_for()
    assert page.get_by_text("10 matching runs").count() == 1  # four runs, six models
    page.get_by_role("button", name="Columns", exact=True).click()
    for name in ("OOD-H/accuracy", "drop/OOD-H/accuracy", "mean/OOD-H/accuracy"):
        page.get_by_placeholder("Search columns").fill(name)
        page.get_by_text(name, exact=True).first.click()
    page.keyboard.press("Escape")
    page.mouse.click(900, 20)
    page.get_by_role("columnheader", name="mean/OOD-H").first.wait_for()
    page.get_by_role("columnheader", name="drop/OOD-H").first.wait_for()
    browser.shot("mlflow_table")


def test_charts_show_the_splits_as_they_are(browser, address):
    visit(browser, address, "compareRunsMode=CHART")
    browser.page.set_viewport_size({"width": 1400, "height": 900})
    for name in ("ID/accuracy", "ID/accuracy.lower"):
        browser.page.get_by_text(name, exact=True).first.wait_for()
    browser.page.wait_for_timeout(2000)  # bars grow
    browser.shot("mlflow_charts")


def test_parallel_coordinates_choose_by_themselves_what_differs_between_the_models(
    browser, address
):
    # Sorted by a number the table is flat: models alone, without the runs above them.
    sort = "orderByKey=metrics.%60OOD-H%2Faccuracy%60&orderByAsc=false"
    visit(browser, address, f"{sort}&searchFilter=params.vlm%20LIKE%20'%25'")
    page = browser.page
    page.get_by_text("6 matching runs").wait_for()
    page.get_by_label("Select all runs").click()
    page.get_by_role("button", name="Compare").click()
    page.get_by_text("Comparing 6 Runs").wait_for()
    chosen = page.get_by_text("division.threshold", exact=True)
    chosen.first.wait_for()
    for name in ("division.criterion", "vlm"):
        assert page.get_by_text(name, exact=True).count()
    page.wait_for_timeout(2000)
    browser.shot("mlflow_parallel")


def test_a_run_begins_with_what_was_found_and_holds_the_report(browser, address):
    visit(browser, address, "")
    page = browser.page
    page.get_by_text("fastvlm_miniature on miniature", exact=False).first.click()
    page.get_by_text("answered", exact=False).first.wait_for()
    assert page.get_by_text("3 vision-language", exact=False).count() == 0
    assert page.get_by_text("of 200 images from 1 source (miniature)", exact=False).count()
    browser.shot("mlflow_run")
    page.get_by_role("tab", name="Artifacts").click()
    page.get_by_text("report.html", exact=True).wait_for()
