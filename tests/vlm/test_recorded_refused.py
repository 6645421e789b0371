"""Predictions that fit no question, files that are no predictions, and what names them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hydra.utils import instantiate
from omegaconf import OmegaConf

from oodexp.error import OodexpError
from oodexp.vlm.recorded import Recorded
from oodexp.vlm.recorded_forms import form_of
from tests.vlm.recorded_made import CONF, by_part, exported, jsonl


@pytest.fixture
def pope(tmp_path: Path) -> list[dict[str, Any]]:
    return exported("pope", tmp_path / "export")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"question_id": "nobody", "completion": "Yes"}], "nobody"),
        ([{"who": 1}], "expected doc_id"),
        ([[1]], "expected an object"),
        ([], "no rows"),
        ([{"question_id": "{0}", "completion": {"text": "Yes"}}], "expected a text"),
        ([{"question": "Another one?", "answer": "yes"}], "another export"),
        ([{"doc_id": 99, "resps": ["a"]}], "doc_id 99"),
        ([{"doc_id": True, "resps": ["a"]}], "doc_id True"),
        ([{"doc_id": "9" * 5000, "resps": ["a"]}], "doc_id '999"),
        ([{"question_id": "{0}", "completion": "a", "status": "odd"}], "odd"),
        ([{"question_id": "{0}", "completion": t} for t in "ab"], "another answer"),
    ],
)
def test_what_fits_no_question_is_refused(
    rows: list[Any], message: str, pope: list[dict[str, Any]], tmp_path: Path
) -> None:
    first = pope[0]
    filled = [
        {k: first["question_id"] if v == "{0}" else v for k, v in row.items()}
        if isinstance(row, dict)
        else row
        for row in rows
    ]
    file = jsonl(tmp_path / f"x_{first['part']}.jsonl", filled)
    with pytest.raises(OodexpError, match=message):
        Recorded(str(file), str(tmp_path / "export")).fingerprint()


def test_rows_of_more_than_one_part_need_the_name_of_theirs(
    pope: list[dict[str, Any]], tmp_path: Path
) -> None:
    file = jsonl(tmp_path / "answers.jsonl", [{"question": pope[0]["prompt"], "answer": "yes"}])
    with pytest.raises(OodexpError, match="call the file"):
        Recorded(str(file), str(tmp_path / "export")).fingerprint()


def test_more_answers_than_questions_are_refused(
    pope: list[dict[str, Any]], tmp_path: Path
) -> None:
    part, mine = next(iter(by_part(pope).items()))
    told = [{"question": r["prompt"], "answer": "yes"} for r in [*mine, mine[0]]]
    file = jsonl(tmp_path / f"{part}.jsonl", told)
    with pytest.raises(OodexpError, match=f"row {len(told)}"):
        Recorded(str(file), str(tmp_path / "export")).fingerprint()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("p.jsonl", b"{"), ("p.json", b"3"), ("p.json", b'{"a": [1], "b": []}'), ("p.csv", b""),
        ("p.xlsx", b"no archive"), ("p.pkl", b""), ("p.jsonl", b"\xff\xfe"),
        ("p.json", b"[" * 99999),
    ],
)  # fmt: skip
def test_a_file_that_is_no_table_is_named(
    name: str, data: bytes, pope: list[dict[str, Any]], tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(OodexpError, match=name.replace(".", r"\.")):
        Recorded(str(tmp_path / name), str(tmp_path / "export")).fingerprint()


def test_the_longest_part_in_a_name_counts(tmp_path: Path) -> None:
    rows = [
        {"question_id": f"q{n}", "part": part, "row": 0, "image_sha256": "0", "prompt": f"{n}?"}
        for n, part in enumerate(["x_existence", "x_existence_cot"])
    ]
    jsonl(tmp_path / "index.jsonl", rows)
    file = jsonl(tmp_path / "M_X_EXISTENCE_COT.jsonl", [{"index": 0, "prediction": "Yes"}])
    vlm = Recorded(str(file), str(tmp_path))
    assert list(vlm._book.replies) == ["q1"]


def test_nothing_given_says_what_to_give() -> None:
    with pytest.raises(OodexpError, match=r"vlm\.predictions=FILE"):
        instantiate(OmegaConf.load(CONF / "vlm" / "recorded.yaml")["recorded"]).fingerprint()


def test_an_unknown_form_is_refused() -> None:
    with pytest.raises(OodexpError, match="form=helm"):
        Recorded("a", "b", form="helm")


def test_a_given_form_is_not_guessed(pope: list[dict[str, Any]], tmp_path: Path) -> None:
    file = jsonl(tmp_path / "p.jsonl", [{"question_id": pope[0]["question_id"], "completion": "a"}])
    with pytest.raises(OodexpError, match="prediction"):
        Recorded(str(file), str(tmp_path / "export"), form="vlmevalkit").fingerprint()


def test_the_fingerprint_follows_the_bytes_of_the_files(
    pope: list[dict[str, Any]], tmp_path: Path
) -> None:
    told = {"question_id": pope[0]["question_id"], "completion": "Yes"}
    made_of = [
        json.dumps(
            Recorded(
                str(jsonl(tmp_path / "p.jsonl", [told | change])), str(tmp_path / "export")
            ).fingerprint()
        )
        for change in ({}, {}, {"completion": "No"})
    ]
    assert made_of[0] == made_of[1] != made_of[2]


def test_rows_of_the_kit_are_not_taken_for_popes() -> None:
    assert form_of({"index": 0, "question": "", "answer": "", "prediction": ""}, "") == "vlmevalkit"
    assert form_of({"question": "", "answer": ""}, "") == "pope"


def test_a_question_file_of_pope_is_no_prediction(
    pope: list[dict[str, Any]], tmp_path: Path
) -> None:
    file = tmp_path / "export" / f"{pope[0]['part']}.jsonl"
    with pytest.raises(OodexpError, match="expected doc_id"):
        Recorded(str(file), str(tmp_path / "export")).fingerprint()
