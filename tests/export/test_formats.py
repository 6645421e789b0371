"""What each format asks for beside the questions."""

from __future__ import annotations

import csv
import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml
from PIL import Image

from oodexp.error import OodexpError
from oodexp.export import lmms_eval_utils as utils
from oodexp.export.hub import Hub
from oodexp.export.inspect import Inspect
from oodexp.export.lmms_eval import LmmsEval
from oodexp.export.pope import Pope
from oodexp.export.vlmevalkit import VLMEvalKit
from tests.export import made, opened


class Loader(yaml.SafeLoader):
    """Reads the tag of lmms-eval."""


Loader.add_constructor("!function", lambda loader, node: loader.construct_scalar(node))


def tasks(folder: Path) -> dict[str, dict[str, Any]]:
    return {
        path.stem: yaml.load(path.read_text("utf-8"), Loader) for path in folder.glob("*/*.yaml")
    }


def module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("copied_utils", path)
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def test_a_task_of_lmms_eval_names_shards_and_functions_that_are_there(tmp_path: Path) -> None:
    LmmsEval(name="OODBench", shard_bytes=1).write(tmp_path, made.content())
    found = tasks(tmp_path)
    assert set(found) == {row["part"] for row in opened.index(tmp_path)}
    home = tmp_path / "oodbench"
    copied = module(home / "utils.py")
    for name, task in found.items():
        assert (task["task"], task["tag"], task["test_split"]) == (name, "oodbench", "test")
        assert task["generation_kwargs"] == {
            "max_new_tokens": 32, "temperature": 0, "do_sample": False, "until": []
        }  # fmt: skip
        shards = task["dataset_kwargs"]["data_files"]["test"]
        assert all((home / shard).is_file() for shard in shards)
        for metric in task["metric_list"]:
            assert callable(getattr(copied, metric["aggregation"].removeprefix("utils.")))
        for field in ("doc_to_visual", "doc_to_text", "process_results"):
            assert callable(getattr(copied, task[field].removeprefix("utils.")))
    assert len(found["oodbench_ood_h_existence"]["dataset_kwargs"]["data_files"]["test"]) == 2


def test_a_task_allows_what_its_longest_question_needs(tmp_path: Path) -> None:
    questions = made.questions()
    questions["max_tokens"] = questions["kind"].map({"existence": 5, "counting": 700})
    LmmsEval().write(tmp_path, made.content(questions=questions))
    most = {
        name.rpartition("_")[2]: task["generation_kwargs"]["max_new_tokens"]
        for name, task in tasks(tmp_path).items()
    }
    assert most == {"existence": 5, "counting": 700}


def test_the_copied_file_scores_a_right_answer(tmp_path: Path) -> None:
    LmmsEval().write(tmp_path, made.content())
    copied = module(tmp_path / "oodexp" / "utils.py")
    (path, *_) = sorted(tmp_path.glob("*/data/*existence*"))
    (row, *_) = pq.read_table(path).to_pylist()
    told = copied.process_results(row, [row["answer"].capitalize() + "."])
    assert told["accuracy"]["question_id"] == row["question_id"]
    assert copied.accuracy([told["accuracy"]]) == 1.0
    assert copied.unread([told["unread"]]) == 0.0
    assert copied.doc_to_text(row, {"pre_prompt": "", "post_prompt": ""}) == row["question"]
    assert copied.doc_to_visual({"image": Image.new("L", (2, 2))})[0].mode == "RGB"


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        ("Yes.", "yes"), ("**No**", "no"), ("NO", "no"), ("Answer: Yes", "yes"),
        ("No, there is no dog.", "no"), ("Yes/No", None), ("Yes and no", None), ("Not sure", None),
        ("None", None), ("Nothing like a dog", None), ("", None), ("I notice it", None),
        ("<think>no?</think> Yes", "yes"), ("<THINK>no, the", None),
        ("[LMMS_EVAL_REQUEST_FAILED] there was no quota", None),
    ],
)  # fmt: skip
def test_a_preview_never_takes_an_unclear_answer_for_a_class(
    text: str, reading: str | None
) -> None:
    assert utils.read(text, number=False) == reading


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        ("3.", "3"), ("**3**", "3"), ("There are 03 dogs", "3"), ("three (3), so 3", "3"),
        ("2-3", None), ("3.5", None), ("1,000", None), ("-1", None), ("3 or 4", None), ("", None),
        ("<think>1, 2</think> 4", "4"),
    ],
)  # fmt: skip
def test_a_preview_reads_a_lone_number(text: str, reading: str | None) -> None:
    assert utils.read(text, number=True) == reading


