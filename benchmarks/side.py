"""The process behind `benchmarks.task`: `python -m benchmarks.side FOLDER`."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.task import Task, read, say
from benchmarks.workload import MODEL, TEMPLATE
from oodexp.process import settle

Work = Callable[[], tuple[np.ndarray, int]]
"""What is timed: gives cosines (model, image, category) and the number of images scored."""


def main() -> None:
    """Loads, makes a first batch, then times the work."""
    scratch = Path(sys.argv[1])
    task = read(scratch)
    if task.side == "oodexp":
        settle()  # as the command does; the other sides run as their own commands do
    import torch

    torch.set_num_threads(task.threads)
    work = {"oodexp": ours, "clip_benchmark": theirs, "readme": plain}[task.side](task)
    start, clock = _cpu(), time.perf_counter()
    cosines, scored = work()
    cost = _cpu() - start, time.perf_counter() - clock
    memory = max(resource.getrusage(who).ru_maxrss for who in _WHO) * 1024 / 1e9
    say(scratch, cost, start, memory, cosines, scored)


_WHO = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)


def _cpu() -> float:
    used = [resource.getrusage(who) for who in _WHO]
    return sum(u.ru_utime + u.ru_stime for u in used)


def ours(task: Task) -> Work:
    """The scoring stage of oodexp, from files to the whole matrix of logits."""
    import torch

    import oodexp.predict.module  # noqa: F401 - Lightning, imported at the first loop else
    from oodexp.predict.loop import Loop
    from oodexp.predict.store import Store
    from oodexp.scorer.open_clip import OpenClip

    class Counted(OpenClip):
        def encode_images(self, batch: torch.Tensor) -> torch.Tensor:
            if task.log:
                with Path(task.log).open("ab") as sink:
                    sink.write(b".")
            return super().encode_images(batch)

    scorers = {
        f"s{n}": Counted(MODEL, file, [TEMPLATE], 1.0, task.dtype, "gelu")  # type: ignore[arg-type]
        for n, file in enumerate(task.weights)
    }
    loop = Loop("cpu", scoring_batch=task.batch, workers=task.workers, progress=False)
    for scorer in scorers.values():
        scorer.fingerprint()  # reads the weights; kept
        if task.what == "score":
            loop.load(scorer)
            OpenClip.encode_images(scorer, torch.zeros(task.batch, 3, 224, 224))
    store = Store(task.store)
    return (lambda: _score(task, scorers, loop, store)) if task.what == "score" else (
        lambda: _divide(task, scorers, loop, store)
    )  # fmt: skip


def _score(task: Task, scorers: Any, loop: Any, store: Any) -> tuple[np.ndarray, int]:
    from oodexp import table
    from oodexp.predict.content import scan
    from oodexp.predict.scoring import score
    from oodexp.record import Image

    folder = Path(task.images)
    files = sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*.jpg"))
    frame = {"source": "bench", "image_id": files, "file": files, "sha256": None}
    images = table.frame(Image, frame | {"width": None, "height": None, "objects": 0})

    def data(image_id: str) -> bytes:
        return (folder / image_id).read_bytes()

    images = scan(images, data).images
    found = score(images, task.names, data, scorers, store, loop)
    return np.stack(list(found.logits.values())), found.scored_images


def _divide(task: Task, scorers: Any, loop: Any, store: Any) -> tuple[np.ndarray, int]:
    """Three thresholds by three pairs of scorers, from what lies in the store."""
    from oodexp.division.base import Matrix
    from oodexp.division.cross_validation import CrossValidation

    names = list(scorers)
    pairs = [(names[0], other) for other in names[1:4]]
    scored = 0
    for one, other in pairs:
        for threshold in (0.05, 0.01, 0.005):
            chosen = {one: scorers[one], other: scorers[other]}
            cosines, count = _score(task, chosen, loop, store)
            scored += count
            rng = np.random.default_rng(0)
            presence = (rng.random(cosines.shape[1:]) < 0.04).astype(np.uint8)
            matrix = Matrix("bench", [str(n) for n in range(len(presence))], task.names, presence)
            logits = dict(zip(chosen, np.float32(100) * cosines, strict=True))
            CrossValidation(threshold).divide(matrix, logits, {})
    return np.zeros(0), scored


def _loaded(file: str) -> tuple[Any, Any, Any]:
    import open_clip

    net, _, transform = open_clip.create_model_and_transforms(MODEL, pretrained=file)
    return net.eval(), transform, open_clip.get_tokenizer(MODEL)


def theirs(task: Task) -> Work:
    """clip_benchmark's own classifier and loop, its data loader, a model after the other."""
    import torch
    from clip_benchmark.metrics.zeroshot_classification import (  # type: ignore[import-not-found]
        run_classification,
        zero_shot_classifier,
    )
    from torch.utils.data import DataLoader
    from torchvision.datasets import ImageFolder

    amp = task.dtype == "bfloat16"
    models = [_loaded(file) for file in task.weights]
    for net, _, _ in models:
        with torch.no_grad(), torch.autocast("cpu", enabled=amp):
            net.encode_image(torch.zeros(task.batch, 3, 224, 224))

    def work() -> tuple[np.ndarray, int]:
        found = []
        for net, transform, tokenizer in models:
            files = ImageFolder(task.images, transform)
            loader = DataLoader(files, batch_size=task.batch, num_workers=task.workers)
            template = [TEMPLATE.replace("{}", "{c}")]
            bank = zero_shot_classifier(net, tokenizer, task.names, template, "cpu", amp)
            logits, _ = run_classification(net, bank, loader, "cpu", amp)
            found.append(logits.numpy() / 100)
        return np.stack(found), len(files)

    return work


def plain(task: Task) -> Work:
    """The loop of open_clip's README: an image after the other."""
    import torch
    from PIL import Image

    amp = task.dtype == "bfloat16"
    models = [_loaded(file) for file in task.weights]
    files = sorted(Path(task.images).rglob("*.jpg"))
    texts = [TEMPLATE.format(name) for name in task.names]

    def cast() -> Any:
        return torch.autocast("cpu", torch.bfloat16) if amp else nullcontext()

    def work() -> tuple[np.ndarray, int]:
        found = []
        for net, transform, tokenizer in models:
            rows = []
            with torch.no_grad(), cast():
                bank = net.encode_text(tokenizer(texts))
                bank /= bank.norm(dim=-1, keepdim=True)
            for file in files:
                image = transform(Image.open(file)).unsqueeze(0)
                with torch.no_grad(), cast():
                    vector = net.encode_image(image)
                    vector /= vector.norm(dim=-1, keepdim=True)
                    rows.append((vector @ bank.T).float().numpy()[0])
            found.append(np.stack(rows))
        return np.stack(found), len(files)

    return work


if __name__ == "__main__":
    main()
