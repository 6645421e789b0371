"""The ablations through the front door, from the store of the main line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

from tests.test_experiments import FIXED, Ran, run

FEW = ["ablation.resamples=200"]
LIMIT = 48


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def threshold(runs: Path) -> Ran:
    done = run(runs, "threshold", "ablation.points=3", *FEW)
    assert done.status == 0, done.out
    return done


def told(done: Ran, study: str) -> pd.DataFrame:
    trials = done.table("trials")
    return trials[trials["study"] == study]


def accuracy(done: Ran, study: str, trial: int, **where: str) -> pd.DataFrame:
    values = done.table("trial_values")
    wanted = {"contrast": "none", "mix": "own", "metric": "accuracy"} | where
    for name, value in ({"study": study, "trial": trial} | wanted).items():
        values = values[values[name] == value]
    return values.set_index(["vlm", "row"])


def test_a_trial_at_the_main_lines_threshold_gives_its_numbers(runs, threshold):
    main = run(runs, "main", "vlm=[fastvlm_miniature,fastvlm_miniature_weak]")
    assert main.status == 0, main.out
    assert main.metrics()["asked_questions"] == 0  # the union was asked once
    measured = main.table("measurements")
    measured = measured.query("source == 'pooled' and group == 'all' and metric == 'accuracy'")
    measured = measured.query("convention == 'headline'")
    mine = accuracy(threshold, "threshold-either", 0)
    for row in measured[measured["contrast"] == "none"].itertuples():
        assert mine.loc[(row.vlm, row.split), "value"] == pytest.approx(row.value)
        assert mine.loc[(row.vlm, row.split), "n"] == row.n
    sizes = main.metrics()
    mixes = threshold.table("trial_mixes").query("study == 'threshold-either' and trial == 0")
    for row in mixes.itertuples():
        assert row.pairs == sizes[f"division/{row.split}/pairs"]
        assert row.drawn == sizes[f"division/{row.split}/drawn"]


def test_table_iv_is_printed_for_each_reading_beside_the_papers_numbers(threshold):
    for reading in ("score", "either", "bare"):
        assert f"T, reading {reading}: accuracy, percent" in threshold.out
    assert threshold.out.count("7.44") == 3
    assert "4,941" in threshold.out
    assert "Pareto front" in threshold.out


def test_sets_are_monotone_in_t_under_score_and_stay_under_either(threshold):
    mixes = threshold.table("trial_mixes").set_index(["study", "trial", "split"])["pairs"]
    hard = [mixes["threshold-score", t, "OOD-H"] for t in range(3)]
    assert hard == sorted(hard, reverse=True)
    assert hard[0] > hard[2]
    assert mixes["threshold-either", 1, "OOD-H"] == mixes["threshold-either", 2, "OOD-H"]


def test_a_finished_study_is_not_evaluated_again(runs, threshold):
    assert len(told(threshold, "threshold-range")) == 9
    before = told(threshold, "threshold-score")
    again = run(runs, "threshold", "ablation.range=null", *FEW)
    after = told(again, "threshold-score")
    assert list(after["run_id"]) == list(before["run_id"])
    assert again.folder != threshold.folder


def test_each_trial_has_a_run_that_names_it(runs, threshold):
    for row in told(threshold, "threshold-score").itertuples():
        folder = runs / "folder/threshold" / "/children/".join(row.run_id.split("/"))
        tags = json.loads((folder / "tags.json").read_text())
        assert tags["trial"] == str(row.trial)
        assert tags["study"] == "threshold-score"
        numbers = json.loads((folder / "metrics.json").read_text())
        assert numbers["mean/gap/accuracy"] == json.loads(row.objectives)["mean/gap/accuracy"]
        assert "division/OOD-H/pairs" in numbers


def test_studies_have_figures(runs, threshold):
    drawn = {p.name for p in threshold.folder.rglob("figures/*/*")}
    assert {"bars.png", "bars.svg", "area.png", "area.svg"} <= drawn
    below = {p.name for p in (runs / "folder").rglob("figures/*.png")}
    assert {"front.png", "history.png", "slice.png"} <= below


def test_groups_are_compared_pairwise_with_kappa(runs):
    done = run(runs, "scorer_type", *FEW)
    assert done.status == 0, done.out
    values = done.table("trial_values")
    first = done.table("trials")["label"].iloc[0]
    own = accuracy(done, "scorer-type", 1)["value"] - accuracy(done, "scorer-type", 0)["value"]
    against = accuracy(done, "scorer-type", 1, contrast=first)["value"]
    pd.testing.assert_series_equal(own, against)
    assert set(values["contrast"]) == {"none", first}
    numbers = done.metrics()
    assert numbers[f"agreement/{first}/kappa"] == 1
    other = done.table("trials")["label"].iloc[1]
    assert 0 < numbers[f"agreement/{other}/kappa"] < 1
    assert numbers[f"seconds/{other}"] > 0


def test_ood_h_shrinks_with_each_scorer_under_all(runs):
    done = run(runs, "scorer_count", "ablation.over=subsets", *FEW)
    assert done.status == 0, done.out
    mixes = done.table("trial_mixes").query("split == 'OOD-H'").set_index("trial")["pairs"]
    trials = done.table("trials")
    sets = {
        (s["rule"], frozenset(s["scorers"])): mixes[n]
        for n, s in zip(trials["trial"], map(json.loads, trials["settings"]), strict=True)
    }
    inside = [s for rule, s in sets if rule == "all"]
    for small in inside:
        for large in inside:
            if small < large:
                assert sets["all", large] <= sets["all", small]
    assert "over all 6 orders, rule majority" in done.out


def test_a_search_over_templates_runs_no_image_through_a_scorer(runs):
    space = '{template: ["a photo of a {}","{}"],criterion: [either,rank]}'
    done = run(runs, "search", f"ablation.space={space}", *FEW)
    assert done.status == 0, done.out
    assert done.metrics()["scored_images"] == 0
    mixes = done.table("trial_mixes").set_index(["trial", "split"])["pairs"]
    assert mixes[0, "OOD-H"] != mixes[2, "OOD-H"]  # other texts, other scores


@pytest.mark.slow
def test_competitors_can_be_searched_though_they_change_the_scores(runs):
    done = run(runs, "search", "ablation.space={competitors: [absent,all]}", *FEW)
    assert done.status == 0, done.out
    mixes = done.table("trial_mixes").set_index(["trial", "split"])["pairs"]
    three = "scorer=[open_clip_miniature,blip2_miniature,lit_miniature]"
    all_of_them = run(runs, "main", "division.competitors=all", three)
    assert mixes[1, "OOD-H"] == all_of_them.metrics()["division/OOD-H/pairs"]
    assert mixes[0, "OOD-H"] < mixes[1, "OOD-H"]


def test_a_misspelt_objective_ends_before_anything_is_scored(tmp_path):
    done = run(tmp_path, "search", "ablation.objectives={mean/gap/acuracy: maximize}")
    assert done.status == 2
    assert "did you mean mean/gap/accuracy?" in done.out
    assert not (tmp_path / "store").exists()


def test_absent_pairs_of_unlisted_settings_are_no_value_and_named(runs):
    space = "{threshold: {low: 0.01, high: 0.5}}"
    done = run(
        runs, "search", "division.id_pool=balanced", "search.sampler=tpe", "search.trials=2",
        f"ablation.space={space}", "ablation.objectives={mean/ID/accuracy: maximize}", *FEW,
    )  # fmt: skip
    assert done.status == 0, done.out
    assert set(done.table("trials")["state"]) == {"undefined"}
    assert "were not asked about" in done.out


GRID = (
    "ablation.space={threshold: {low: 0.02, high: 0.8, step: 0.02},"
    "rule: [all,majority,mean,parity]}"
)


@pytest.mark.slow
def test_two_workers_killed_in_turn_leave_every_cell_complete_once(runs):
    import optuna

    line = [
        sys.executable, "-m", "oodexp.run", "experiment=search", f"paths.runs={runs}", *FIXED, *FEW,
        GRID, "ablation.name=killed",
    ]  # fmt: skip
    journal = runs / "optuna/journal.log"

    def begun() -> int:
        return journal.read_text().count('"op_code":4,') if journal.exists() else 0

    def start() -> subprocess.Popen[bytes]:
        out = subprocess.DEVNULL
        return subprocess.Popen(line, stdout=out, stderr=out, env={**os.environ})

    base = begun()
    workers = [start(), start()]
    for number, worker in enumerate(workers, 1):
        while begun() < base + 20 * number:
            assert worker.poll() is None
            time.sleep(0.05)
        worker.send_signal(signal.SIGKILL)
        worker.wait()
    done = run(runs, "search", GRID, "ablation.name=killed", *FEW)
    assert done.status == 0, done.out
    storage = optuna.storages.JournalStorage(
        optuna.storages.journal.JournalFileBackend(str(journal))
    )
    (name,) = [n for n in optuna.study.get_all_study_names(storage) if n.startswith("killed-")]
    trials = optuna.load_study(study_name=name, storage=storage).trials
    complete = Counter(
        json.dumps(t.params, sort_keys=True) for t in trials if t.state.name == "COMPLETE"
    )
    assert len(complete) == 40 * 4
    assert set(complete.values()) == {1}
    lost = [t for t in trials if t.state.name == "FAIL"]
    assert len(lost) <= 2
    assert all("killed" in t.user_attrs["reason"] for t in lost)
    assert not [t for t in trials if t.state.name == "RUNNING"]
