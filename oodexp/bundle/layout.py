"""What a bundle is made of: names and versions that its writer and its readers share.

    bundle.json        format, version, sources, scorers, provenance, SHA-256 of every file
    tables/            images, pairs, memberships, signals, questions, problems: records as Parquet
    presence/N.parquet codes of every (image, category) of source N, a row an image
    scores/K-N.parquet logits of scorer K on source N, a row an image
    images/            the files of the images, unless they are named by reference
    index.jsonl        where each question stands, as in every export
    README.md          the data card
    checksums.sha256   as `sha256sum --check` reads it

Sources and scorers are counted from 0 in the order of `bundle.json`. The same run gives the same
bytes in every file but those of `NAMING_THE_RUN`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from oodexp import record

FORMAT: Final = "oodexp-bundle"
VERSION: Final = 1
"""Raised when a reader of the version before could not read the folder, or would misread it."""

MANIFEST: Final = "bundle.json"
SUMS: Final = "checksums.sha256"
INDEX: Final = "index.jsonl"
CARD: Final = "README.md"

NAMING_THE_RUN: Final = (MANIFEST, CARD, SUMS)
"""Files that tell the run, its command and its machine, or hold a digest of one that does."""

TABLES: Final[Mapping[str, type]] = {
    "images": record.BundledImage,
    "pairs": record.Pair,
    "memberships": record.Membership,
    "signals": record.Signal,
    "questions": record.Question,
    "problems": record.Problem,
}
"""Record of each table."""

INCLUDE: Final = "include"
REFERENCE: Final = "reference"
IMAGES: Final = (INCLUDE, REFERENCE)
"""Whether the image files are in the bundle, or named by path and SHA-256."""


def table_file(name: str) -> str:
    """Path of a table below the bundle."""
    return f"tables/{name}.parquet"


def presence_file(source: int) -> str:
    """Path of the presence of a source, by its number."""
    return f"presence/{source}.parquet"


def score_file(scorer: int, source: int) -> str:
    """Path of the logits of a scorer on a source, by their numbers."""
    return f"scores/{scorer}-{source}.parquet"
