"""The chain of evidence through the front door, on the drawn world whose truth is planted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.test_experiments import Ran, run

FEW = [
    "train.limit=48", "evidence.signature.resamples=400", "evidence.signature.permutations=199",
    "evidence.hard_vs_ood.resamples=100", "evidence.comparison.resamples=200",
    "evidence.equivalence.permutations=100", "evidence.equivalence.splits=100",
    "evidence.equivalence.draws=100",
]  # fmt: skip


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def whole(runs: Path) -> Ran:
    done = run(runs, "evidence", *FEW)
    assert done.status == 0, done.out
    return done


def test_every_link_is_told_and_the_planted_ones_come_out(whole):
    links = {
        name.removeprefix("link/"): verdict
        for name, verdict in json.loads((whole.folder / "tags.json").read_text()).items()
        if name.startswith("link/")
    }
    assert list(links) == [
        "comparison", "degradation", "difference", "equivalence", "hard_vs_ood", "overlap",
        "permutation", "signature", "tost",
    ]  # fmt: skip
    assert links["degradation"] == links["signature"] == links["permutation"] == "holds"


def test_captions_name_id_pairs_and_hardly_any_ood_h(whole):
    rows = whole.table("findings").query("test == 'overlap' and statistic == 'overlap rate'")
    rate = rows.set_index("subject")["value"]
    assert rate["fastvlm_miniature, ID"] > 0.85
    assert rate["fastvlm_miniature, OOD-H"] < 0.25
    assert rate["fastvlm_miniature, OOD-H"] < rate["fastvlm_miniature, OOD-S"]


def test_every_finding_says_what_was_asked_and_what_would_break_it(whole):
    rows = whole.table("findings")
    assert (rows["words"].str.len() > 0).all()
    tested = rows[rows["p"].notna()]
    assert (tested["null"].str.len() > 0).all()
    assert (tested["p"] > 0).all()
    assert (tested["assumption"].str.len() > 0).all()
    missing = rows[rows["verdict"] == "not tested"]
    assert missing["reason"].notna().all()


def test_one_page_holds_the_chain_and_all_findings(whole):
    text = (whole.folder / "evidence.md").read_text()
    assert text.startswith("# The chain of evidence")
    assert "It would break by" in text
    assert "The chain of evidence on this data" in whole.out


def test_figures_7_to_10_are_kept(whole):
    names = {p.stem for p in whole.folder.rglob("figures/*/*.svg")}
    assert {"degradation", "closed", "permutation", "tost", "losses", "tails"} <= names


def test_an_overlap_alone_asks_no_vlm_and_one_word_may_choose_both_splits(tmp_path):
    line = ["source@train=[miniature]", "train.split=train", "train.name=lessons", "train.limit=24"]
    done = run(tmp_path, "overlap", *line)
    assert done.status == 0, done.out
    assert set(done.table("images")["source"]) == {"miniature", "lessons"}
    assert "asked_questions" not in done.metrics()
    assert not (tmp_path / "store/features").exists()
    assert not (tmp_path / "store/completions").exists()


def test_the_same_evidence_again_runs_no_model(runs, whole):
    again = run(runs, "evidence", *FEW)
    assert again.metrics()["scored_images"] == 0
    assert again.metrics()["asked_questions"] == 0
    first, second = (r.table("findings") for r in (whole, again))
    assert first.equals(second)


def test_a_closed_model_that_is_not_chosen_ends_the_run_at_once(tmp_path):
    done = run(tmp_path, "signature", "vlm=[always_yes]")
    assert done.status == 2
    assert "no VLM ['threshold_lit_miniature']" in done.out
    assert not (tmp_path / "store").exists()
