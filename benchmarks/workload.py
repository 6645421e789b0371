"""What the scoring benchmark works on, on all sides: random weights, photographs, names."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

MODEL = "ViT-B-32"
TEMPLATE = "a photo of a {}"

_NAMES = (
    "person,bicycle,car,motorcycle,airplane,bus,train,truck,boat,traffic light,fire hydrant,"
    "stop sign,parking meter,bench,bird,cat,dog,horse,sheep,cow,elephant,bear,zebra,giraffe,"
    "backpack,umbrella,handbag,tie,suitcase,frisbee,skis,snowboard,sports ball,kite,baseball bat,"
    "baseball glove,skateboard,surfboard,tennis racket,bottle,wine glass,cup,fork,knife,spoon,bowl,"
    "banana,apple,sandwich,orange,broccoli,carrot,hot dog,pizza,donut,cake,chair,couch,"
    "potted plant,bed,dining table,toilet,tv,laptop,mouse,remote,keyboard,cell phone,microwave,"
    "oven,toaster,sink,refrigerator,book,clock,vase,scissors,teddy bear,hair drier,toothbrush"
)
COCO = _NAMES.split(",")
"""The 80 category names of COCO."""

OTHERS = [f"toy {name}" for name in COCO]
"""As many names again, none of them in the first list."""


@dataclass(frozen=True, slots=True)
class Size:
    """How much is done."""

    images: int
    pairs: int
    """Runs of each side of S1; S2 makes fewer."""
    models: int
    names: int
    division: int
    seconds: float
    """For the peak of each number format."""
    workers: tuple[int, ...]
    """Numbers of processes that the baseline is tried with."""
    plain: tuple[str, ...]
    """Number formats in which the loop of the README is run."""


FULL = Size(
    images=512,
    pairs=5,
    models=4,
    names=80,
    division=1_000_000,
    seconds=20,
    workers=(0, 2, 4),
    plain=("float32", "bfloat16"),
)
QUICK = Size(
    images=32,
    pairs=1,
    models=2,
    names=8,
    division=100_000,
    seconds=2,
    workers=(0,),
    plain=("float32",),
)


def weights(folder: Path, count: int) -> list[str]:
    """Checkpoints of the full-size model, randomly initialised from seeds 0, 1, ..."""
    import logging

    import open_clip
    import torch

    folder.mkdir(parents=True, exist_ok=True)
    logging.disable(logging.WARNING)  # open_clip says that they are random
    files = []
    for seed in range(count):
        torch.manual_seed(seed)
        file = folder / f"random-{seed}.pt"
        torch.save(open_clip.create_model(MODEL).state_dict(), file)
        files.append(str(file))
    logging.disable(logging.NOTSET)
    return files


def photographs(folder: Path, count: int) -> str:
    """Fills `folder/any` with JPEG files, each of other bytes.

    Returns:
        What they show, for the notes: photographs of COCO where they lie beside the repository,
        else drawn pictures of the same size.
    """
    folder = folder / "any"
    folder.mkdir(parents=True, exist_ok=True)
    real = Path(__file__).resolve().parents[2] / "shared/data/coco128/images"
    files = sorted(real.glob("*.jpg")) if real.is_dir() else []
    originals = [file.read_bytes() for file in files] or [_drawn(n) for n in range(128)]
    for number in range(count):
        # What follows the end of a JPEG is not decoded, but gives each copy content of its own.
        data = originals[number % len(originals)] + number.to_bytes(4, "big")
        (folder / f"{number:06d}.jpg").write_bytes(data)
    kind = "photographs of COCO" if files else "drawn pictures of COCO's size"
    return f"{count} images ({min(count, len(originals))} {kind}, repeated)"


def _drawn(seed: int) -> bytes:
    """640 x 480 pixels whose coarse and fine structure make about COCO's size in bytes."""
    import io

    import numpy as np
    from PIL import Image

    rng = np.random.default_rng(seed)
    coarse = Image.fromarray(rng.integers(0, 256, (12, 16, 3), np.uint8))
    smooth = np.asarray(coarse.resize((640, 480), Image.Resampling.BICUBIC), np.float32)
    noisy = smooth + rng.normal(0, 12, smooth.shape)
    sink = io.BytesIO()
    Image.fromarray(noisy.clip(0, 255).astype(np.uint8)).save(sink, "jpeg", quality=90)
    return sink.getvalue()


def threads() -> int:
    """Processor threads that each side may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def flops_of_image() -> float:
    """Floating-point operations of the image tower, multiply and add counted apart."""
    width, layers, side, patch, out = 768, 12, 224, 32, 512
    patches = (side // patch) ** 2
    tokens = patches + 1
    embed = patches * 3 * patch**2 * width
    # Queries, keys, values and output: 4; the two layers of the MLP: 8 squares of the width.
    block = tokens * 12 * width**2 + 2 * tokens**2 * width
    return 2.0 * (embed + layers * block + width * out)
