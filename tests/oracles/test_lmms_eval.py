"""An export as lmms-eval 0.7.3 itself runs it, and its predictions as they come back."""

from __future__ import annotations

import pandas as pd
import pytest

from tests.oracles.asked import accuracies, ask, come_back, run

pytestmark = pytest.mark.oracle

SCRIPT = """
import glob, json, os, sys
folder, said, out = sys.argv[1:]
os.environ |= {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": out + "/cache"}
from lmms_eval.__main__ import cli_evaluate
from lmms_eval.models.simple.dummy import Dummy
answers = json.load(open(said))
os.makedirs(out)
os.chdir(out)  # a folder here that is named as the tasks are would be taken for a folder of tasks

def look_up(self, requests):
    replies = []
    for request in requests:
        _, _, visual, number, task, split = request.args
        doc = self.task_dict[task][split][number]
        assert len(visual(doc)) == 1
        replies.append(answers[doc["question_id"]])
    return replies

Dummy.generate_until = look_up
sys.argv = ["lmms_eval", "--model", "dummy", "--include_path", folder, "--tasks", "oodexp",
            "--log_samples", "--output_path", out]
cli_evaluate()
(results,) = glob.glob(out + "/**/*_results.json", recursive=True)
samples = sorted(glob.glob(out + "/**/*_samples_*.jsonl", recursive=True))
measured = {task: found.get("accuracy,none") for task, found in
            json.load(open(results))["results"].items()}
print(json.dumps([measured, samples]))
"""


def test_it_gives_the_accuracies_of_our_own_run(tmp_path):
    ours = run(tmp_path, "main") / "tables"
    exported = tmp_path / "exports" / run(tmp_path, "export", "export=lmms_eval").name / "lmms_eval"
    said = pd.read_parquet(ours / "completions.parquet").set_index("question_id")["completion"]
    (tmp_path / "said.json").write_text(said.to_json())
    theirs, samples = ask(
        "lmms_eval", SCRIPT, str(exported), str(tmp_path / "said.json"), str(tmp_path / "out")
    )
    expected = come_back(tmp_path, ours, samples, exported)
    for split, value in accuracies(expected).items():
        part = split.lower().replace("-", "_")
        assert theirs[f"oodexp_{part}_existence"] == pytest.approx(value)
