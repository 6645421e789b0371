"""The experiments beside the main line, through the front door and in its store."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pytest

FIXED = [
    "source.limit=48", "tracker=folder", "metric.resamples=200", "predict.accelerator=cpu",
    "predict.progress=false",
]  # fmt: skip


class Ran(NamedTuple):
    status: int
    out: str
    folder: Path

    def table(self, name: str) -> pd.DataFrame:
        return pd.read_parquet(self.folder / f"tables/{name}.parquet")

    def metrics(self) -> dict[str, float]:
        return json.loads((self.folder / "metrics.json").read_text())


def run(runs: Path, experiment: str, *more: str, fixed: list[str] = FIXED) -> Ran:
    line = [sys.executable, "-m", "oodexp.run", f"experiment={experiment}", f"paths.runs={runs}"]
    done = subprocess.run([*line, *fixed, *more], capture_output=True, text=True, check=False)
    found = sorted(
        (runs / "folder" / experiment).glob("*/metrics*"), key=lambda p: p.stat().st_mtime
    )
    folder = found[-1].parent if found else runs
    return Ran(done.returncode, done.stdout + done.stderr, folder)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the main line has run."""
    folder = tmp_path_factory.mktemp("runs")
    assert run(folder, "main").status == 0
    return folder


@pytest.fixture(scope="module")
def after(runs: Path) -> Callable[..., Ran]:
    def start(experiment: str, *more: str) -> Ran:
        done = run(runs, experiment, *more)
        assert done.status == 0, done.out
        return done

    return start


def prompts(questions: pd.DataFrame) -> set[tuple[str, str]]:
    return set(zip(questions["image_id"], questions["prompt"], strict=True))


@pytest.fixture(scope="module")
def asked_before(runs: Path) -> set[tuple[str, str]]:
    (folder,) = (runs / "folder" / "main").glob("*/tables")
    return prompts(pd.read_parquet(folder / "questions.parquet"))


def test_polling_asks_only_what_the_main_line_has_not_asked(after, asked_before):
    done = after("polling")
    wanted = prompts(done.table("questions"))
    asked = done.metrics()["asked_questions"]
    assert asked == len(wanted - asked_before)
    assert 0 < asked < len(wanted)
    assert "Polling: missing and inventing" in done.out
    assert set(done.table("measurements")["kind"]) == {"polling"}


def test_progression_prints_the_three_accuracies_beside_a_constant_answer(after, asked_before):
    done = after("progression")
    wanted = prompts(done.table("questions"))
    assert done.metrics()["asked_questions"] == len(wanted - asked_before)
    for words in ("E-Acc", "C-Acc", "L-Acc", "const.", "Where chains break"):
        assert words in done.out
    measured = done.table("measurements").query("convention == 'headline' and contrast == 'none'")
    id_only = measured[measured["split"] == "ID"].set_index("metric")["value"]
    assert id_only["e_acc"] > id_only["c_acc"] > 0.5 < id_only["l_acc"]
    child = next(done.folder.rglob("children/*/metrics.json"), None) or next(
        p for p in done.folder.parent.glob("*/metrics.json") if p.parent != done.folder
    )
    assert "progression/ID/l_acc" in json.loads(child.read_text())


def test_chain_of_thought_stands_beside_the_plain_questions(after):
    done = after("chain_of_thought")
    measured = done.table("measurements").query("group == 'all' and source == 'pooled'")
    assert set(measured["kind"]) == {"existence", "existence_cot"}
    key = ["split", "metric", "convention"]
    plain, steps = (
        measured.query(f"kind == '{kind}' and contrast == 'none'").set_index(key)["value"]
        for kind in ("existence", "existence_cot")
    )
    change = measured.query("contrast == 'existence'").set_index(key)["value"]
    pd.testing.assert_series_equal(change, (steps - plain)[change.index], check_names=False)
    assert "answered step by step" in done.out
    assert "change by steps" in done.out
    assert done.metrics()["asked_questions"] == len(done.table("questions")) / 2


