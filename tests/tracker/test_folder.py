"""What only the folder tracker has to mind."""

from __future__ import annotations

import json

from oodexp.tracker.folder import Folder

ALONE = """
import sys
import oodexp.tracker.mlflow
from oodexp.tracker.folder import Folder
with Folder(sys.argv[1]).open(experiment="e", config={"a": 1}) as run:
    run.metrics({"m": 1})
heavy = {"mlflow", "torch", "matplotlib", "pandas", "pyarrow", "hydra"} & set(sys.modules)
print(sorted(heavy))
"""


def test_a_run_needs_no_heavy_library(start, tmp_path):
    said, complaint = start(ALONE, str(tmp_path)).communicate()
    assert (said, complaint) == ("[]\n", "")


def test_the_files_of_a_run_can_be_read_by_anything(tmp_path):
    with Folder(tmp_path).open(experiment="my study", config={}) as run:
        run.params({"seed": 0})
        run.metrics({"ID/accuracy": 0.5})
        with run.child("vlm/a", {"vlm": "a"}):
            pass
    folder = tmp_path / "folder" / "my study" / run.run_id
    about = json.loads((folder / "run.json").read_text())
    assert about["status"] == "FINISHED"
    assert about["started"] <= about["ended"]
    assert json.loads((folder / "params.json").read_text()) == {"seed": "0"}
    assert json.loads((folder / "metrics.json").read_text()) == {"ID/accuracy": 0.5}
    (child,) = (folder / "children").iterdir()
    assert json.loads((child / "tags.json").read_text())["vlm"] == "a"
    assert json.loads((child / "run.json").read_text())["parent"] == run.run_id
    assert not list(tmp_path.rglob("*.tmp"))


def test_another_folder_can_be_named(tmp_path):
    with Folder(tmp_path / "runs", uri=str(tmp_path / "other")).open(
        experiment="e", config={}
    ) as run:
        pass
    assert (tmp_path / "other" / "e" / run.run_id / "run.json").is_file()


def test_a_folder_that_was_being_made_when_the_power_went_is_passed_over(tmp_path):
    with Folder(tmp_path).open(experiment="e", config={}) as run:
        pass
    (tmp_path / "folder" / "e" / "20260101-000000-half").mkdir()
    with Folder(tmp_path).open(experiment="e", config={}) as other:
        assert other.run_id != run.run_id


def test_a_child_that_a_killed_process_was_about_to_make_is_made(tmp_path):
    with Folder(tmp_path).open(experiment="e", config={}) as run:
        left = tmp_path / "folder" / "e" / run.run_id / "children" / "a"
        left.mkdir(parents=True)
        (left / "tags.json").write_text('{"half": "of it"}')
        with run.child("a", {"vlm": "a"}):
            pass
    assert json.loads((left / "run.json").read_text())["status"] == "FINISHED"
    assert "half" not in json.loads((left / "tags.json").read_text())
