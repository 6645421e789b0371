"""What every tracker does, whichever tool keeps the runs."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import pandas as pd
import pytest

from oodexp.error import OodexpError
from oodexp.tracker.folder import Folder
from oodexp.tracker.mlflow import Mlflow
from oodexp.tracker.provenance import provenance

SETTINGS = {"division.threshold": "0.05", "vlm": '["a", "b"]'}
"""The parameters that every run has from its configuration."""

CONFIG = {"division": {"threshold": 0.05}, "vlm": ["a", "b"], "paths": {"runs": "here"}}


def test_a_run_that_ends_well_is_finished(kept, experiment):
    with kept.tracker().open(experiment=experiment, config=CONFIG) as run:
        assert kept.status(run.run_id) == "RUNNING"
    assert kept.status(run.run_id) == "FINISHED"
    assert "failure" not in kept.tags(run.run_id)


def test_a_run_can_be_opened_by_a_person_at_its_place(kept, experiment):
    with kept.tracker().open(experiment=experiment, config=CONFIG) as run:
        assert Path(run.where) == kept.folder(run.run_id)
        assert (Path(run.where) / "config.yaml").is_file()


def test_the_whole_configuration_is_kept(kept, experiment):
    import yaml

    with kept.tracker().open(experiment=experiment, config=CONFIG) as run:
        pass
    assert yaml.safe_load(kept.artifact(run.run_id, "config.yaml")) == CONFIG
    assert kept.note(run.run_id, "config.json") == CONFIG


def test_a_password_in_an_address_is_not_kept(kept, experiment):
    config = {"tracker": {"uri": "postgresql://me:se%cret@host/db"}}
    with kept.tracker().open(experiment=experiment, config=config) as run:
        pass
    for name in ("config.yaml", "config.json"):
        content = kept.artifact(run.run_id, name)
        assert b"se%cret" not in content
        assert b"postgresql://me:***@host/db" in content


def test_settings_are_parameters_and_places_are_not(kept, experiment):
    with kept.tracker().open(experiment=experiment, config=CONFIG) as run:
        pass
    assert kept.params(run.run_id) == SETTINGS


def test_what_a_result_depends_on_besides_the_settings_is_tagged(kept, experiment):
    with kept.tracker().open(experiment=experiment, config=CONFIG) as run:
        pass
    assert provenance().items() <= kept.tags(run.run_id).items()


def test_nested_parameters_get_dotted_names_and_plain_texts(kept, experiment):
    with kept.tracker().open(experiment=experiment, config=CONFIG) as run:
        run.params({"a": {"b": 0.05, "c": None, "d": True}, "e": ["x", "y"], "f": "text", "g": ""})
        run.params({"h": [{"name": "k"}]})
    assert kept.params(run.run_id) == SETTINGS | {
        "a.b": "0.05",
        "a.c": "null",
        "a.d": "true",
        "e": '["x", "y"]',
        "f": "text",
        "g": "",
        "h.0.name": "k",
    }


def test_a_parameter_cannot_be_given_another_value(kept, experiment):
    with kept.tracker().open(experiment=experiment, config=CONFIG) as run:
        run.params({"seed": 0})
        run.params({"seed": 0})
        with pytest.raises(OodexpError, match=r"parameter 'seed'.*'0' is stored, '1' was given"):
            run.params({"seed": 1})
    assert kept.params(run.run_id) == SETTINGS | {"seed": "0"}


def test_a_long_parameter_is_kept_whole_and_the_run_goes_on(kept, experiment, shared):
    # Case g30: 30,000 characters, over the limits of 250, 500 and 6000 of MLflow's versions.
    values = json.loads((shared / "cases/g30-long-param/params.json").read_text())
    with kept.tracker().open(experiment=experiment, config=values) as run:
        run.params(values)
    stored = kept.params(run.run_id)
    assert stored["short"] == str(values["short"])
    for name in ("prompt", "classes"):
        value = values[name]
        text = value if isinstance(value, str) else json.dumps(value)
        whole = kept.artifact(run.run_id, f"params/{name}.txt") or stored[name].encode()
        assert whole.decode() == text
    assert kept.status(run.run_id) == "FINISHED"


def test_metrics_have_their_own_names_and_values(kept, experiment):
    values = {"OOD-H/accuracy.lower": 0.25, "drop/OOD-S/f1": -0.125, "n": 3, "精度": 0.5}
    with kept.tracker().open(experiment=experiment, config=CONFIG) as run:
        run.metrics(values)
    assert kept.metrics(run.run_id) == values
    assert kept.note(run.run_id, "metrics/names.json") is None


def test_refused_metric_names_stay_findable_and_apart(kept, experiment, shared):
    # Case g31: two of the names become equal when the refused characters are replaced.
    values = json.loads((shared / "cases/g31-metric-names/metrics.json").read_text())
    blank = values.pop("")
    with kept.tracker().open(experiment=experiment, config=CONFIG) as run:
        with pytest.raises(OodexpError, match="blank"):
            run.metrics({"": blank, "other": 1.0})
        run.metrics(values)
    stored, names = kept.metrics(run.run_id), kept.note(run.run_id, "metrics/names.json")
    assert len(stored) == len(values) == 6
    assert {name: stored[names.get(name, name)] for name in values} == values


def test_undefined_metrics_are_listed_and_not_stored(kept, experiment):
    with kept.tracker().open(experiment=experiment, config=CONFIG) as run:
        run.metrics({"a": 1.0, "b": None, "c": float("nan")})
        run.metrics({"c": 0.5, "d": None})
    assert kept.metrics(run.run_id) == {"a": 1.0, "c": 0.5}
    assert kept.note(run.run_id, "metrics/undefined.json") == {"b": "none", "d": "none"}


@pytest.mark.parametrize("bad", [float("inf"), float("-inf"), "much"])
def test_a_metric_that_is_no_finite_number_is_refused_with_its_whole_batch(kept, experiment, bad):
    run = kept.tracker().open(experiment=experiment, config=CONFIG)
    with run, pytest.raises(OodexpError, match=r"'OOD-H/f1' = .*(inf|much).*None"):
        run.metrics({"fine": 1.0, "OOD-H/f1": bad})
    assert kept.metrics(run.run_id) == {}


def test_more_metrics_than_one_call_allows_all_arrive(kept, experiment):
    values = {f"m{i}": float(i) for i in range(2300)}
    with kept.tracker().open(experiment=experiment, config=CONFIG) as run:
        run.metrics(values)
    assert kept.metrics(run.run_id) == values


def test_a_child_is_a_run_of_its_own(kept, experiment):
    with kept.tracker().open(experiment=experiment, config=CONFIG) as run:
        with run.child("Qwen/Qwen2-VL: 2B", {"vlm": "qwen2_vl"}) as child:
            child.metrics({"ID/accuracy": 0.75})
            child.table("answers", pd.DataFrame({"x": [1]}))
            assert kept.status(child.run_id) == "RUNNING"
        assert kept.status(child.run_id) == "FINISHED"
        assert kept.status(run.run_id) == "RUNNING"
    assert kept.metrics(child.run_id) == {"ID/accuracy": 0.75}
    assert kept.tags(child.run_id)["vlm"] == "qwen2_vl"
    assert kept.metrics(run.run_id) == {}


def test_a_child_name_met_twice_is_the_same_child(kept, experiment):
    with kept.tracker().open(experiment=experiment, config=CONFIG) as run:
        with run.child("a", {}) as first:
            first.metrics({"x": 1.0})
        with run.child("a", {}) as second, run.child("b", {}) as other:
            second.metrics({"x": 1.0, "y": 2.0})
    assert first.run_id == second.run_id != other.run_id
    assert kept.metrics(first.run_id) == {"x": 1.0, "y": 2.0}


def test_a_blank_child_or_experiment_name_is_refused(kept, experiment):
    with pytest.raises(OodexpError, match="experiment name ' ' is blank"):
        kept.tracker().open(experiment=" ", config=CONFIG)
    run = kept.tracker().open(experiment=experiment, config=CONFIG)
    with run, pytest.raises(OodexpError, match=r"child name '' .* is blank"):
        run.child("", {})


@pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt, SystemExit, OodexpError])
def test_a_run_and_its_child_that_are_broken_off_say_why(kept, experiment, kind):
    run = kept.tracker().open(experiment=experiment, config=CONFIG)
    child = run.child("part", {})
    with pytest.raises(kind), run, child:
        raise kind("no more")
    for run_id in (run.run_id, child.run_id):
        assert kept.status(run_id) == "FAILED"
        assert kept.tags(run_id)["failure"] == f"{kind.__name__}: no more"
        assert b"in test_a_run_and_its_child" in kept.artifact(run_id, "failure.txt")


def test_a_reason_of_any_length_is_kept(kept, experiment):
    run = kept.tracker().open(experiment=experiment, config=CONFIG)
    with pytest.raises(ValueError), run:
        raise ValueError("x" * 20_000)
    assert kept.status(run.run_id) == "FAILED"
    assert kept.tags(run.run_id)["failure"].startswith("ValueError: xxx")
    assert b"x" * 20_000 in kept.artifact(run.run_id, "failure.txt")


def test_the_first_error_is_seen_when_the_end_cannot_be_recorded(kept, experiment, monkeypatch):
    def full(*_: object) -> None:
        raise OSError("full")

    run = kept.tracker().open(experiment=experiment, config=CONFIG)
    monkeypatch.setattr(type(run._store), "set_status", full)
    with pytest.raises(ValueError, match="first") as caught, run:
        raise ValueError("first")
    assert "could not be recorded: full" in caught.value.__notes__[0]


def test_an_experiment_is_shared_by_its_runs(kept, experiment):
    ids = set()
    for seed in range(2):
        config = {**CONFIG, "seed": seed}
        with kept.tracker().open(experiment=experiment, config=config) as run:
            ids.add(run.run_id)
    assert len({kept._about(run_id).get("experiment_id", experiment) for run_id in ids}) == 1
    assert len(ids) == 2


def test_a_runs_folder_that_is_a_file_is_named(kept, tmp_path):
    blocked = tmp_path / "runs"
    blocked.write_text("")
    tracker = type(kept.tracker())(blocked)
    with pytest.raises(OodexpError, match=f"runs cannot be kept in {blocked}"):
        tracker.open(experiment="e", config={})


@pytest.mark.parametrize("kind", [Mlflow, Folder])
def test_each_tracker_takes_what_its_configuration_file_says(kind, tmp_path):
    from omegaconf import OmegaConf

    root = Path(__file__).resolve().parents[2]
    path = root / f"conf/tracker/{kind.__name__.lower()}.yaml"
    config = OmegaConf.merge({"paths": {"runs": str(tmp_path)}}, {"tracker": OmegaConf.load(path)})
    values = OmegaConf.to_container(config.tracker, resolve=True)
    assert values.pop("_target_") == f"{kind.__module__}.{kind.__name__}"
    assert list(values) == list(inspect.signature(kind).parameters)
    assert kind(**values) == kind(str(tmp_path))
