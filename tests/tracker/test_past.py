"""A run that has ended, read back from either tracker."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from matplotlib.figure import Figure

from oodexp import record, table
from oodexp.error import OodexpError
from oodexp.tracker.provenance import provenance

CONFIG = {"T": 0.05, "scorer": {"m1": {"_target_": "x"}}, "paths": {"runs": "here"}}
PROBLEM = record.Problem("decode", "", "coco", "7", "7.jpg", "truncated")


@pytest.fixture
def ended(kept, experiment):
    with kept.tracker().open(experiment=experiment, config=CONFIG) as run:
        run.table("problems", table.frame(record.Problem, [PROBLEM]))
        run.table("scores/m:1", pd.DataFrame({"a": [1]}))
        run.text("report.html", "a page of Ünicode")
        run.figure("study/front", Figure())
        run.tags({"source/coco/labels_sha256": "abc"})
    return run


def test_tables_texts_and_figures_come_back_under_their_names(kept, ended):
    past = kept.tracker().past(ended.run_id)
    assert past.tables() == ["problems", "scores/m:1"]
    assert past.table("problems", record.Problem).iloc[0].to_dict() == {
        "stage": "decode", "part": "", "source": "coco", "image_id": "7", "subject": "7.jpg",
        "reason": "truncated",
    }  # fmt: skip
    assert past.text("report.html") == "a page of Ünicode"
    assert past.text("no.html") is None
    assert list(past.figures()) == ["study/front"]
    assert "<svg" in past.figures()["study/front"]


def test_configuration_and_provenance_come_back(kept, ended, experiment):
    past = kept.tracker().past(ended.run_id)
    assert past.config == CONFIG
    assert (past.experiment, past.status, past.where) == (experiment, "FINISHED", ended.where)
    assert {"command", "git.commit", "version.numpy"} <= set(past.provenance)
    assert set(past.provenance) == set(provenance())


def test_a_run_without_tables_or_figures_has_none(kept, experiment):
    with kept.tracker().open(experiment=experiment, config=CONFIG) as run:
        pass
    past = kept.tracker().past(run.run_id)
    assert (past.tables(), past.figures()) == ([], {})


@pytest.mark.parametrize("run_id", ["no-such-run", "", "..", "a/b"])
def test_a_run_that_is_not_there_is_named(kept, run_id):
    with pytest.raises(OodexpError, match=f"run={run_id}: that run is not there; expected the id"):
        kept.tracker().past(run_id)


def test_a_run_that_goes_on_is_not_past(kept, experiment):
    tracker = kept.tracker()
    with (
        tracker.open(experiment=experiment, config=CONFIG) as run,
        pytest.raises(OodexpError, match="has not ended"),
    ):
        tracker.past(run.run_id)


def test_a_run_that_failed_can_be_read(kept, experiment):
    run = kept.tracker().open(experiment=experiment, config=CONFIG)
    with pytest.raises(ValueError, match="broken"), run:
        raise ValueError("broken")
    assert kept.tracker().past(run.run_id).status == "FAILED"


def test_a_table_that_is_missing_torn_or_another_one_is_named(kept, ended):
    past = kept.tracker().past(ended.run_id)
    with pytest.raises(OodexpError, match=r"has no table 'pairs'; it has \['problems'"):
        past.table("pairs", record.Pair)
    with pytest.raises(OodexpError, match=r"table 'problems'.*unknown columns.*another version"):
        past.table("problems", record.Pair)
    kept_file = kept.folder(ended.run_id) / "tables" / "problems.parquet"
    kept_file.write_bytes(kept_file.read_bytes()[:-20])
    with pytest.raises(OodexpError, match="table 'problems'"):
        past.table("problems", record.Problem)


def test_a_child_has_no_configuration_of_its_own(kept, experiment):
    run = kept.tracker().open(experiment=experiment, config=CONFIG)
    with run, run.child("vlm", {}) as child:
        child.table("problems", table.frame(record.Problem, [PROBLEM]))
    past = kept.tracker().past(child.run_id)
    assert past.tables() == ["problems"]
    with pytest.raises(OodexpError, match="configuration was not kept"):
        _ = past.config


def test_the_table_is_read_as_parquet_whatever_its_row_groups(kept, experiment, tmp_path):
    rows = [record.Problem("decode", "", "coco", str(n), "", "lost") for n in range(10)]
    path = tmp_path / "many.parquet"
    arrow = pa.Table.from_pandas(table.frame(record.Problem, rows), preserve_index=False)
    pq.write_table(arrow, path, row_group_size=3)
    with kept.tracker().open(experiment=experiment, config=CONFIG) as run:
        run.table("problems", path)
    found = kept.tracker().past(run.run_id).table("problems", record.Problem)
    assert found["image_id"].tolist() == [str(n) for n in range(10)]
