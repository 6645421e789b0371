"""Measures the shipped models on a shipped split: ``python -m oodexp.miniature.measure``."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from oodexp.miniature.icon import CATEGORIES
from oodexp.miniature.load import MODELS, PROMPT, Answerer, blip2_logits, open_clip_logits
from oodexp.miniature.measure_vlm import DIVISIONS, Figures, count_figures, existence_figures
from oodexp.miniature.truth import REASONS, Truth, read_truth
from oodexp.miniature.yardstick import auroc, divide, signal


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


def measure(split: str, models: Path = MODELS, *, scorers_only: bool = False) -> Figures:
    """Measures all three models.

    Args:
        split: ``dev`` or ``test``.
        models: Folder that holds ``open_clip``, ``blip2`` and ``fastvlm``.
        scorers_only: Leave the VLM out.

    Returns:
        Label and value of every figure.
    """
    import torch

    torch.set_num_threads(1)
    truth = read_truth(split)
    one, fast = _timed(lambda p, t: open_clip_logits(p, t, models / "open_clip"), truth)
    two, quick = _timed(lambda p, t: blip2_logits(p, t, models / "blip2"), truth)
    present = truth.counts > 0
    division = divide(signal(one, present)[1], signal(two, present)[1])
    figures = [("images per CPU second, open_clip / blip2", f"{fast} / {quick}")]
    figures += scorer_figures("open_clip", one, truth) + scorer_figures("blip2", two, truth)
    figures += division_figures(division, truth)
    if scorers_only:
        return figures
    vlm = Answerer(models / "fastvlm")
    return [
        *figures,
        *existence_figures(vlm, division, truth),
        *count_figures(vlm, division, truth),
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
    asked = parser.parse_args(arguments)
    table = Table("figure", "value", title=f"miniature, {asked.split}")
    for row in measure(asked.split, asked.models, scorers_only=asked.scorers_only):
        table.add_row(*row)
    Console().print(table)


if __name__ == "__main__":
    main()