def test_probabilities_give_a_curve_beside_the_same_answers(after, runs):
    done = after("main", "vlm.decode=logits")
    completions = done.table("completions")
    assert completions["yes_probability"].between(0, 1).all()
    assert set(completions["completion"]) == {"Yes", "No"}
    metrics = set(done.table("measurements")["metric"])
    assert {"auroc", "ece"} <= metrics
    assert (
        done.table("calibration")["n"].sum()
        == done.table("measurements").query("metric == 'auroc'")["n"].sum()
    )
    assert list(done.folder.rglob("figures/calibration/*.png"))
    before = next(p for p in (runs / "folder" / "main").glob("*/tables") if p.parent != done.folder)
    generated = pd.read_parquet(before / "completions.parquet")
    joined = completions.merge(generated, on="question_id")
    same = joined["completion_x"].str.lower() == joined["completion_y"].str.strip(". ").str.lower()
    assert same.mean() > 0.99


def test_the_cost_is_told_before_anything_is_asked(after, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    done = after("cost", "vlm=[fastvlm_miniature,gpt_4o]")
    rows = done.table("estimates").set_index("vlm")
    assert rows.loc["fastvlm_miniature", "stored"] == rows.loc["fastvlm_miniature", "questions"]
    paid = rows.loc["gpt_4o"]
    assert paid["stored"] == 0
    least = paid["questions"] * (5.0 * 765 + 15.0 * 256) / 1e6
    assert paid["most_cost"] > least
    assert f"{paid['most_cost']:,.2f}" in done.out
    assert not (done.folder / "tables/completions.parquet").exists()


def test_an_export_answered_elsewhere_comes_back_with_the_same_numbers(after, runs, tmp_path):
    done = after("export", "export=[pope,lmms_eval]", f"paths.exports={tmp_path}")
    folder = tmp_path / done.folder.name
    sums = (done.folder / "exports/pope.sha256").read_text().splitlines()
    assert len(sums) == len([f for f in (folder / "pope").rglob("*") if f.is_file()])
    index = pd.read_json(folder / "pope/index.jsonl", lines=True, dtype=False)
    here = min((runs / "folder/main").glob("*/tables"))
    said = pd.read_parquet(here / "completions.parquet").query("vlm == 'fastvlm_miniature'")
    said = said[said["question_id"].isin(index["question_id"])]
    assert len(said) == len(index) > 0
    file = tmp_path / "said.csv"
    said[["question_id", "completion"]].to_csv(file, index=False)
    back = after(
        "main", "vlm=recorded", f"vlm.predictions={file}", f"vlm.index={folder}/pope/index.jsonl",
        "question.population=drawn", "vlm.model=elsewhere",
    )  # fmt: skip
    ours = pd.read_parquet(here / "measurements.parquet").query("vlm == 'fastvlm_miniature'")
    keys = ["kind", "source", "split", "contrast", "group", "convention", "metric"]
    both = ours.merge(back.table("measurements"), on=keys)
    assert len(both) == len(ours) > 0
    assert both["value_x"].equals(both["value_y"])


def test_the_papers_configuration_names_what_is_missing_and_asks_nothing(tmp_path):
    done = run(tmp_path, "oodbench", f"paths.data={tmp_path}", "tracker=folder", fixed=[])
    assert done.status == 2
    for name in ("coco", "lvis_minival", "nuscenes", "cityscapes", "clip_l14_336", "gpt_4o"):
        assert name in done.out
    assert "experiment=fetch source=coco" in done.out
    assert "OPENAI_API_KEY" in done.out
    assert "16 of 16 parts are missing" in done.out


def test_the_papers_configuration_runs_where_its_parts_are(after):
    done = after(
        "oodbench", "source=miniature", "scorer=[open_clip_miniature,blip2_miniature]",
        "vlm=[fastvlm_miniature]",
    )  # fmt: skip
    assert "At hand: 4 of 4 parts" in done.out
    questions, members = done.table("questions"), done.table("memberships")
    assert len(questions) == 2 * members["drawn"].sum()
