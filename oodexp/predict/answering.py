"""A VLM over questions: images outside, questions inside, every completion kept word for word."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from oodexp import table
from oodexp.error import Paused
from oodexp.predict.by_image import ByImage, Row
from oodexp.predict.completion import COLUMNS
from oodexp.predict.content import shown
from oodexp.predict.ledger import Account
from oodexp.predict.loop import Loop
from oodexp.predict.serving import SCHEMA, Desk, Sending
from oodexp.predict.store import Shelf, Store
from oodexp.record import Completion, Request
from oodexp.vlm.base import Remote

if TYPE_CHECKING:
    from PIL.Image import Image

    from oodexp.vlm.base import Vlm


class Asked(NamedTuple):
    """One question as a batch carries it."""

    key: str
    """sha256 over image bytes and prompt."""
    image: Image | None
    """RGB pixels; None when they could not be decoded."""
    prompt: str
    """The text put to the model."""
    reason: str | None
    """Why there are no pixels."""
    max_tokens: int | None
    """Most new tokens of the reply; None for the VLM's own setting."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What asking a VLM gave."""

    completions: pd.DataFrame
    """`record.Completion`, in the order of the questions."""
    fingerprint: dict[str, Any]
    """What the completions rest on: model and generation settings."""
    asked_questions: int
    """Number of questions that the model was run on; 0 when all came from the store."""
    requests: pd.DataFrame
    """`record.Request` of this run; none for a model that runs here."""


class Asking(ByImage["tuple[Image | None, str | None]", Asked]):
    """Questions with the pixels of their images."""

    def _open(self, image_id: str) -> tuple[Image | None, str | None]:
        return shown(self._read, image_id)

    def _item(self, row: Row, opened: tuple[Image | None, str | None]) -> Asked:
        pixels, reason = opened
        return Asked(row.key, pixels, row.prompt, reason, row.most)


class Standing(NamedTuple):
    """What the store holds of the questions that are to be asked."""

    keys: list[str]
    """Of each question, in order; questions of one image and prompt share it."""
    missing: list[Row]
    """Those without an answer, each once."""
    shelf: Shelf
    """Where completions lie."""
    fingerprint: dict[str, Any]
    """What they rest on."""


def stand(vlm: Vlm, questions: pd.DataFrame, images: pd.DataFrame, store: Store) -> Standing:
    """What is there and what is missing; nothing is asked.

    The key of a completion is what can change it: the image's bytes, the prompt, and (in the
    shelf's fingerprint) the model and its generation settings.

    Args:
        vlm: The model.
        questions: `record.Question` rows of one source.
        images: `record.Image` rows of that source, with content hashes.
        store: Keeps completions.
    """
    sha = questions["image_id"].map(images.set_index("image_id")["sha256"])
    # A file that could not be read has no bytes to tell it by.
    content = sha.fillna("no file: " + questions["image_id"])
    most = [None if pd.isna(m) else int(m) for m in questions["max_tokens"]]
    keys = [_key(*of) for of in zip(content, questions["prompt"], most, strict=True)]
    fingerprint = vlm.fingerprint()
    schema = SCHEMA if isinstance(vlm, Remote) else None
    shelf = store.shelf("completions", fingerprint, schema)
    asked = zip(keys, questions["image_id"], questions["prompt"], most, strict=True)
    every = {key: Row(key, *rest) for key, *rest in asked}
    missing = _ordered([every[key] for key in shelf.missing(keys, retry=True)])
    return Standing(keys, missing, shelf, fingerprint)


def answer(
    name: str, vlm: Vlm, questions: pd.DataFrame, images: pd.DataFrame,
    read: Callable[[str], bytes], store: Store, loop: Loop,
) -> Answered:  # fmt: skip
    """Completions of one VLM to every question, from the store where they are.

    Args:
        name: Name of the VLM.
        vlm: The model.
        questions: `record.Question` rows of one source.
        images: `record.Image` rows of that source, with content hashes.
        read: Gives an image's bytes by its id.
        store: Keeps completions.
        loop: How to run.

    Raises:
        OodexpError: If the VLM cannot be asked; `Paused` if it can be later.
    """
    keys, _, shelf, fingerprint = known = stand(vlm, questions, images, store)
    rows = loop.agreed(lambda: known.missing)
    requests = table.frame(Request)
    if rows and isinstance(vlm, Remote):
        requests = _serve(name, vlm, known, rows, read, store, loop)
    elif rows:
        from oodexp.predict.module import AnsweringModule

        module = AnsweringModule(vlm, name)
        items = Asking(rows, read)
        loop.run(f"asking {name}", module, items, loop.answering_batch, {name: shelf})
    found = shelf.read(keys, loop.patience).to_pandas() if keys else pd.DataFrame(columns=_VALUES)
    columns = {"vlm": name, "question_id": questions["question_id"].tolist()}
    # Shards of an older version have fewer columns.
    columns |= {value: found.get(value, pd.Series(None, found.index)) for value in _VALUES}
    columns |= {value: columns[value].astype("Int64") for value in ("tokens", "prompt_tokens")}
    completions = table.frame(Completion, columns)
    return Answered(completions, fingerprint, len(rows), requests)


def _serve(
    name: str, vlm: Remote, known: Standing, rows: list[Row], read: Callable[[str], bytes],
    store: Store, loop: Loop,
) -> pd.DataFrame:  # fmt: skip
    """Asks through a network, in one process; the requests of this run (`record.Request`)."""
    from oodexp.predict.module import ServingModule

    account = Account(store, vlm.payee())

    def work(alone: Loop) -> None:
        with account.opened() as ledger:
            # Another run may have asked while this one waited for its turn.
            still = set(known.shelf.missing([row.key for row in rows], retry=True))
            journal = known.shelf.journal()
            desk = Desk(vlm, ledger, journal)
            items = Sending([row for row in rows if row.key in still], read)
            try:
                alone.run(f"asking {name}", ServingModule(desk), items, loop.answering_batch, {})
            except Paused as pause:
                spent = f"at most {ledger.committed:.4f} spent by all runs so far"
                raise Paused(
                    f"{pause}. Paused: {desk.answered} questions answered in this run and kept, "
                    f"{spent}; the same command goes on where this one stopped"
                ) from pause
            finally:
                desk.close()
                journal.fold()

    loop.once(work)
    return account.requests(name)


_VALUES = [*COLUMNS, "seconds"]


def _ordered(rows: list[Row]) -> list[Row]:
    """Short replies first, questions of an image side by side: a batch goes on to its longest."""
    first = {image: n for n, image in enumerate(dict.fromkeys(row.image_id for row in rows))}
    return sorted(rows, key=lambda row: (row.most or 0, first[row.image_id]))


def _key(sha256: str, prompt: str, most: int | None) -> str:
    limit = "" if most is None else f"\0{most} tokens"
    return hashlib.sha256(f"{sha256}\0{prompt}{limit}".encode()).hexdigest()
