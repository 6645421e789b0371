"""Runs whose process was killed, and runs that somebody else is still at work on."""

from __future__ import annotations

import json
import shutil
import socket

import pytest

from oodexp.error import OodexpError

SAME = {"T": 0.05, "model": "m1", "paths": {"runs": "another place"}, "tracker": {"x": 1}}
CHANGED = {"T": 0.01, "model": "m1"}


def test_a_killed_run_of_the_same_settings_is_taken_up_again(kept, killed):
    # Case g32, second_same.
    name = "killed same"
    assert kept.status(killed[name]) == "RUNNING"
    with kept.tracker().open(experiment=name, config=SAME) as run:
        assert run.run_id == killed[name]
        assert kept.status(run.run_id) == "RUNNING"
        run.params({"T": 0.05})
        run.metrics({"first": 0.5, "second": 0.75})
        with run.child("vlm a", {"vlm": "a"}) as child:
            assert kept.metrics(child.run_id) == {"inner": 0.25}
            child.metrics({"inner": 0.25})
    assert kept.status(run.run_id) == kept.status(child.run_id) == "FINISHED"
    assert kept.metrics(run.run_id) == {"first": 0.5, "second": 0.75}
    assert kept.tags(run.run_id)["oodexp.resumed"] == "1"
    if kept.kind == "mlflow":
        for run_id, metric in ((run.run_id, "first"), (child.run_id, "inner")):
            assert len(kept.client.get_metric_history(run_id, metric)) == 1


def test_a_killed_run_of_other_settings_is_marked_and_a_new_one_begins(kept, killed):
    name = "killed changed"
    with kept.tracker().open(experiment=name, config=CHANGED) as run:
        assert run.run_id != killed[name]
    assert kept.status(run.run_id) == "FINISHED"
    assert kept.status(killed[name]) == "KILLED"
    assert "ended without a word" in kept.tags(killed[name])["failure"]
    with kept.tracker(killed[name]).open(experiment=name, config=SAME) as again:
        child = again.child("vlm a", {})
        assert kept.metrics(child.run_id) == {"inner": 0.25}
        assert kept.tags(child.run_id)["oodexp.resumed"] == "1"
        assert "failure" not in kept.tags(again.run_id)


def test_a_killed_run_takes_its_children_along(kept, experiment):
    with kept.tracker().open(experiment=experiment, config=SAME) as run:
        child = run.child("vlm a", {})
    dead = {"oodexp_pid_started": "long ago"}
    _as_if_cut_off(kept, run.run_id, dead)
    _as_if_cut_off(kept, child.run_id, dead)
    with kept.tracker("never").open(experiment=experiment, config=SAME):
        pass
    assert kept.status(run.run_id) == kept.status(child.run_id) == "KILLED"


def test_a_child_that_a_resumed_run_does_without_is_marked(kept, experiment):
    with kept.tracker().open(experiment=experiment, config=SAME) as run:
        child = run.child("vlm a", {})
    for run_id in (run.run_id, child.run_id):
        _as_if_cut_off(kept, run_id, {"oodexp_pid_started": "long ago"})
    with kept.tracker().open(experiment=experiment, config=SAME) as again:
        pass
    assert again.run_id == run.run_id
    assert kept.status(run.run_id) == "FINISHED"
    assert kept.status(child.run_id) == "KILLED"


def test_never_resuming_only_marks(kept, killed):
    name = "killed never"
    with kept.tracker("never").open(experiment=name, config=SAME) as run:
        assert run.run_id != killed[name]
    assert kept.status(killed[name]) == "KILLED"


def test_a_named_run_of_other_settings_stops_before_any_work(kept, killed, shared):
    # Case g32, second_changed.
    case = shared / "cases/g32-resume-run"
    first, changed = (
        json.loads((case / f"{part}.json").read_text()) for part in ("first", "second_changed")
    )
    name = "killed named"
    before = sorted(kept.folder(killed[name]).parent.glob("*"))
    with pytest.raises(OodexpError, match=r"T: 0\.05 \(stored\) against 0\.01 \(asked\)") as caught:
        kept.tracker(killed[name]).open(experiment=name, config=changed)
    assert "model" not in str(caught.value)
    assert kept.status(killed[name]) == "RUNNING"
    assert sorted(kept.folder(killed[name]).parent.glob("*")) == before
    with kept.tracker(killed[name]).open(experiment=name, config=first) as run:
        assert run.run_id == killed[name]
    assert kept.status(run.run_id) == "FINISHED"


