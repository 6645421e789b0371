"""An export as VLMEvalKit (nvidia-vlmeval 26.3) itself runs it, and its predictions come back."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from tests.oracles.asked import accuracies, ask, come_back, run

pytestmark = pytest.mark.oracle

SCRIPT = """
import csv, glob, hashlib, json, os, sys
folder, said, out = sys.argv[1:]
os.environ |= {"LMUData": folder, "HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": ""}
os.makedirs(out)
os.chdir(out)
import vlmeval.vlm
from vlmeval.run import main
from vlmeval.vlm.base import BaseModel
answers = json.load(open(said))

class Dummy(BaseModel):
    def generate_inner(self, message, dataset=None):
        image, text = (next(m["value"] for m in message if m["type"] == kind)
                       for kind in ("image", "text"))
        return answers[hashlib.sha256(open(image, "rb").read()).hexdigest() + text]

vlmeval.vlm.Dummy = Dummy
data = json.load(open(folder + "/data-config.json"))
json.dump({"model": {"dummy": {"class": "Dummy"}}, "data": data}, open("config.json", "w"))
sys.argv = ["run.py", "--config", "config.json", "--work-dir", out, "--judge", "exact_matching"]
main()
files = [glob.glob(out + f"/dummy/T*/dummy_{name}.xlsx")[0] for name in data]
scores = {}
for name in data:
    (score,) = glob.glob(out + f"/dummy/T*/dummy_{name}_score.csv")
    scores[name] = float(next(csv.DictReader(open(score)))["Overall"]) / 100
print(json.dumps([scores, files]))
"""


def test_it_gives_the_accuracies_of_our_own_run(tmp_path):
    ours = run(tmp_path, "main") / "tables"
    written = run(tmp_path, "export", "export=vlmevalkit", "export.images=path").name
    exported = tmp_path / "exports" / written / "vlmevalkit"
    index = pd.read_json(exported / "index.jsonl", lines=True)
    said = pd.read_parquet(ours / "completions.parquet").set_index("question_id")["completion"]
    keys = index["image_sha256"] + index["prompt"]
    (tmp_path / "said.json").write_text(
        json.dumps(dict(zip(keys, said[index["question_id"]], strict=True)))
    )
    theirs, files = ask(
        "vlmeval", SCRIPT, str(exported), str(tmp_path / "said.json"), str(tmp_path / "out")
    )
    expected = come_back(tmp_path, ours, files, exported)
    for split, value in accuracies(expected).items():
        part = split.replace("-", "_")
        assert theirs[f"OODEXP_{part}_EXISTENCE"] == pytest.approx(value)
