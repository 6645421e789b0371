"""Measures the shipped models on a shipped split: ``python -m oodexp.miniature.measure``."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from oodexp.miniature.icon import CATEGORIES
from oodexp.miniature.load import (
    MODELS,
    PROMPT,
    Answerer,
    blip2_logits,
    lit_logits,
    open_clip_logits,
)
from oodexp.miniature.measure_vlm import DIVISIONS, Figures, count_figures, existence_figures
from oodexp.miniature.truth import REASONS, Truth, read_truth
from oodexp.miniature.yardstick import auroc, divide, kappa, signal

SCORERS = {"open_clip": open_clip_logits, "blip2": blip2_logits, "lit": lit_logits}
VLMS = ("fastvlm", "fastvlm_weak")


def _timed(
    score: Callable[[list[Image.Image], list[str]], NDArray[np.float32]], truth: Truth
) -> tuple[NDArray[np.float32], str]:
    texts = [PROMPT.format(name) for name in CATEGORIES]
    score(truth.pictures[:8], texts)
    start = time.process_time()
    logits = score(truth.pictures, texts)
    return logits, f"{len(truth.pictures) / (time.process_time() - start):.0f}"


def scorer_figures(name: str, logits: NDArray[np.float32], truth: Truth) -> Figures:
    """Says how well a scorer recovers what was planted.

    Args:
        name: The scorer's name.
        logits: (n, k) scaled cosines.
        truth: The split.

    Returns:
        Label and value: top-1, AUROC of -S, share flagged by planted reason.
    """
    present = truth.counts > 0
    score, flagged = signal(logits, present)
    canonical = truth.reasons == "canonical"
    single = canonical.sum(1) == 1
    right = logits.argmax(1)[single] == canonical.argmax(1)[single]
    figures = [(f"{name} top-1, one canonical category", f"{right.mean():.3f}")]
    for kind in ("all", "secondary", "variant"):
        use = present if kind == "all" else canonical | (truth.reasons == kind)
        value = auroc(-score[use], ~canonical[use])
        figures.append((f"{name} AUROC of -S, {kind}", f"{value:.3f}"))
    shares = [flagged[truth.reasons == r].mean() for r in REASONS]
    text = " / ".join(f"{share:.2f}" for share in shares)
    return [*figures, (f"{name} flags canonical / variant / secondary", text)]


def division_figures(division: NDArray[np.int64], truth: Truth) -> Figures:
    """Says how large the divisions are and what was planted in them.

    Args:
        division: (n, k) division of each pair.
        truth: The split.

    Returns:
        Label and value.
    """
    present = truth.counts > 0
    figures = []
    for number, name in enumerate(DIVISIONS):
        mine = truth.reasons[present & (division == number)]
        parts = [np.mean(mine == r) for r in REASONS]
        make_up = " / ".join(f"{part:.2f}" for part in parts)
        share = len(mine) / present.sum()
        figures.append(
            (
                f"{name} pairs; canonical / variant / secondary",
                f"{len(mine)} ({share:.1%}); {make_up}",
            )
        )
    return figures


def kappa_figures(flags: dict[str, NDArray[np.bool_]], truth: Truth) -> Figures:
    """Says how far the scorers flag the same pairs, two by two.

    Args:
        flags: (n, k) flags of each scorer.
        truth: The split.

    Returns:
        Label and Cohen's kappa over all present pairs.
    """
    present = truth.counts > 0
    return [
        (f"kappa {one}, {two}", f"{kappa(flags[one][present], flags[two][present]):.3f}")
        for one, two in combinations(flags, 2)
    ]


def measure(
    split: str, models: Path = MODELS, *, scorers_only: bool = False, vlm: str = "fastvlm"
) -> Figures:
    """Measures the scorers and one VLM; open_clip and blip2 make the divisions.

    Args:
        split: ``dev`` or ``test``.
        models: Folder that holds the models' folders.
        scorers_only: Leave the VLM out.
        vlm: Folder of the VLM.

    Returns:
        Label and value of every figure.
    """
    import torch

    torch.set_num_threads(1)
    truth = read_truth(split)
    speeds, flags, figures = [], {}, []
    for name, score in SCORERS.items():
        logits, speed = _timed(partial(score, folder=models / name), truth)
        speeds.append(speed)
        flags[name] = signal(logits, truth.counts > 0)[1]
        figures += scorer_figures(name, logits, truth)
    division = divide(flags["open_clip"], flags["blip2"])
    figures = [(f"images per CPU second, {' / '.join(SCORERS)}", " / ".join(speeds)), *figures]
    figures += kappa_figures(flags, truth) + division_figures(division, truth)
    if scorers_only:
        return figures
    answerer = Answerer(models / vlm)
    return [
        *figures,
        *existence_figures(answerer, division, truth),
        *count_figures(answerer, division, truth),
    ]


def main(arguments: list[str] | None = None) -> None:
    """Measures and shows a table.

    Args:
        arguments: Words of the command line; None takes those of the process.
    """
    from rich.console import Console
    from rich.table import Table

    parser = argparse.ArgumentParser(
        prog="python -m oodexp.miniature.measure",
        description="Measures the miniature's models on a split.",
    )
    parser.add_argument("--split", choices=("dev", "test"), default="dev")
    parser.add_argument("--models", type=Path, default=MODELS, metavar="DIR")
    parser.add_argument("--scorers-only", action="store_true")
    parser.add_argument("--vlm", choices=VLMS, default=VLMS[0])
    asked = parser.parse_args(arguments)
    table = Table("figure", "value", title=f"miniature, {asked.split}")
    only = asked.scorers_only
    for row in measure(asked.split, asked.models, scorers_only=only, vlm=asked.vlm):
        table.add_row(*row)
    Console().print(table)


if __name__ == "__main__":
    main()
