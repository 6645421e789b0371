"""A division of twelve images in two sources, and a review of it."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
import pytest
from PIL import Image

from oodexp import record, table
from oodexp.review.journal import Journal
from oodexp.review.sample import Sample, draw, population
from oodexp.review.session import Session

SPLITS = ("ID", "OOD-S", "OOD-H")
ODD = '<img src=x onerror="document.title=1">'
"""A category that would act if it were taken for markup."""


def png(shade: int) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (8, 6), (shade, 90, 30)).save(buffer, "PNG")
    return buffer.getvalue()


def picture(source: str, image_id: str) -> bytes:
    return png(int(image_id) * 20 + len(source))


@dataclass
class Division:
    """Tables of a run; image `i` of a source has pairs of two categories."""

    memberships: pd.DataFrame
    images: pd.DataFrame
    asked: list[tuple[str, str]] = field(default_factory=list)

    def read(self, source: str, image_id: str) -> bytes:
        self.asked.append((source, image_id))
        return picture(source, image_id)

    def sample(self, per_stratum: int | None = 3, seed: int = 0) -> Sample:
        pairs = population(self.memberships, True, ["split", "source"])
        return draw(pairs, self.images, per_stratum, seed)


@pytest.fixture
def division() -> Division:
    members, images = [], []
    for source in ("a", "bb"):
        for number in range(6):
            digest = hashlib.sha256(picture(source, str(number))).hexdigest()
            images.append(record.Image(source, str(number), f"{number}.png", digest, 8, 6, 2))
            for n, category in enumerate(("apple", ODD)):
                split = SPLITS[(number + n) % 3]
                key = (source, str(number), category)
                members.append(record.Membership(*key, True, split, n, 2, True, None))
    return Division(table.frame(record.Membership, members), table.frame(record.Image, images))


@pytest.fixture
def sample(division: Division) -> Sample:
    return division.sample()


@pytest.fixture
def journal(tmp_path: Path, sample: Sample) -> Iterator[Journal]:
    with Journal(tmp_path / "review" / "verdicts.jsonl", sample.digest) as opened:
        yield opened


@pytest.fixture
def session(division: Division, sample: Sample, journal: Journal) -> Session:
    def outline(source: str, image_id: str, category: str) -> list[tuple[float, ...]] | None:
        return [(2.0, 3.0, 4.0, 3.0)] if source == "a" else None

    sizes = {(s, str(n)): (8, 6) for s in ("a", "bb") for n in range(6)}
    return Session(sample, journal, division.read, outline, sizes)
