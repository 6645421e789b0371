"""A small run: three images of two sources, hostile ids and texts, questions of every kind."""

from __future__ import annotations

import hashlib
import io
from typing import Any

import numpy as np
import pandas as pd
from PIL import Image

from oodexp import record, table
from oodexp.export.base import Content, Sheet

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


SCORERS = {
    "clip": {"link": "softmax", "fingerprint": {"weights": "w"}},
    "siglip": {"link": "sigmoid", "fingerprint": {"weights": "v"}},
}


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


def sheets() -> list[Sheet]:
    """Annotations of both sources: what is no pair is absent, but for one unknown cell."""
    found = []
    for source in ("left", "right"):
        images = [image for name, image in FILES if name == source]
        categories = list(dict.fromkeys(c for s, _, c, *_ in PAIRS if s == source))
        presence = np.zeros((len(images), len(categories)), np.uint8)
        for name, image, category, *_ in PAIRS:
            if name == source:
                presence[images.index(image), categories.index(category)] = record.PRESENT
        logits = {
            name: np.random.default_rng(seed).normal(size=presence.shape).astype(np.float32)
            for seed, name in enumerate(SCORERS)
        }
        licences = {images[0]: "CC0 1.0"}
        found.append(Sheet(source, images, categories, presence, logits, licences))
    found[0].presence[1, 1] = record.UNKNOWN
    found[0].logits["clip"][0, 1] = np.nan
    return found


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
        "sheets": sheets(),
        "scorers": SCORERS,
        "about": {"run": "made | for a test", "licence of images": "CC0"},
    }
    return Content(**(given | other))
