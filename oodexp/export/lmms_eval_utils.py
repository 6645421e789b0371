"""What lmms-eval calls for each question. This file is copied into the task folder as `utils.py`.

It reads an answer only when the answer is beyond doubt: a lone yes, no or whole number. All else
counts as unread and as wrong, never as a class. The full reading is made from the logged samples.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

FAILURES = ("[LMMS_EVAL_REQUEST_FAILED", "[LMMS_EVAL_BUDGET_EXCEEDED")
"""What lmms-eval writes in place of a reply that it could not get."""

_THOUGHT = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_OPEN = re.compile(r"<think(?:ing)?>", re.IGNORECASE)
_VERDICT = re.compile(r"(?<!\w)(yes|no)(?!\w)")
_NUMBER = re.compile(r"(?<![\w.,-])\d+(?![\w,]|\.\d)")
_ANY_DIGIT = re.compile(r"\d")


def doc_to_visual(doc: Mapping[str, Any]) -> list[Any]:
    """The image of a question."""
    return [doc["image"].convert("RGB")]


def doc_to_text(
    doc: Mapping[str, Any], lmms_eval_specific_kwargs: Mapping[str, str] | None = None
) -> str:
    """The prompt, word for word, between what a model's settings put around it."""
    around = lmms_eval_specific_kwargs or {}
    return f"{around.get('pre_prompt', '')}{doc['question']}{around.get('post_prompt', '')}"


def read(text: str, number: bool) -> str | None:
    """The answer of a reply in lower case; None when there is none, or more than one."""
    if text.startswith(FAILURES):
        return None
    spoken = _THOUGHT.sub(" ", text).lower()
    if _OPEN.search(spoken):  # cut off while it was thinking
        return None
    if number:
        found = _NUMBER.findall(spoken)
        if len(_ANY_DIGIT.findall(spoken)) != sum(map(len, found)):  # a date, a range, 3.5
            return None
        found = [str(int(digits)) for digits in found]
    else:
        found = _VERDICT.findall(spoken)
    return found[0] if len(set(found)) == 1 else None


def process_results(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, dict[str, Any]]:
    """One record for each metric: who was asked, what was read, and whether it is right."""
    reading = read(str(results[0]), doc["answer"] not in ("yes", "no"))
    told = {
        "question_id": doc["question_id"],
        "image_id": f"{doc['source']}/{doc['image_id']}",
        "pair_id": doc["pair_id"],
        "polarity": doc["polarity"],
        "prediction": reading,
        "ground_truth": doc["answer"],
        "score": float(reading == doc["answer"]),
    }
    return {"accuracy": told, "unread": told}


def accuracy(records: Sequence[Mapping[str, Any]]) -> float:
    """Share of right answers; an unread one is not right. NaN without questions."""
    return _mean([record["score"] for record in records])


def unread(records: Sequence[Mapping[str, Any]]) -> float:
    """Share of answers that were not read. NaN without questions."""
    return _mean([float(record["prediction"] is None) for record in records])


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else float("nan")
