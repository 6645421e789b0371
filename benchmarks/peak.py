"""How much of the machine's measured matrix-product peak a forward pass reaches, on one thread."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable

from benchmarks.workload import MODEL, flops_of_image
from oodexp.process import settle

ROWS, WIDTH = 3200, 768


def main() -> None:
    """`python -m benchmarks.peak WEIGHTS DTYPE SECONDS` prints JSON."""
    settle()
    import torch

    weights, name, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
    torch.set_num_threads(1)
    with torch.inference_mode():
        print(json.dumps(measure(weights, name, seconds)))  # noqa: T201


def measure(weights: str, name: str, seconds: float) -> dict[str, float]:
    """Peak and forward pass in operations per second of processor time, in turn.

    Args:
        weights: Checkpoint of the model.
        name: `float32` or `bfloat16`.
        seconds: How long to try.
    """
    import torch

    from oodexp.scorer.open_clip import OpenClip

    scorer = OpenClip(MODEL, weights, ["{}"], 1.0, name, "gelu")  # type: ignore[arg-type]
    scorer.load("cpu")
    batch = torch.randn(64, 3, 224, 224)
    products = _products(getattr(torch, name))
    peak = forward = 0.0
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        operations = 2.0 * ROWS * WIDTH * 4 * WIDTH
        peak = max([peak, *(operations / _cpu(product) for product in products)])
        forward = max(forward, 64 * flops_of_image() / _cpu(lambda: scorer.encode_images(batch)))
    return {"peak": peak, "forward": forward, "share": forward / peak}


def _products(kind: object) -> list[Callable[[], object]]:
    """A matrix product of the model's shape by each way that torch has for it."""
    import torch

    left = torch.randn(ROWS, WIDTH).to(kind)  # type: ignore[call-overload]
    right = torch.randn(4 * WIDTH, WIDTH).to(kind)  # type: ignore[call-overload]
    packed = torch.ops.mkldnn._reorder_linear_weight(right, ROWS)
    return [
        lambda: left @ right.T,
        lambda: torch.ops.mkldnn._linear_pointwise(left, packed, None, "none", [], ""),
    ]


def _cpu(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


if __name__ == "__main__":
    main()