def test_the_kit_finds_a_class_for_each_file_and_capitals(tmp_path: Path) -> None:
    VLMEvalKit(name="OODBench").write(tmp_path, made.content())
    config = json.loads((tmp_path / "data-config.json").read_text())
    assert set(config) == {path.stem for path in tmp_path.glob("*.tsv")}
    for name, told in config.items():
        counting = name.endswith("COUNTING")
        assert told == {"class": "TallyQA" if counting else "ImageYORNDataset", "dataset": name}
        with (tmp_path / f"{name}.tsv").open(newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t"))
        assert {row["answer"] for row in rows} == ({"3"} if counting else {"Yes", "No"})
        assert [row["index"] for row in rows] == [str(n) for n in range(len(rows))]
        assert "image_path" not in rows[0]


def test_a_file_of_the_kit_stays_small_and_holds_all_questions_of_its_images(
    tmp_path: Path,
) -> None:
    whole = VLMEvalKit(file_bytes=1)
    whole.write(tmp_path, made.content())
    names = sorted(path.name for path in tmp_path.glob("*OOD_H_EXISTENCE*"))
    assert names == ["OODEXP_OOD_H_EXISTENCE.tsv", "OODEXP_OOD_H_EXISTENCE_P1.tsv"]
    seen = list(opened.vlmevalkit(tmp_path))
    assert len({s.image for s in seen if s.part == "OODEXP_OOD_H_EXISTENCE_P1"}) == 1


def test_the_kit_by_path_names_files_that_are_there(tmp_path: Path) -> None:
    VLMEvalKit(images="path").write(tmp_path, made.content())
    rows = opened.index(tmp_path)
    for path in tmp_path.glob("*.tsv"):
        with path.open(newline="") as file:
            told = list(csv.DictReader(file, delimiter="\t"))
        assert "image" not in told[0]
        mine = [row for row in rows if row["part"] == path.stem]
        for here, row in zip(told, mine, strict=True):
            assert Path(here["image_path"]).is_absolute()
            data = Path(here["image_path"]).read_bytes()
            assert data == made.FILES[row["source"], row["image_id"]]
            assert (tmp_path / row["image"]).read_bytes() == data


@pytest.mark.parametrize("name", ["mmelt", "HallusionX", "ambers"])
def test_a_name_that_switches_on_another_benchmark_is_refused(name: str) -> None:
    with pytest.raises(OodexpError, match="another"):
        VLMEvalKit(name=name)


def test_a_file_that_the_kit_would_rewrite_is_refused() -> None:
    with pytest.raises(OodexpError, match="file_bytes"):
        VLMEvalKit(file_bytes=2**30)


def test_questions_of_pope_are_numbered_through_all_files(tmp_path: Path) -> None:
    Pope().write(tmp_path, made.content())
    rows = [row for s in tmp_path.glob("oodexp*.jsonl") for row in opened.lines(s)]
    assert sorted(row["question_id"] for row in rows) == list(range(8))
    assert {tuple(row) for row in rows} == {("question_id", "image", "text", "label")}


def test_pope_without_a_yes_or_no_says_what_else_there_is(tmp_path: Path) -> None:
    questions = made.questions()
    with pytest.raises(OodexpError, match="numbers"):
        Pope().write(tmp_path, made.content(questions=questions[questions["kind"] == "counting"]))


def test_inspect_by_path_names_files_that_are_there(tmp_path: Path) -> None:
    Inspect(images="path").write(tmp_path, made.content())
    for row in opened.lines(tmp_path / "oodexp_id_existence.jsonl"):
        path = Path(row["input"][0]["content"][0]["image"])
        assert path.is_absolute()
        key = row["metadata"]["source"], row["metadata"]["image_id"]
        assert path.read_bytes() == made.FILES[key]


def test_a_loader_is_told_that_the_column_is_an_image(tmp_path: Path) -> None:
    Hub().write(tmp_path, made.content())
    for path in tmp_path.glob("data/*/*.parquet"):
        schema = pq.read_schema(path)
        features = json.loads(schema.metadata[b"huggingface"])["info"]["features"]
        assert list(features) == schema.names
        assert features["image"] == {"_type": "Image"}


@pytest.mark.parametrize("layout", ["parquet", "imagefolder"])
def test_the_front_matter_names_files_of_every_split(layout: str, tmp_path: Path) -> None:
    Hub(layout=layout, licence="cc0-1.0").write(tmp_path, made.content())
    _, front, _ = (tmp_path / "README.md").read_text("utf-8").split("---\n", 2)
    told = yaml.safe_load(front)
    assert told["license"] == "cc0-1.0"
    assert {c["config_name"] for c in told["configs"]} == {"existence", "counting"}
    for config in told["configs"]:
        for files in config["data_files"]:
            assert list(tmp_path.glob(files["path"])), files
    assert {f["split"] for c in told["configs"] for f in c["data_files"]} == {
        "id", "ood_s", "ood_h"
    }  # fmt: skip


def test_an_image_folder_has_a_row_an_image_with_all_its_questions(tmp_path: Path) -> None:
    Hub(layout="imagefolder").write(tmp_path, made.content())
    asked = []
    for path in tmp_path.glob("data/*/*/metadata.jsonl"):
        rows = opened.lines(path)
        assert len({row["file_name"] for row in rows}) == len(rows)
        for row in rows:
            data = (path.parent / row["file_name"]).read_bytes()
            assert data == made.FILES[row["source"], row["image_id"]]
            assert len(row["question"]) == len(row["answer"]) == len(row["question_id"])
            asked += row["question_id"]
    assert sorted(asked) == sorted(row["question_id"] for row in opened.index(tmp_path))


@pytest.mark.parametrize(
    ("kind", "setting"), [(Hub, "layout"), (Inspect, "images"), (VLMEvalKit, "images")]
)
def test_a_form_that_is_not_there_is_refused(kind: Any, setting: str) -> None:
    with pytest.raises(OodexpError, match=setting):
        kind(**{setting: "other"})
