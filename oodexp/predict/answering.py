"""A VLM over questions: images outside, questions inside, every completion kept word for word."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from oodexp import table
from oodexp.columns import Codes, coded
from oodexp.error import Paused
from oodexp.predict.by_image import ByImage, Pending, Row
from oodexp.predict.completion import COLUMNS
from oodexp.predict.content import shown
from oodexp.predict.ledger import Account
from oodexp.predict.loop import Loop
from oodexp.predict.serving import SCHEMA, Desk, Sending
from oodexp.predict.store import ROWS, Shelf, Store
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

    parts: Callable[[], Iterator[pd.DataFrame]]
    """Gives `record.Completion` in the order of the questions, from the store, some at a time."""
    fingerprint: dict[str, Any]
    """What the completions rest on: model and generation settings."""
    asked_questions: int
    """Number of questions that the model was run on; 0 when all came from the store."""
    requests: pd.DataFrame
    """`record.Request` of this run; none for a model that runs here."""

    @property
    def completions(self) -> pd.DataFrame:
        """All of `parts`."""
        return table.concat(Completion, self.parts())


class Asking(ByImage["tuple[Image | None, str | None]", Asked]):
    """Questions with the pixels of their images."""

    def _open(self, image_id: str) -> tuple[Image | None, str | None]:
        return shown(self._read, image_id)

    def _item(self, row: Row, opened: tuple[Image | None, str | None]) -> Asked:
        pixels, reason = opened
        return Asked(row.key, pixels, row.prompt, reason, row.most)


class Standing(NamedTuple):
    """What the store holds of the questions that are to be asked."""

    keys: pa.Array
    """Of each question, text, in order; questions of one image and prompt share it."""
    missing: Pending
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
    fingerprint = vlm.fingerprint()
    schema = SCHEMA if isinstance(vlm, Remote) else None
    shelf = store.shelf("completions", fingerprint, schema)
    image, prompt = coded(questions, "image_id"), coded(questions, "prompt")
    sha = dict(zip(images["image_id"], images["sha256"], strict=True))
    # A file that could not be read has no bytes to tell it by.
    content = [s if isinstance(s := sha.get(i), str) else f"no file: {i}" for i in image.texts]
    most = questions["max_tokens"].fillna(-1).to_numpy(dtype=np.int64)
    keys = _keys(image.codes, content, prompt, most)
    every = Pending(keys, image.codes, image.texts, prompt.codes, prompt.texts, most)
    once = keys.dictionary_encode()
    last = np.empty(len(once.dictionary), np.int64)
    last[once.indices.to_numpy()] = np.arange(len(keys))  # of questions that share a key
    lacking = shelf.lacking(once.dictionary, retry=True)
    return Standing(keys, every.select(last[lacking]).ordered(), shelf, fingerprint)


def _keys(image: np.ndarray, content: Sequence[str], prompt: Codes, most: np.ndarray) -> pa.Array:
    """Keys of questions about images of some content."""
    parts = [pa.array([], pa.large_string())]
    for start in range(0, len(image), ROWS):
        some = slice(start, start + ROWS)
        asked = zip(*(c[some].tolist() for c in (image, prompt.codes, most)), strict=True)
        keys = [_key(content[i], prompt.texts[p], None if m < 0 else m) for i, p, m in asked]
        parts.append(pa.array(keys, pa.large_string()))
    return pa.concat_arrays(parts)


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
    parts = partial(_completions, name, questions["question_id"], shelf, keys, loop.patience)
    return Answered(parts, fingerprint, len(rows), requests)


def _completions(
    name: str, question_ids: pd.Series, shelf: Shelf, keys: pa.Array, patience: float
) -> Iterator[pd.DataFrame]:
    start = 0
    for rows in shelf.read_parts(keys, patience):
        found = rows.to_pandas()
        ids = question_ids.iloc[start : start + len(found)]
        start += len(found)
        columns = {"vlm": np.full(len(found), name, dtype=object), "question_id": ids.array}
        # Shards of an older version have fewer columns.
        columns |= {value: found.get(value, pd.Series(None, found.index)) for value in _VALUES}
        columns |= {value: columns[value].astype("Int64") for value in ("tokens", "prompt_tokens")}
        yield table.frame(Completion, columns)


def _serve(
    name: str, vlm: Remote, known: Standing, rows: Pending, read: Callable[[str], bytes],
    store: Store, loop: Loop,
) -> pd.DataFrame:  # fmt: skip
    """Asks through a network, in one process; the requests of this run (`record.Request`)."""
    from oodexp.predict.module import ServingModule

    account = Account(store, vlm.payee())

    def work(alone: Loop) -> None:
        with account.opened() as ledger:
            # Another run may have asked while this one waited for its turn.
            still = rows.select(known.shelf.lacking(rows.keys, retry=True))
            journal = known.shelf.journal()
            desk = Desk(vlm, ledger, journal)
            items = Sending(still, read)
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


def _key(sha256: str, prompt: str, most: int | None) -> str:
    limit = "" if most is None else f"\0{most} tokens"
    return hashlib.sha256(f"{sha256}\0{prompt}{limit}".encode()).hexdigest()
