"""Predictions of other programs, read back: the same readings as of replies given here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from oodexp.answer.judge import judge
from oodexp.answer.yes_no import YesNo
from oodexp.predict.answering import answer
from oodexp.predict.loop import Loop
from oodexp.predict.store import Store
from oodexp.vlm.base import Reply
from oodexp.vlm.recorded import Recorded
from tests.export import made
from tests.vlm.recorded_made import (
    FORMS,
    ask,
    by_part,
    content_of,
    exported,
    jsonl,
    kit_rows,
    said,
    workbook,
)  # fmt: skip


@pytest.fixture
def pope(tmp_path: Path) -> list[dict[str, Any]]:
    return exported("pope", tmp_path / "export")


@pytest.mark.parametrize("form", FORMS)
def test_predictions_of_every_form_come_back_word_for_word(form: str, tmp_path: Path) -> None:
    name, write = FORMS[form]
    rows = exported(name, tmp_path / "export")
    files = [f for part, mine in by_part(rows).items() for f in write(tmp_path, part, mine)]
    vlm = Recorded([str(f) for f in files], str(tmp_path / "export"))
    replies = ask(vlm, *map(content_of, rows))
    assert [r.text for r in replies] == [said(row) for row in rows]
    assert {r.status for r in replies} == {"ok"}


@pytest.mark.parametrize("form", ["lmms_eval, by number", "vlmevalkit, tsv", "pope, by order"])
def test_predictions_are_read_as_if_the_model_had_been_asked_here(
    form: str, tmp_path: Path
) -> None:
    name, write = FORMS[form]
    rows = [r for r in exported(name, tmp_path / "export") if r["kind"] == "existence"]
    files = [f for part, mine in by_part(rows).items() for f in write(tmp_path, part, mine)]
    content = made.content()
    questions = content.questions
    mine = questions[questions["question_id"].isin([r["question_id"] for r in rows])]
    store, loop = Store(str(tmp_path / "store")), Loop(accelerator="cpu", progress=False)
    vlm = Recorded(list(map(str, files)), str(tmp_path / "export" / "index.jsonl"))
    told = {row["question_id"]: said(row) for row in rows}
    reader = YesNo()
    for source in ("left", "right"):
        asked = mine[mine["source"] == source]
        images = content.images[content.images["source"] == source]
        done = answer(
            "m", vlm, asked, images, lambda i, s=source: made.FILES[s, i], store, loop
        ).completions
        assert done["completion"].tolist() == [told[q] for q in asked["question_id"]]
        answers = judge(done, asked, {"yes_no": reader})
        for found, row in zip(answers.itertuples(), asked.itertuples(), strict=True):
            here = reader.read(told[row.question_id], polarity=row.polarity, category=row.category)
            seen = [None if pd.isna(v) else v for v in (found.reading, found.flag)]
            assert seen == [here.value, here.flag]
            assert found.correct == (here.value == row.target)
    again = answer("m", vlm, asked, images, lambda i: made.FILES["right", i], store, loop)
    assert again.asked_questions == 0


def test_a_missing_prediction_is_an_error_with_its_reason(
    pope: list[dict[str, Any]], tmp_path: Path
) -> None:
    file = jsonl(
        tmp_path / "p.jsonl", [{"question_id": pope[0]["question_id"], "completion": "Yes"}]
    )
    vlm = Recorded(str(file), str(tmp_path / "export"))
    there, missing, other_prompt, other_image = ask(
        vlm, content_of(pope[0]), content_of(pope[1]), (content_of(pope[0])[0], "?"),
        (made.picture(9, "PNG"), pope[0]["prompt"]),
    )  # fmt: skip
    assert there == Reply("Yes", "ok", None, None)
    assert (missing.text, missing.status) == (None, "error")
    assert "no prediction" in str(missing.reason)
    for unknown in (other_prompt, other_image):
        assert (unknown.text, unknown.status) == (None, "error")
        assert "does not hold" in str(unknown.reason)


@pytest.mark.parametrize(
    ("told", "status", "reason"),
    [
        ({"completion": "[LMMS_EVAL_REQUEST_FAILED] no quota"}, "error", "no quota"),
        ({"completion": "Failed to obtain answer via API."}, "error", "via API"),
        ({"completion": None}, "error", "null"),
        ({"completion": ""}, "empty", None),
        ({"completion": " \n"}, "empty", None),
        ({"completion": "Yes, it", "status": "truncated"}, "truncated", None),
        ({"completion": "", "status": "refused"}, "refused", None),
        ({"completion": "no", "status": "error", "reason": "timeout"}, "error", "timeout"),
    ],
)
def test_a_failure_is_no_answer(
    told: dict[str, Any],
    status: str,
    reason: str | None,
    pope: list[dict[str, Any]],
    tmp_path: Path,
) -> None:
    file = jsonl(tmp_path / "p.jsonl", [{"question_id": pope[0]["question_id"], **told}])
    (reply,) = ask(Recorded(str(file), str(tmp_path / "export")), content_of(pope[0]))
    assert reply.status == status
    assert reply.reason is None if reason is None else reason in str(reply.reason)
    assert reply.text == (None if status == "error" else told["completion"])


def test_an_empty_cell_of_a_workbook_is_an_error_as_it_may_have_been_none(
    tmp_path: Path,
) -> None:
    rows = exported("vlmevalkit", tmp_path / "export")
    part, mine = next((p, m) for p, m in by_part(rows).items() if len(m) > 1)
    told = kit_rows(mine, carry=False)
    told[0]["prediction"] = None
    file = workbook(tmp_path / f"m_{part}.xlsx", told, shared=False)
    vlm = Recorded(str(file), str(tmp_path / "export"))
    lost, kept = ask(vlm, content_of(mine[0]), content_of(mine[1]))
    assert (lost.status, kept.text) == ("error", said(mine[1]))
    assert ".xlsx" in str(lost.reason)
