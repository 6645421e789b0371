"""Trains everything the miniature ships, from nothing: ``python -m oodexp.miniature.train``."""

from __future__ import annotations

import argparse
from pathlib import Path

from oodexp.miniature.dial import SPLIT_SIZE
from oodexp.miniature.load import HOME
from oodexp.miniature.world import World, draw_split, write_split
from oodexp.shipped import pin

PARTS = ("data", "open_clip", "blip2", "fastvlm", "lit", "fastvlm_weak", "concept")


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """Reads the command line.

    Args:
        arguments: Words of the command line; None takes those of the process.

    Returns:
        Fields ``only``, ``out``, ``seed``, ``workers``, ``scenes`` and ``steps``.
    """
    parser = argparse.ArgumentParser(
        prog="python -m oodexp.miniature.train",
        description="Draws the miniature world and the concepts, and trains their models from "
        "nothing. About 55 minutes of one core for all; every part can be run alone.",
    )
    parser.add_argument(
        "--only",
        choices=PARTS,
        action="append",
        help="make this part only; may be given more than once",
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=HOME,
        metavar="DIR",
        help="where data/ and models/ go (default: into the package)",
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=0,
        help="seed of weights, batches and questions; the world has its own seeds",
    )
    parser.add_argument("--workers", type=int, default=2, help="processes that draw scenes")
    parser.add_argument(
        "--scenes",
        type=int,
        default=SPLIT_SIZE["train"],
        help="training scenes to draw; concept encoders have fewer of their own",
    )
    parser.add_argument(
        "--steps",
        type=int,
        default=None,
        help="shorten every training to this many steps, for a trial run",
    )
    return parser.parse_args(arguments)


def _train_open_clip(world: World, out: Path, seed: int, steps: int | None) -> None:
    from oodexp.miniature.open_clip_folder import save_open_clip
    from oodexp.miniature.train_open_clip import CONTEXT, STEPS, model_config, train_open_clip
    from oodexp.miniature.vocabulary import make_tokenizer

    model = train_open_clip(world, seed, steps or STEPS)
    tokenizer = make_tokenizer("caption", CONTEXT)
    save_open_clip(model, model_config(), tokenizer, out / "models" / "open_clip")


def _train_blip2(world: World, out: Path, seed: int, steps: int | None) -> None:
    from oodexp.miniature.train_blip2 import STEPS, save_blip2, train_blip2

    save_blip2(*train_blip2(world, seed, steps or STEPS), out / "models" / "blip2")


def _train_fastvlm(world: World, out: Path, seed: int, steps: int | None) -> None:
    from oodexp.miniature.fastvlm import save_fastvlm
    from oodexp.miniature.train_fastvlm import STEPS, train_fastvlm

    course = STEPS if steps is None else (steps, steps, steps)
    save_fastvlm(train_fastvlm(world, seed, course), out / "models" / "fastvlm")


def _train_lit(world: World, out: Path, seed: int, steps: int | None) -> None:
    from oodexp.miniature.lit import save_lit
    from oodexp.miniature.train_lit import STEPS, train_lit

    course = STEPS if steps is None else (steps, steps)
    save_lit(train_lit(world, seed, course), out / "models" / "lit")


def _train_fastvlm_weak(world: World, out: Path, seed: int, steps: int | None) -> None:
    from oodexp.miniature.fastvlm import save_fastvlm
    from oodexp.miniature.train_fastvlm_weak import STEPS, train_fastvlm_weak

    course = STEPS if steps is None else (steps, steps, steps)
    save_fastvlm(train_fastvlm_weak(world, seed, course), out / "models" / "fastvlm_weak")


def _make_concept(out: Path, seed: int, steps: int | None, scenes: int) -> None:
    from oodexp.miniature.concept_world import write_concepts
    from oodexp.miniature.train_concept import train_concepts

    write_concepts(out / "data")
    train_concepts(out / "models", seed, steps, scenes)


_TRAINERS = {
    "open_clip": _train_open_clip,
    "blip2": _train_blip2,
    "fastvlm": _train_fastvlm,
    "lit": _train_lit,
    "fastvlm_weak": _train_fastvlm_weak,
}


def _scenes(parts: list[str], asked: int) -> int:
    """How many scenes to draw: the weaker VLM alone needs few."""
    from oodexp.miniature.train_fastvlm_weak import SCENES

    return min(asked, SCENES) if parts == ["fastvlm_weak"] else asked


def main(arguments: list[str] | None = None) -> None:
    """Makes the parts asked for, in the order of ``PARTS``.

    Args:
        arguments: Words of the command line; None takes those of the process.
    """
    asked = parse(arguments)
    parts = [part for part in PARTS if asked.only is None or part in asked.only]
    if "data" in parts:
        for split, size in SPLIT_SIZE.items():
            write_split(
                split, size, asked.out / "data", asked.workers, with_images=split != "train"
            )
    if "concept" in parts:
        _make_concept(asked.out, asked.seed, asked.steps, asked.scenes)
    trained = [part for part in parts if part in _TRAINERS]
    if trained:
        world = draw_split("train", _scenes(trained, asked.scenes), asked.workers)
        for part in trained:
            _TRAINERS[part](world, asked.out, asked.seed, asked.steps)
    pin(asked.out)


if __name__ == "__main__":
    main()
