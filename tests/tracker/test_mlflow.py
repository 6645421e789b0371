"""What only the MLflow tracker has to mind."""

from __future__ import annotations

import pytest

from oodexp.error import OodexpError
from oodexp.tracker.mlflow import Mlflow

BOTH = """
import sys
from oodexp.tracker.mlflow import Mlflow
with Mlflow(sys.argv[1]).open(experiment="shared", config={"rank": sys.argv[2]}) as run:
    for i in range(30):
        run.metrics({f"m{i}/{j}": j for j in range(10)})
"""


@pytest.mark.parametrize("limit", [250, 500, 6000])
def test_a_parameter_is_cut_to_the_limit_of_the_library(in_mlflow, experiment, limit, monkeypatch):
    # Case g30: the limit changed between versions, so it is the installed library's word.
    monkeypatch.setattr("mlflow.utils.validation.MAX_PARAM_VAL_LENGTH", limit)
    with in_mlflow.tracker().open(experiment=experiment, config={}) as run:
        run.params({"prompt/classes": "x" * 30_000, "short": 1})
    stored = in_mlflow.params(run.run_id)
    assert stored["short"] == "1"
    assert len(stored["prompt/classes"]) == limit
    assert "sha256" in stored["prompt/classes"]
    assert in_mlflow.artifact(run.run_id, "params/prompt/classes.txt") == b"x" * 30_000
    assert in_mlflow.tags(run.run_id)["oodexp.cut"] == "params/prompt/classes.txt"


def test_a_cut_parameter_given_again_is_the_same_and_another_is_refused(in_mlflow, experiment):
    with in_mlflow.tracker().open(experiment=experiment, config={}) as run:
        run.params({"long": "x" * 30_000})
        run.params({"long": "x" * 30_000})
        with pytest.raises(OodexpError, match="'long'"):
            run.params({"long": "x" * 29_999 + "y"})


def test_a_long_tag_is_kept_whole_beside(in_mlflow, experiment):
    with in_mlflow.tracker().open(experiment=experiment, config={}) as run:
        run.tags({"note": "x" * 20_000})
    assert "sha256" in in_mlflow.tags(run.run_id)["note"]
    assert in_mlflow.artifact(run.run_id, "tags/note.txt") == b"x" * 20_000


def test_a_child_is_shown_below_its_parent(in_mlflow, experiment):
    run = in_mlflow.tracker().open(experiment=experiment, config={})
    with run, run.child("vlm: tiny", {}) as child:
        pass
    info = in_mlflow.client.get_run(child.run_id)
    assert info.data.tags["mlflow.parentRunId"] == run.run_id
    assert info.info.run_name == "vlm: tiny"
    assert in_mlflow.client.get_run(run.run_id).info.run_name.startswith(f"{experiment}-")


def test_a_changed_value_takes_the_next_step_and_the_first_one_stays(in_mlflow, experiment):
    with in_mlflow.tracker().open(experiment=experiment, config={}) as run:
        run.metrics({"m": 0.25})
    with in_mlflow.tracker(run.run_id).open(experiment=experiment, config={}) as again:
        again.metrics({"m": 0.25})
        again.metrics({"m": 0.75})
    history = in_mlflow.client.get_metric_history(run.run_id, "m")
    assert [(entry.step, entry.value) for entry in history] == [(0, 0.25), (1, 0.75)]
    assert in_mlflow.metrics(run.run_id) == {"m": 0.75}


def test_a_deleted_experiment_is_named_with_the_remedy(in_mlflow, experiment):
    with in_mlflow.tracker().open(experiment=experiment, config={}):
        pass
    client = in_mlflow.client
    client.delete_experiment(client.get_experiment_by_name(experiment).experiment_id)
    with pytest.raises(OodexpError, match="mlflow experiments restore --experiment-id"):
        in_mlflow.tracker().open(experiment=experiment, config={})


def test_an_experiment_whose_files_are_gone_with_a_moved_folder_is_named(in_mlflow, experiment):
    in_mlflow.client.create_experiment(experiment, artifact_location="file:///no/such/place")
    with pytest.raises(OodexpError, match="keeps its files in /no/such/place, which is not there"):
        in_mlflow.tracker().open(experiment=experiment, config={})


def test_an_experiment_whose_files_a_server_keeps_is_named(in_mlflow, experiment):
    in_mlflow.client.create_experiment(experiment, artifact_location="mlflow-artifacts:/7")
    with pytest.raises(OodexpError, match=r"with a server \(mlflow-artifacts:/7\).*tracker\.uri"):
        in_mlflow.tracker().open(experiment=experiment, config={})


def test_an_experiment_with_files_elsewhere_keeps_them_there(in_mlflow, experiment, tmp_path):
    in_mlflow.client.create_experiment(experiment, artifact_location=tmp_path.as_uri())
    with in_mlflow.tracker().open(experiment=experiment, config={}) as run:
        run.text("a.txt", "b")
    assert (tmp_path / run.run_id / "artifacts" / "a.txt").read_text() == "b"
    assert run.where == str(tmp_path / run.run_id / "artifacts")


def test_runs_that_another_tool_left_running_are_left_alone(in_mlflow, experiment):
    client = in_mlflow.client
    place = (in_mlflow.runs / "artifacts").as_uri()
    foreign = client.create_run(client.create_experiment(experiment, place)).info.run_id
    with in_mlflow.tracker().open(experiment=experiment, config={}) as run:
        assert run.run_id != foreign
    assert in_mlflow.status(foreign) == "RUNNING"


def test_a_file_that_is_no_database_is_named_at_once(tmp_path):
    (tmp_path / "mlflow.db").write_text("This is not a database, nor will it ever be one.")
    with pytest.raises(OodexpError, match=r"mlflow\.db is no MLflow database.*tracker=folder"):
        Mlflow(tmp_path).open(experiment="e", config={})


def test_an_address_that_mlflow_refuses_is_named_without_its_password(tmp_path):
    with pytest.raises(OodexpError, match=r"nonsense://me:\*\*\*@host cannot be opened"):
        Mlflow(tmp_path, uri="nonsense://me:secret@host").open(experiment="e", config={})


@pytest.mark.slow
def test_two_processes_share_a_database_from_its_making_on_and_say_nothing(
    in_mlflow, start, tmp_path
):
    from mlflow import MlflowClient

    runs = tmp_path / "rüns 100%?"
    (tmp_path / "cwd").mkdir()
    both = [start(BOTH, str(runs), str(rank), cwd=tmp_path / "cwd") for rank in range(2)]
    said = [process.communicate() for process in both]
    assert said == [("", ""), ("", "")]
    assert [process.returncode for process in both] == [0, 0]
    address = str(runs / "mlflow.db").replace("%", "%25").replace("?", "%3F")
    client = MlflowClient(f"sqlite:///{address}")
    found = client.search_runs([client.get_experiment_by_name("shared").experiment_id])
    assert [(run.info.status, len(run.data.metrics)) for run in found] == [("FINISHED", 300)] * 2
    assert not list((tmp_path / "cwd").iterdir())
