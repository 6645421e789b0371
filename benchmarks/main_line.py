"""`experiment=main` on the embedded default: time, memory, and the rate of each model.

Targets on two idle cores, after installation: 120 s the first time, 25 s when all is stored, 3 GB.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.timing import json_file, of_call, of_command, publish

if TYPE_CHECKING:
    from PIL.Image import Image

IMAGES = 512
QUESTIONS = 512


def main() -> None:
    """Runs the main line twice and each model alone."""
    json_file(__doc__ or "")  # before the work, so that --help answers at once
    rows: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="oodexp-bench-") as folder:
        log = Path(folder) / "log"
        command = [sys.executable, "-m", "oodexp.run", "experiment=main", f"paths.runs={folder}/r"]
        for name in ("first", "stored"):
            cost = of_command(command, log)
            if cost.status != 0:
                sys.exit(log.read_text())
            rows[f"{name}_seconds"] = cost.wall
            rows[f"{name}_cpu_seconds"] = cost.cpu
            rows[f"{name}_peak_gb"] = cost.memory
    rows |= _rates()
    notes = "_per_cpu_second: one thread's worth; decoding and preprocessing included"
    publish("experiment=main on the miniature", rows, notes, __doc__ or "")


def _rates() -> dict[str, float]:
    """Images and questions per second of processor time, warm, of the default's models."""
    import torch
    from hydra import compose, initialize_config_module
    from hydra.utils import instantiate

    from oodexp.pixel import decode
    from oodexp.setting import register_resolvers

    register_resolvers()
    torch.set_num_threads(1)
    with initialize_config_module("oodexp.conf", version_base="1.3"):
        config = compose("config")
    source = instantiate(config.source.miniature)
    ids = source.images()["image_id"].tolist()[:IMAGES]
    files = [source.read(i) for i in ids]
    rates = {}
    for name, scorer in instantiate(config.scorer, _convert_="all").items():
        rates[f"{name}_images_per_cpu_second"] = _score(scorer, files, decode)
    pairs = source.pairs().head(QUESTIONS)
    images = {i: decode(source.read(i)) for i in dict.fromkeys(pairs["image_id"])}
    prompts = [f"Does this image contain a {c}? (yes or no)" for c in pairs["category"]]
    for name, vlm in instantiate(config.vlm, _convert_="all").items():
        asked = [images[i] for i in pairs["image_id"]]
        rates[f"{name}_questions_per_cpu_second"] = _ask(vlm, asked, prompts)
    return rates


def _score(scorer: Any, files: list[bytes], decode: Any) -> float:
    import torch

    def run(some: list[bytes]) -> None:
        with torch.inference_mode():
            for start in range(0, len(some), 64):
                block = [scorer.preprocess(decode(data)) for data in some[start : start + 64]]
                scorer.encode_images(torch.stack(block))

    scorer.load("cpu")
    run(files[:64])
    return len(files) / of_call(lambda: run(files)).cpu


def _ask(vlm: Any, images: list[Image], prompts: list[str]) -> float:
    def run(count: int) -> None:
        for start in range(0, count, 64):
            vlm.complete(images[start : start + 64], prompts[start : start + 64])

    vlm.load("cpu")
    run(64)
    return len(prompts) / of_call(lambda: run(len(prompts))).cpu


if __name__ == "__main__":
    main()
