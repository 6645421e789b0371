"""The review of a run through the front door: verdicts that are there, results that are kept."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score

from oodexp.record import SPLITS
from oodexp.review.sample import PAIR

FIXED = [
    "tracker=folder", "metric.resamples=200", "review.resamples=200", "predict.accelerator=cpu",
    "predict.progress=false",
]  # fmt: skip


def line(runs: Path, experiment: str, *more: str) -> list[str]:
    start = [sys.executable, "-m", "oodexp.run", f"experiment={experiment}"]
    return [*start, f"paths.runs={runs}", *FIXED, *more]


def run(runs: Path, experiment: str, *more: str) -> tuple[int, str, Path]:
    done = subprocess.run(
        line(runs, experiment, *more), capture_output=True, text=True, check=False
    )  # fmt: skip
    folder = runs / "folder" / experiment
    made = sorted(folder.iterdir(), key=lambda p: p.stat().st_mtime) if folder.is_dir() else [runs]
    return done.returncode, done.stdout + done.stderr, made[-1]


def tables(folder: Path) -> dict[str, pd.DataFrame]:
    return {p.stem: pd.read_parquet(p) for p in (folder / "tables").glob("*.parquet")}


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Where a main line has run, and the run."""
    runs = tmp_path_factory.mktemp("runs")
    status, out, folder = run(runs, "main", "source.limit=48")
    assert status == 0, out
    return runs, folder


@pytest.fixture
def verdicts(reviewed: tuple[Path, Path], tmp_path: Path) -> Path:
    """Two people judged 20 drawn pairs of each split; what was planted as odd they see less."""
    members = tables(reviewed[1])["memberships"].query("drawn")
    rng = np.random.default_rng(0)
    rows = []
    for split in SPLITS:
        for pair in members[members["split"] == split][PAIR].head(20).to_numpy().tolist():
            seen = rng.random() < {"ID": 0.95, "OOD-S": 0.7, "OOD-H": 0.4}[split]
            for rater in ("ann", "ben"):
                slip = rng.random() < 0.15
                said = "yes" if seen != slip else "no"
                rows.append([rater, *pair, said, "wrong label" if said == "no" else ""])
    file = tmp_path / "verdicts.csv"
    pd.DataFrame(rows, columns=["rater", *PAIR, "verdict", "reason"]).to_csv(file, index=False)
    return file


def test_verdicts_made_elsewhere_become_rates_agreement_and_a_division(
    reviewed: tuple[Path, Path], verdicts: Path
) -> None:
    runs, of = reviewed
    status, out, folder = run(
        runs, "review", f"run={of.name}", "review.serve=false", f"review.verdicts=[{verdicts}]"
    )
    assert status == 0, out
    kept, before = tables(folder), tables(of)
    assert {"verdicts", "reviews", "confirmed", "findings", "measurements"} <= set(kept)
    given = pd.read_csv(verdicts, dtype=str)
    assert len(kept["verdicts"]) == len(given)
    wide = given.pivot(index=PAIR, columns="rater", values="verdict")
    findings = kept["findings"].set_index(["subject", "statistic"])
    kappa = findings.loc[("ann and ben", "Cohen's kappa")]
    assert kappa["value"] == pytest.approx(cohen_kappa_score(wide["ann"], wide["ben"]))
    assert kappa["n"] == len(wide)
    same = wide["ann"] == wide["ben"]
    rejected = wide[same & (wide["ann"] == "no")].index
    assert len(rejected)
    out_of_it = before["memberships"].set_index(PAIR)["drawn"].loc[rejected]
    assert out_of_it.all()
    after = kept["confirmed"].set_index(PAIR)
    assert not after.loc[rejected, "drawn"].any()
    assert after["drawn"].sum() == before["memberships"]["drawn"].sum() - len(rejected)
    # The measurements are those of the questions about the pairs that are left.
    answers = (
        before["answers"]
        .query("reader == 'yes_no'")
        .merge(before["questions"].drop(columns="split"), on="question_id")
    )
    left = answers.join(after[["drawn", "split"]], on=PAIR).query("drawn")
    for split in SPLITS:
        (found,) = kept["measurements"].query(
            "split == @split and source == 'pooled' and contrast == 'none' and group == 'all' "
            "and convention == 'headline' and metric == 'accuracy'"
        )["value"]  # fmt: skip
        expected = left[left["split"] == split]["correct"].mean()
        assert found == pytest.approx(expected)
        changed = findings.loc[
            (f"fastvlm_miniature, existence, {split}", "accuracy without rejected pairs")
        ]
        assert changed["value"] == pytest.approx(expected)
    tags = json.loads((folder / "tags.json").read_text())
    assert tags["of"] == of.name
    for said in ("Acceptance rate", "Annotation error rate", "Cohen's kappa", "Krippendorff"):
        assert said in out


def test_a_review_without_verdicts_says_how_to_get_some(reviewed: tuple[Path, Path]) -> None:
    runs, of = reviewed
    status, out, _ = run(runs, "review", f"run={of.name}", "review.serve=false")
    assert status == 2
    assert "start the page with review.serve=true" in out
    assert "Traceback" not in out


def test_a_run_that_divided_nothing_cannot_be_reviewed(reviewed: tuple[Path, Path]) -> None:
    runs, _ = reviewed
    status, _, folder = run(runs, "inspect", "source.limit=8")
    assert status == 0
    status, out, _ = run(runs, "review", f"run={folder.name}", "review.serve=false")
    assert status == 2
    assert "a review is of a run that divided pairs" in out


class Open(subprocess.Popen[str]):
    """A review whose page is open."""

    address = ""


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Open]:
    process = Open(
        line(tmp_path, "review", "source.limit=12", "review.per_stratum=2"),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    assert process.stdout is not None
    for text in process.stdout:
        if found := re.search(r"open (http://\S+)", text):
            process.address = found[1]
            break
    yield process
    if process.poll() is None:
        process.kill()
        process.communicate()


def test_without_a_run_the_own_division_is_reviewed_and_ctrl_c_ends_with_results(
    page: Open, tmp_path: Path
) -> None:
    import httpx2

    base, _, token = page.address.partition("/#token=")
    client = httpx2.Client(
        base_url=base, headers={"X-Oodexp-Token": token, "Origin": base}, trust_env=False
    )
    with client:
        order = client.get("/api/sample", params={"rater": "ann"}).json()["order"]
        for number, pair in enumerate(order):
            body = {"id": f"request-{number}", "rater": "ann", "pair": pair, "verdict": "yes",
                    "reason": None, "note": None, "seconds": 1.0}  # fmt: skip
            assert client.post("/api/verdict", json=body).status_code == 200
        assert client.get("/api/image/0").headers["content-type"] == "image/png"
        assert client.get("/api/boxes/0").json()["boxes"]
        # The token is in no process list: nobody else of this machine can read it there.
        for command in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                assert token.encode() not in command.read_bytes()
            except OSError:
                continue
    page.send_signal(signal.SIGINT)
    out, _ = page.communicate(timeout=60)
    assert page.returncode == 0, out
    assert "Acceptance rate" in out
    kept = tables(next((tmp_path / "folder" / "review").iterdir()))
    assert (kept["reviews"]["outcome"] == "accepted").all()
    assert len(kept["reviews"]) == len(order)
    held = [p for p in tmp_path.rglob("*") if p.is_file() and token.encode() in p.read_bytes()]
    assert held == []  # in no artifact, log or verdict file
