"""A VLM that was asked elsewhere: predictions of another program become completions of this run.

A question is known again by what can change its answer, as in the store: the bytes of its image and
its prompt. The index of the export tells which question of another program that is.
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oodexp.error import OodexpError
from oodexp.text import brief
from oodexp.vlm.base import Reply, Tariff
from oodexp.vlm.recorded_forms import FORMS, replies
from oodexp.vlm.recorded_index import Index

if TYPE_CHECKING:
    from oodexp.vlm.base import Ledger, Request, Session


class Recorded:
    """Replies from files.

    A question without a prediction, or one that the export did not hold, gets a reply `error` with
    the reason, and is looked up again the next time. Questions of two ids with the same image bytes
    and prompt are one question here; the prediction of the first one in the index answers it.

    Args:
        predictions: Files of predictions: .jsonl, .json, .csv, .tsv or .xlsx.
        index: `index.jsonl` of the export that was answered, or the export's folder.
        form: Who wrote the files: one of `recorded_forms.FORMS`, or `auto`.
        model: What the predictions are of; it stands in the fingerprint.

    Raises:
        OodexpError: If the form is unknown.
    """

    def __init__(
        self, predictions: str | Sequence[str] | None = None, index: str | None = None,
        form: str = "auto", model: str | None = None,
    ) -> None:  # fmt: skip
        if form not in ("auto", *FORMS):
            raise OodexpError(f"vlm form={form}: expected auto or one of {FORMS}")
        given = [predictions] if isinstance(predictions, str) else list(predictions or ())
        self._files = [Path(file).expanduser() for file in given]
        self._index = None if index is None else Path(index).expanduser()
        self._form = form
        self._model = model

    @property
    def concurrency(self) -> int:
        """Replies that are written down at a time; none of them waits for anybody."""
        return 16

    def fingerprint(self) -> dict[str, Any]:
        """The bytes of the files; reads them.

        Raises:
            OodexpError: If a file is missing, a row is of no form, or its question is unknown.
        """
        return {"kind": "recorded", "form": self._form, "model": self._model} | self._book.digests

    def payee(self) -> dict[str, Any]:
        """Nobody is paid."""
        return self.fingerprint()

    def tariff(self) -> Tariff:
        """Nothing is generated and nothing paid."""
        return Tariff(max_tokens=0, image_tokens=0)

    @asynccontextmanager
    async def session(self, ledger: Ledger) -> AsyncIterator[Session]:
        """Replies at once; the ledger stays as it is."""
        yield _Lookup(self._book)

    @cached_property
    def _book(self) -> _Book:
        if not self._files or self._index is None:
            raise OodexpError(
                "vlm=recorded: expected vlm.predictions=FILE, what another program answered, and "
                "vlm.index=FILE, the index.jsonl of the export that it was asked"
            )
        index = Index.read(self._index)
        found = _gather(self._files, index, self._form)
        digests = [hashlib.sha256(file.read_bytes()).hexdigest() for file in self._files]
        return _Book(index, found, {"index": index.digest, "predictions": digests})


@dataclass(frozen=True, slots=True)
class _Book:
    """Everything that was recorded."""

    index: Index
    """Of the export that was answered."""
    replies: dict[str, Reply]
    """By question id."""
    digests: dict[str, Any]
    """sha256 of the files."""


class _Lookup:
    """A session that looks up."""

    def __init__(self, book: _Book) -> None:
        self._book = book

    def end(self, why: OodexpError) -> None:
        """Nobody waits."""

    async def ask(self, request: Request) -> Reply:
        """The recorded reply, or why there is none."""
        sha256 = hashlib.sha256(request.content).hexdigest()
        questions = self._book.index.contents.get((sha256, request.prompt))
        if questions is None:
            return Reply(None, "error", "the export does not hold this image and prompt", None)
        known = (self._book.replies.get(question) for question in questions)
        return next((reply for reply in known if reply is not None), _NONE)


_NONE = Reply(None, "error", "no prediction was recorded for this question", None)


def _gather(files: Sequence[Path], index: Index, form: str) -> dict[str, Reply]:
    """All predictions by question id.

    Raises:
        OodexpError: If two rows answer one question differently.
    """
    found: dict[str, Reply] = {}
    places: dict[str, str] = {}
    for file in files:
        for place, question, reply in replies(file, index, form):
            if found.setdefault(question, reply) != reply:
                raise OodexpError(
                    f"{place}: another answer to {brief(question)} than in {places[question]}; "
                    "give the predictions of one model, each question once"
                )
            places.setdefault(question, place)
    if not found:
        raise OodexpError(f"predictions {[str(f) for f in files]}: no rows; give what was answered")
    return found
