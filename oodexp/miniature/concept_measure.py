"""The figures of the concept miniature: ``python -m oodexp.miniature.concept_measure``."""

from __future__ import annotations

import argparse
import io
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from oodexp.miniature.concept_course import COURSES
from oodexp.miniature.concept_idea import CONCEPTS, FAMILIES
from oodexp.miniature.concept_world import draw_part
from oodexp.miniature.icon import CATEGORIES
from oodexp.miniature.load import MODELS, PROMPT, open_clip_logits
from oodexp.miniature.yardstick import auroc

PHRASES = tuple(idea.phrase for idea in CONCEPTS)


class Pictures(NamedTuple):
    """The pictures of a part."""

    pictures: list[Image.Image]
    """n RGB pictures."""
    phrase: list[str]
    """Concept of each."""
    family: NDArray[np.str_]
    """Family of each."""


class Figures(NamedTuple):
    """What is measured of one model."""

    id_top1: float
    """Share of ID pictures whose category's text is nearest among the 22."""
    auroc: dict[str, float]
    """By family: chance that a picture is nearer to its own phrase than to another's."""
    recognised: dict[str, float]
    """By family: share of pictures whose own phrase is above Q95, the 95th percentile over ID
    pictures of the nearest concept phrase."""
    survive: dict[str, float]
    """By family: share of pictures that rule 1 keeps, the nearest ID text being farther than for
    95 % of the ID pictures."""


def read_part(part: str, split: str) -> Pictures:
    """Draws a part anew.

    Args:
        part: One of ``concept_world.PARTS``.
        split: ``dev`` or ``test``.
    """
    drawn = draw_part(part, split)
    pictures = [Image.open(io.BytesIO(one.png)).convert("RGB") for one in drawn]
    families = np.array([one.row.category for one in drawn])
    return Pictures(pictures, [one.row.phrase for one in drawn], families)


def figures(
    concepts: NDArray[np.float32],
    common: NDArray[np.float32],
    phrase: NDArray[np.int64],
    family: NDArray[np.str_],
    category: NDArray[np.int64],
) -> Figures:
    """Measures a model from its cosines (or any multiple of them).

    Args:
        concepts: (n, 70 + 22) of the benchmark's pictures with its phrases, then the ID names.
        common: (m, 70 + 22) of the ID pictures with the same texts.
        phrase: (n,) number of each picture's phrase.
        family: (n,) its family.
        category: (m,) number of each ID picture's name.
    """
    number = len(PHRASES)
    own = concepts[np.arange(len(phrase)), phrase]
    others = np.arange(number)[None] != phrase[:, None]
    least = np.quantile(common[:, :number].max(1), 0.95)
    nearest = np.quantile(common[:, number:].max(1), 0.05)
    ranks, recognised, survive = {}, {}, {}
    for name in FAMILIES:
        mine = family == name
        wrong = concepts[mine, :number][others[mine]]
        scores = np.concatenate([own[mine], wrong])
        ranks[name] = auroc(scores, np.arange(len(scores)) < mine.sum())
        recognised[name] = float((own[mine] > least).mean())
        survive[name] = float((concepts[mine, number:].max(1) < nearest).mean())
    top1 = float((common[:, number:].argmax(1) == category).mean())
    return Figures(top1, ranks, recognised, survive)


def measure(folder: Path, split: str) -> Figures:
    """Measures a model on a split drawn anew.

    Args:
        folder: Its ``local-dir:`` folder.
        split: ``dev`` or ``test``.
    """
    texts = [PROMPT.format(text) for text in (*PHRASES, *CATEGORIES)]
    shown, common = read_part("concepts", split), read_part("id", split)
    return figures(
        open_clip_logits(shown.pictures, texts, folder),
        open_clip_logits(common.pictures, texts, folder),
        np.array([PHRASES.index(phrase) for phrase in shown.phrase]),
        shown.family,
        np.array([CATEGORIES.index(name) for name in common.phrase]),
    )


def main(arguments: list[str] | None = None) -> None:
    """Prints the figures of all concept encoders as a table.

    Args:
        arguments: Words of the command line; None takes those of the process.
    """
    from rich.console import Console
    from rich.table import Table

    parser = argparse.ArgumentParser(prog="python -m oodexp.miniature.concept_measure")
    parser.add_argument("--split", choices=("dev", "test"), default="test")
    parser.add_argument("--models", type=Path, default=MODELS, metavar="DIR")
    asked = parser.parse_args(arguments)
    found = {name: measure(asked.models / name, asked.split) for name in COURSES}
    table = Table("AUROC / recognised / kept by rule 1", *found)
    table.add_row("ID top-1", *(f"{one.id_top1:.3f}" for one in found.values()))
    for name in FAMILIES:
        table.add_row(name, *(
            f"{one.auroc[name]:.3f} / {one.recognised[name]:.2f} / {one.survive[name]:.2f}"
            for one in found.values()
        ))  # fmt: skip
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