def test_a_run_that_was_deleted_cannot_be_resumed(kept, killed):
    name, run_id = "killed gone", killed["killed gone"]
    if kept.kind == "mlflow":
        kept.client.delete_run(run_id)
    else:
        shutil.rmtree(kept.folder(run_id))
    with pytest.raises(OodexpError, match=rf"resume={run_id}: that run (was deleted|is not there)"):
        kept.tracker(run_id).open(experiment=name, config=SAME)


@pytest.mark.parametrize("word", ["allways", "../..", "0" * 32])
def test_a_run_that_never_was_cannot_be_resumed(kept, experiment, word):
    with pytest.raises(OodexpError, match=r"is not there; expected `auto`, `never` or the id"):
        kept.tracker(word).open(experiment=experiment, config=SAME)


def test_a_run_of_another_experiment_cannot_be_resumed(kept, experiment):
    with kept.tracker().open(experiment=experiment, config=SAME) as run:
        pass
    with pytest.raises(OodexpError, match=f"belongs to experiment '.*{experiment[-6:-1]}"):
        kept.tracker(run.run_id).open(experiment="elsewhere", config=SAME)


def test_a_part_of_a_run_is_not_resumed_by_itself(kept, experiment):
    with kept.tracker().open(experiment=experiment, config=SAME) as run:
        child = run.child("a", {})
    with pytest.raises(OodexpError, match=f"resume={run.run_id} instead"):
        kept.tracker(child.run_id).open(experiment=experiment, config=SAME)


def test_a_run_at_work_is_left_alone(kept, experiment):
    with kept.tracker().open(experiment=experiment, config=SAME) as first:
        with kept.tracker().open(experiment=experiment, config=SAME) as second:
            assert second.run_id != first.run_id
        with pytest.raises(OodexpError, match="is still at work on it"):
            kept.tracker(first.run_id).open(experiment=experiment, config=SAME)
        assert kept.status(first.run_id) == "RUNNING"


@pytest.mark.parametrize(
    "tags", [{"oodexp_host": "another-machine"}, {"oodexp_pid": "unknown"}], ids=["host", "owner"]
)
def test_a_run_of_which_nothing_can_be_known_is_left_alone(kept, experiment, tags):
    with kept.tracker().open(experiment=experiment, config=SAME) as first:
        pass
    _as_if_cut_off(kept, first.run_id, {"oodexp_pid_started": "long ago", **tags})
    with kept.tracker().open(experiment=experiment, config=SAME) as second:
        assert second.run_id != first.run_id
    assert kept.status(first.run_id) == "RUNNING"


def test_of_several_killed_runs_the_newest_is_resumed(kept, experiment):
    ids = []
    for _ in range(2):
        with kept.tracker().open(experiment=experiment, config=SAME) as run:
            ids.append(run.run_id)
    for run_id in ids:
        _as_if_cut_off(kept, run_id, {"oodexp_pid_started": "long ago"})
    with kept.tracker().open(experiment=experiment, config=SAME) as again:
        assert again.run_id == ids[1]
    assert kept.status(ids[0]) == "KILLED"


def test_a_resumed_run_keeps_what_its_notes_held(kept, experiment):
    with kept.tracker().open(experiment=experiment, config=SAME) as run:
        run.metrics({"a": None, "b": None, "c@": 1.0})
    with kept.tracker(run.run_id).open(experiment=experiment, config=SAME) as again:
        again.metrics({"b": 2.0, "d@": 1.0})
    assert kept.note(run.run_id, "metrics/undefined.json") == {"a": "none"}
    assert set(kept.note(run.run_id, "metrics/names.json")) == {"c@", "d@"}


def test_a_resumed_run_names_this_machine_and_process(kept, experiment):
    import os

    with kept.tracker().open(experiment=experiment, config=SAME) as run:
        pass
    _as_if_cut_off(kept, run.run_id, {"oodexp_pid_started": "long ago"})
    with kept.tracker().open(experiment=experiment, config=SAME) as again:
        tags = kept.tags(again.run_id)
    assert (tags["oodexp.host"], tags["oodexp.pid"]) == (socket.gethostname(), str(os.getpid()))
    assert tags["oodexp.pid_started"] != "long ago"


def _as_if_cut_off(kept, run_id, tags):
    kept.retag(run_id, **tags)
    if kept.kind == "mlflow":
        kept.client.update_run(run_id, status="RUNNING")
    else:
        path = kept.folder(run_id) / "run.json"
        path.write_text(json.dumps({**json.loads(path.read_bytes()), "status": "RUNNING"}))
