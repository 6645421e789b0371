"""A review in progress: the sample, its pictures and the verdicts so far."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from oodexp.pixel import UnreadableImage, decode, header, media_type, orientation
from oodexp.review.outline import Box, fractions, frame
from oodexp.review.sample import PAIR, RULE
from oodexp.review.standing import UNDO, VERDICT, key, last_of, proper, standing

if TYPE_CHECKING:
    from oodexp.review.journal import Journal
    from oodexp.review.sample import Sample

Read = Callable[[str, str], bytes]
"""Bytes of an image, by source and id; raises OSError."""
Outline = Callable[[str, str, str], Sequence[Box] | None]
"""Boxes of a pair in pixels as annotated, by source, id and category; None where the source knows
of none."""


class Session:
    """Answers what the page asks; knows pairs by their number in the sample.

    Args:
        sample: The pairs.
        journal: Where verdicts go.
        read: Gives images.
        outline: Gives boxes.
        sizes: Annotated width and height by source and id of an image.
        raters: Names that may judge; any when empty.
    """

    def __init__(
        self, sample: Sample, journal: Journal, read: Read, outline: Outline,
        sizes: Mapping[tuple[str, str], tuple[int, int]], raters: Sequence[str] = (),
    ) -> None:  # fmt: skip
        self._sample = sample
        self._journal = journal
        self._read = read
        self._outline = outline
        self._sizes = sizes
        self._raters = list(raters)
        self._pairs = [tuple(row) for row in sample.rows[PAIR].itertuples(index=False)]
        self._number = {pair: n for n, pair in enumerate(self._pairs)}

    def __len__(self) -> int:
        return len(self._pairs)

    def may(self, rater: str) -> bool:
        """Whether somebody of this name may judge."""
        if self._raters:
            return rater in self._raters
        return proper(rater)

    def raters(self) -> dict[str, Any]:
        """Who may judge, and how far each is that has begun."""
        rows = standing(self._journal.lines).rows
        begun = dict.fromkeys([*self._raters, *(line["rater"] for line in rows)], 0)
        for line in rows:
            begun[line["rater"]] += 1
        return {"only": bool(self._raters), "done": begun, "n": len(self)}

    def seen_by(self, rater: str) -> dict[str, Any]:
        """What a rater is shown: pairs, in the own order, and the own verdicts. No split."""
        return {
            "order": self._sample.order(rater),
            "pairs": [
                {"source": source, "image_id": image_id, "category": category}
                for source, image_id, category in self._pairs
            ],
            "verdicts": self._verdicts(rater),
        }

    def judge(self, rater: str, pair: int, given: Mapping[str, Any]) -> dict[str, Any]:
        """Puts a verdict on the disk.

        Args:
            rater: Who gives it.
            pair: Number of the pair.
            given: `id`, `verdict`, `reason`, `note` and `seconds`.
        """
        self._journal.append({"kind": VERDICT, **self._head(rater, self._pairs[pair]), **given})
        return {"verdicts": self._verdicts(rater), "pair": pair}

    def undo(self, rater: str, mark: str) -> dict[str, Any]:
        """Takes the last standing verdict of a rater back, by a line of its own.

        Args:
            rater: Whose.
            mark: Names this undo: the same again takes nothing more back.
        """
        lines = self._journal.lines
        last = last_of(lines, rater)
        if last is None or any(line.get("id") == mark for line in lines):
            return {"verdicts": self._verdicts(rater), "pair": None}
        self._journal.append({"kind": UNDO, **self._head(rater, key(last)), "id": mark})
        return {"verdicts": self._verdicts(rater), "pair": self._number[key(last)]}

    def image(self, pair: int) -> tuple[bytes, str]:
        """Bytes and media type of a picture, as the models are shown it.

        Raises:
            OSError: If the file cannot be read, or has changed since the run.
            UnreadableImage: If it is no picture.
        """
        source, image_id, _ = self._pairs[pair]
        data = self._read(source, image_id)
        if self._sample.bytes_of[pair] not in ("", hashlib.sha256(data).hexdigest()):
            raise OSError("the file is another one than when the run read it")
        kind = media_type(data)
        if kind is not None:
            return data, kind
        buffer = io.BytesIO()
        decode(data).save(buffer, "PNG", compress_level=1)
        return buffer.getvalue(), "image/png"

    def boxes(self, pair: int) -> list[Box] | None:
        """Boxes of a pair as fractions of the picture; None where none are known."""
        source, image_id, category = self._pairs[pair]
        found = self._outline(source, image_id, category)
        if not found:
            return None
        try:
            data = self._read(source, image_id)
            sizes, tag = header(data), orientation(data)
        except (OSError, UnreadableImage):
            return None
        size, turn = frame(self._sizes.get((source, image_id)), sizes.raw, sizes.shown, tag)
        return fractions(found, size, turn)

    def _verdicts(self, rater: str) -> dict[int, dict[str, Any]]:
        return {
            self._number[key(line)]: {n: line.get(n) for n in ("verdict", "reason", "note")}
            for line in standing(self._journal.lines).rows
            if line["rater"] == rater and key(line) in self._number
        }

    def _head(self, rater: str, pair: tuple[str, str, str]) -> dict[str, Any]:
        return {
            "rater": rater, **dict(zip(PAIR, pair, strict=True)),
            "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "sample": self._sample.digest, "rule": RULE,
        }  # fmt: skip
