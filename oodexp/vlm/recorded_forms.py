"""What rows of predictions mean: the question of each row, and its reply, word for word.

A row that carries `question_id`, itself or in the records of a metric, is joined by it. Otherwise
the number within its part joins it (`doc_id` of lmms-eval, `index` of VLMEvalKit), and lines of
POPE, which have neither, their order, when question and prompt agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from oodexp.error import OodexpError
from oodexp.text import brief
from oodexp.vlm.base import Reply
from oodexp.vlm.recorded_index import Index
from oodexp.vlm.recorded_rows import rows

FORMS = ("lmms_eval", "vlmevalkit", "pope", "plain")
"""Programs whose predictions are read; `plain` is `question_id` and `completion`."""

FAILURES = (
    "[LMMS_EVAL_REQUEST_FAILED", "[LMMS_EVAL_BUDGET_EXCEEDED", "Failed to obtain answer",
)  # fmt: skip
"""What programs write in place of a reply that they could not get."""

STATUSES = ("ok", "truncated", "refused", "filtered", "empty", "error")
"""Of `record.Completion`; a column `status` may hold them."""

_WHOLE = re.compile(r"[0-9]{1,18}")  # Python refuses to build integers of thousands of digits
_LLAVA = frozenset(("question_id", "prompt", "text"))  # how LLaVA's scripts answer POPE

Answered = tuple[str, str, Reply]
"""Place of a prediction, id of its question, and the reply."""


def form_of(row: Mapping[str, Any], place: str) -> str:
    """The program that wrote a row, by its columns.

    Raises:
        OodexpError: If no program does.
    """
    if "doc_id" in row and ("resps" in row or "filtered_resps" in row):
        return "lmms_eval"
    if "prediction" in row and ("index" in row or "question_id" in row):
        return "vlmevalkit"
    if "completion" in row and "question_id" in row:
        return "plain"
    if ("answer" in row and "question" in row) or _LLAVA.issubset(row):
        return "pope"
    raise OodexpError(
        f"{place}: columns {brief(sorted(map(str, row)))}; expected doc_id and resps (lmms-eval), "
        "index and prediction (VLMEvalKit), question and answer (POPE), or question_id and "
        "completion"
    )


def replies(path: Path, index: Index, form: str = "auto") -> Iterator[Answered]:
    """The predictions of a file, each with its question.

    Args:
        path: The file.
        index: Of the export that was answered.
        form: One of `FORMS`, or `auto`.

    Raises:
        OodexpError: If a row is of no form, or its question is not in the index.
    """
    part = index.part_of(path)
    for number, (place, row) in enumerate(rows(path)):
        kind = form_of(row, place) if form == "auto" else form
        question = _question(row, kind, number, place, part, index)
        yield place, question, _reply(row, kind, place)


def _question(
    row: Mapping[str, Any], kind: str, number: int, place: str, part: str | None, index: Index
) -> str:
    named = _named(row)
    if named is not None and not (kind == "pope" and _count(named) is not None):
        if named not in index.prompts:
            raise OodexpError(
                f"{place}: question_id {brief(named)} is not in the index; give the index.jsonl of "
                "the export that was answered"
            )
        return named
    if part is None:
        raise OodexpError(
            f"{place}: neither a question_id nor a part of the export in the file's name; call "
            f"the file by the name of its part, such as {next(iter(index.orders))}"
        )
    found = _numbered(row, kind, number, place, part, index)
    told = row.get("input") if kind == "lmms_eval" else row.get("question", row.get("prompt"))
    if isinstance(told, str) and index.prompts[found] not in told:
        raise OodexpError(
            f"{place}: the question is {brief(told)}, the export asks "
            f"{brief(index.prompts[found])} there; rows were lost or belong to another export"
        )
    return found


def _numbered(
    row: Mapping[str, Any], kind: str, number: int, place: str, part: str, index: Index
) -> str:
    """The question by its number within the part, or by its line."""
    columns = {"lmms_eval": "doc_id", "vlmevalkit": "index", "pope": "question_id"}
    column = columns.get(kind)
    if column is None or (kind == "pope" and row.get(column) is None):
        ordered = index.orders[part]
        if kind != "pope" or number >= len(ordered):
            raise OodexpError(f"{place}: no question of {part} belongs to it; give question_id")
        return ordered[number]
    count = _count(row.get(column))
    if count is None or (part, count) not in index.places:
        raise OodexpError(
            f"{place}: {column} {brief(row.get(column))} is not in {part} of the index"
        )
    return index.places[part, count]


def _named(row: Mapping[str, Any]) -> str | None:
    """The question id that a row carries, itself or in the records of its metrics."""
    records = [row, *(value for value in row.values() if isinstance(value, Mapping))]
    found = (record.get("question_id") for record in records)
    return next((str(value) for value in found if value not in (None, "")), None)


def _count(value: Any) -> int | None:
    """A whole number >= 0, as programs write it: 3, 3.0 or "3"; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    text = str(value).removesuffix(".0")
    return int(text) if _WHOLE.fullmatch(text) else None


def _reply(row: Mapping[str, Any], kind: str, place: str) -> Reply:
    text = _text(row, kind, place)
    status = row.get("status") if kind == "plain" else None
    if status not in (None, "", *STATUSES):
        raise OodexpError(f"{place}: status {brief(status)}; expected one of {STATUSES}")
    if status == "error":
        return Reply(None, "error", str(row.get("reason") or "recorded as an error"), None)
    if text is None:
        return Reply(None, "error", _LOST, None)
    if text.startswith(FAILURES):
        return Reply(None, "error", f"recorded failure: {text[:200]}", None)
    told = status if status not in (None, "", "ok") else "ok" if text.strip() else "empty"
    return Reply(text, str(told), None, None)


def _text(row: Mapping[str, Any], kind: str, place: str) -> str | None:
    """The completion of a row, word for word; None where there is none."""
    columns = {"vlmevalkit": "prediction", "plain": "completion"}
    if kind == "lmms_eval":
        told = _first(row)
    else:
        names = (columns[kind],) if kind in columns else ("answer", "text")
        column = next((name for name in names if name in row), None)
        if column is None:
            raise OodexpError(
                f"{place}: no column {' or '.join(names)}; it has {brief(sorted(map(str, row)))}"
            )
        told = row[column]
    if told is None or told != told:
        return None
    if not isinstance(told, str | int | float):
        raise OodexpError(f"{place}: the prediction is {brief(told)}; expected a text")
    return told if isinstance(told, str) else str(told)


_LOST = "the prediction is null; through .xlsx the answer None becomes so: record as .tsv or .json"


def _first(row: Mapping[str, Any]) -> Any:
    """The raw reply of lmms-eval; `resps` is left out where it equals `filtered_resps`."""
    told = row.get("resps") if row.get("resps") is not None else row.get("filtered_resps")
    while isinstance(told, list):
        told = told[0] if told else None
    return told
