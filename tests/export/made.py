"""A small run: three images of two sources, hostile ids and texts, questions of every kind."""

from __future__ import annotations

import hashlib
import io
from typing import Any

import numpy as np
import pandas as pd
from PIL import Image

from oodexp import record, table
from oodexp.export.base import Content

CLIMB = "../../climb"
NESTED = "a/b\\c"
MARKUP = "<script>alert('1')</script>\t|\n\"two\""


def picture(seed: int, form: str, side: int = 24) -> bytes:
    pixels = np.random.default_rng(seed).integers(0, 256, (side, side, 3), np.uint8)
    sink = io.BytesIO()
    Image.fromarray(pixels).save(sink, form)
    return sink.getvalue()


FILES = {
    ("left", CLIMB): picture(1, "PNG"),
    ("left", NESTED): picture(2, "JPEG"),
    ("right", CLIMB): picture(3, "WEBP"),
}
"""Bytes by image; one id stands in both sources."""

PAIRS = [
    ("left", CLIMB, "dog", "ID", True),
    ("left", CLIMB, MARKUP, "OOD-H", True),
    ("left", NESTED, "dog", "OOD-H", True),
    ("right", CLIMB, "traffic light", "OOD-S", True),
    ("right", CLIMB, "left over", "ID", False),
]
"""Source, image, category, split, drawn."""


def question(pair: tuple[str, str, str, str, bool], kind: str, polarity: str) -> record.Question:
    source, image, category, split, _ = pair
    asked = {"present": "contain", "absent": "not contain", "count": "show how many"}[polarity]
    target = {"present": "yes", "absent": "no", "count": "3"}[polarity]
    return record.Question(
        f"{source}/{image}/{category}/{kind}/{polarity}", source, image, category, kind, polarity,
        f"Does this image {asked}\t{category}?", target, split=split,
    )  # fmt: skip


def questions(counting: bool = True) -> pd.DataFrame:
    """Both polarities of every pair, then a count of some: an image's are not side by side."""
    rows = [question(p, "existence", polarity) for p in PAIRS for polarity in ("present", "absent")]
    rows += [question(p, "counting", "count") for p in PAIRS[:3]] if counting else []
    return table.frame(record.Question, rows)


def content(**other: Any) -> Content:
    """The run; `other` replaces fields of `Content`."""
    images = [
        record.Image(
            source, image, image, hashlib.sha256(FILES[source, image]).hexdigest(), 24, 24, 1
        )
        for source, image in FILES
    ]
    members = [
        record.Membership(s, i, c, True, split, 0, 1, drawn, None)
        for s, i, c, split, drawn in PAIRS
    ]
    pairs = [record.Pair(s, i, c, 3, None, None, None) for s, i, c, _, _ in PAIRS]
    given = {
        "questions": questions(),
        "memberships": table.frame(record.Membership, members),
        "pairs": table.frame(record.Pair, pairs),
        "images": table.frame(record.Image, images),
        "read": lambda source, image: FILES[source, image],
        "about": {"run": "made | for a test", "licence of images": "CC0"},
    }
    return Content(**(given | other))
