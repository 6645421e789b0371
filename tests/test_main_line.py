"""The main line through the front door: a process of its own, its tables, its tracked run."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from importlib import resources
from pathlib import Path

import pandas as pd
import pytest

SMALL = [
    "experiment=main", "source.limit=48", "tracker=folder", "metric.resamples=200",
    "predict.accelerator=cpu", "predict.progress=false",
    "predict.scoring_batch=8", "predict.answering_batch=16",
]  # fmt: skip
"""A main line of 48 scenes in small shards, so that there is something to cut off."""


def command(runs: Path, *more: str) -> list[str]:
    dropped = {argument[1:] for argument in more if argument.startswith("~")}
    fixed = [argument for argument in SMALL if argument.partition("=")[0] not in dropped]
    given = [argument for argument in more if not argument.startswith("~")]
    return [sys.executable, "-m", "oodexp.run", *fixed, f"paths.runs={runs}", *given]


def run(runs: Path, *more: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        command(runs, *more), capture_output=True, text=True, check=False, cwd=cwd
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def latest(runs: Path) -> Path:
    found = sorted((runs / "folder" / "main").iterdir(), key=lambda p: p.stat().st_mtime)
    return [p for p in found if (p / "tables").is_dir()][-1]


def tables(runs: Path) -> dict[str, pd.DataFrame]:
    folder = latest(runs) / "tables"
    return {
        str(p.relative_to(folder)): pd.read_parquet(p).drop(columns="seconds", errors="ignore")
        for p in sorted(folder.rglob("*.parquet"))
    }


def metrics(runs: Path) -> dict[str, float]:
    return json.loads((latest(runs) / "metrics.json").read_text())


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    runs = tmp_path_factory.mktemp("whole")
    run(runs)
    return runs


def test_every_table_of_the_run_is_kept(whole: Path) -> None:
    expected = {
        "images", "pairs", "signals", "memberships", "questions", "completions", "answers",
        "measurements", "problems", "scores/open_clip_miniature", "scores/blip2_miniature",
    }  # fmt: skip
    assert {name.removesuffix(".parquet") for name in tables(whole)} == expected


def test_the_report_page_shows_the_run_and_the_command_that_made_it(whole: Path) -> None:
    page = (latest(whole) / "report.html").read_text("utf-8")
    assert "python -m oodexp.run experiment=main source.limit=48 tracker=folder" in page
    asked = tables(whole)["questions.parquet"]["image_id"]
    assert page.count("data:image/webp") == asked.nunique()
    accuracy = tables(whole)["measurements.parquet"].query(
        "vlm == 'fastvlm_miniature' and split == 'ID' and metric == 'accuracy'"
    )
    assert f"{100 * accuracy['value'].iloc[0]:.1f}" in page


def test_the_page_of_an_earlier_run_is_made_from_its_tables(whole: Path) -> None:
    first = latest(whole)
    done = subprocess.run(
        [sys.executable, "-m", "oodexp.run", "experiment=report", f"run={first.name}",
         "tracker=folder", f"paths.runs={whole}", "source.limit=12"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    (again,) = (whole / "folder" / "report").iterdir()
    assert (again / "report.html").read_bytes() == (first / "report.html").read_bytes()
    assert json.loads((again / "tags.json").read_text())["of"] == first.name


def test_models_of_two_runs_are_compared_on_the_questions_that_both_asked(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    for vlm in ("fastvlm_miniature", "always_yes"):
        run(runs, f"vlm=[{vlm}]", "scorer=[open_clip_miniature]")
    first, second = sorted((runs / "folder" / "main").iterdir())
    done = subprocess.run(
        [sys.executable, "-m", "oodexp.run", "experiment=compare", "tracker=folder",
         f"runs=[{first.name},{second.name}]", f"paths.runs={runs}"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "fastvlm_miniature" in done.stdout
    (compared,) = (runs / "folder" / "compare").iterdir()
    found = pd.read_parquet(compared / "tables" / "findings.parquet").set_index(
        ["statistic", "subject"]
    )
    for split in ("ID", "OOD-H"):
        values = {}
        for folder in (first, second):
            rows = pd.read_parquet(folder / "tables" / "measurements.parquet").query(
                "source == 'pooled' and split == @split and contrast == 'none' and group == 'all' "
                "and convention == 'headline' and metric == 'accuracy'"
            )
            values |= dict(zip(rows["vlm"], rows["value"], strict=True))
        (one, other) = values
        pair = found.loc[("difference of accuracy", f"{one} and {other}, {split}")]
        assert pair["value"] == pytest.approx(values[one] - values[other])
    assert found.loc[("kappa", "divisions of A and B"), "value"] == 1


def test_every_scored_pair_is_asked_twice_and_answered_once_each(whole: Path) -> None:
    kept = tables(whole)
    pairs, questions = kept["pairs.parquet"], kept["questions.parquet"]
    assert len(questions) == 2 * len(pairs)
    assert sorted(kept["completions.parquet"]["question_id"]) == sorted(questions["question_id"])


def test_same_command_again_runs_no_model_and_gives_the_same_tables(whole: Path) -> None:
    before = tables(whole)
    run(whole)
    assert metrics(whole)["scored_images"] == 0
    assert metrics(whole)["asked_questions"] == 0
    after = tables(whole)
    for name, table in before.items():
        pd.testing.assert_frame_equal(table, after[name], obj=name)


def test_another_threshold_runs_no_model(whole: Path) -> None:
    run(whole, "division.threshold=0.3")
    assert metrics(whole)["scored_images"] == 0
    assert metrics(whole)["asked_questions"] == 0


def kill_when(runs: Path, kind: str, shards: int) -> None:
    """Starts the main line and kills it with SIGKILL once so many shards of a kind are written."""
    process = subprocess.Popen(
        command(runs), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    deadline = time.monotonic() + 240
    while len(list((runs / "store" / kind).glob("*/*.parquet"))) < shards:
        assert process.poll() is None, "the run ended before it could be killed"
        assert time.monotonic() < deadline
        time.sleep(0.002)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def test_killed_run_goes_on_and_gives_the_tables_of_an_uninterrupted_one(
    whole: Path, tmp_path: Path
) -> None:
    kill_when(tmp_path, "completions", 2)
    run(tmp_path)
    assert 0 < metrics(tmp_path)["asked_questions"] < len(tables(tmp_path)["questions.parquet"])
    assert_equal_to_the_byte(tmp_path, whole)


@pytest.mark.slow
def test_run_killed_at_three_moments_gives_the_tables_of_an_uninterrupted_one(
    whole: Path, tmp_path: Path
) -> None:
    kill_when(tmp_path, "vectors", 3)
    kill_when(tmp_path, "completions", 1)
    kill_when(tmp_path, "completions", 4)
    run(tmp_path)
    assert_equal_to_the_byte(tmp_path, whole)


def assert_equal_to_the_byte(killed: Path, whole: Path) -> None:
    run(whole)  # the last run of the fixture may have had other settings
    mine, theirs = latest(killed) / "tables", latest(whole) / "tables"
    names = sorted(str(p.relative_to(theirs)) for p in theirs.rglob("*.parquet"))
    assert names == sorted(str(p.relative_to(mine)) for p in mine.rglob("*.parquet"))
    for name in names:
        if name != "completions.parquet":  # holds seconds, compared without them below
            assert (mine / name).read_bytes() == (theirs / name).read_bytes(), name
    pd.testing.assert_frame_equal(
        tables(killed)["completions.parquet"], tables(whole)["completions.parquet"]
    )


def test_runs_from_any_directory_without_leaving_a_trace_there(whole: Path, tmp_path: Path) -> None:
    run(whole, cwd=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_mlflow_holds_a_parent_and_a_child_per_vlm_under_the_fixed_names(
    whole: Path, tmp_path: Path
) -> None:
    # The store of the first run is reused: only the tracker is new.
    (tmp_path / "store").symlink_to(whole / "store")
    run(tmp_path, "tracker=mlflow", "vlm=[fastvlm_miniature,always_yes]")
    from mlflow import MlflowClient

    client = MlflowClient(f"sqlite:///{tmp_path}/mlflow.db")
    runs = client.search_runs([client.get_experiment_by_name("main").experiment_id])
    parent = next(r for r in runs if "mlflow.parentRunId" not in r.data.tags)
    children = {r.info.run_name: r for r in runs if r is not parent}
    assert {r.info.status for r in runs} == {"FINISHED"}
    assert set(children) == {"fastvlm_miniature", "always_yes"}
    for name, child in children.items():
        assert child.data.tags["vlm"] == name
        assert child.data.tags["mlflow.parentRunId"] == parent.info.run_id
        for split in ("ID", "OOD-S", "OOD-H"):
            assert {f"{split}/accuracy", f"{split}/accuracy.lower", f"{split}/n"} <= set(
                child.data.metrics
            )
            assert f"{split}/n_unread" in child.data.metrics
        assert {"drop/OOD-H/f1", "drop/OOD-S/accuracy.upper"} <= set(child.data.metrics)
        assert child.data.params["vlm"] == name
        assert child.data.params["division.threshold"] == "0.05"
        assert child.data.params["scorer"] == "open_clip_miniature, blip2_miniature"
        (used,) = child.inputs.dataset_inputs
        assert used.dataset.name == "miniature"
    mean = sum(c.data.metrics["OOD-H/accuracy"] for c in children.values()) / 2
    assert parent.data.metrics["mean/OOD-H/accuracy"] == pytest.approx(mean)
    assert parent.info.run_name.startswith("2 VLMs on miniature ")
    assert "always_yes reached 50.0 % on ID" in parent.data.tags["mlflow.note.content"]
    wanted = {
        "division/ID/pairs", "scorer/open_clip_miniature/presence_auroc",
        "scorer/blip2_miniature/planted_auroc", "scored_images", "asked_questions",
        "seconds/score",
    }  # fmt: skip
    assert wanted <= set(parent.data.metrics)
    listed = [a.path for a in client.list_artifacts(parent.info.run_id, "tables")]
    assert "tables/measurements.parquet" in listed
    assert parent.data.params["division.threshold"] == "0.05"
    assert "git.commit" in parent.data.tags


def test_two_sources_run_together_and_are_kept_apart(whole: Path, tmp_path: Path) -> None:
    data = resources.files("oodexp.miniature") / "data"
    document = json.loads(gzip.decompress((data / "dev.json.gz").read_bytes()))
    document["images"] = document["images"][:12]
    kept = {image["id"] for image in document["images"]}
    document["annotations"] = [n for n in document["annotations"] if n["image_id"] in kept]
    (tmp_path / "dev.json").write_text(json.dumps(document))
    with zipfile.ZipFile(str(data / "dev.zip")) as archive:
        archive.extractall(tmp_path / "dev", [image["file_name"] for image in document["images"]])
    run(
        whole, "source=[miniature,coco]", "source.miniature.limit=48", "~source.limit",
        f"source.coco.images={tmp_path}/dev", f"source.coco.annotations={tmp_path}/dev.json",
        "source.coco.name=dev",
    )  # fmt: skip
    kept_tables = tables(whole)
    assert metrics(whole)["scored_images"] == 12
    assert set(kept_tables["memberships.parquet"]["source"]) == {"miniature", "dev"}
    measured = kept_tables["measurements.parquet"].query("metric == 'accuracy' and group == 'all'")
    assert set(measured["source"]) == {"pooled", "miniature", "dev"}
    n = measured.query("convention == 'headline' and contrast == 'none'").groupby("source")["n"]
    assert n.sum()["pooled"] == n.sum()["miniature"] + n.sum()["dev"]


def test_constant_answer_scores_one_half_on_every_split(whole: Path) -> None:
    run(whole, "vlm=[always_yes]")
    measured = tables(whole)["measurements.parquet"]
    head = measured.query("convention == 'headline' and contrast == 'none' and group == 'all'")
    assert set(head.query("metric == 'accuracy'")["value"]) == {0.5}
