"""A division of many pairs from logits: seconds of processor time and peak memory."""

from __future__ import annotations

import json
import resource
import sys

import numpy as np

from benchmarks.timing import of_call
from oodexp.process import settle

CATEGORIES, SCORERS, PER_IMAGE = 80, 4, 2.9


def main() -> None:
    """`python -m benchmarks.dividing PAIRS` prints JSON."""
    settle()
    print(json.dumps(measure(int(sys.argv[1]))))  # noqa: T201


def measure(pairs: int) -> dict[str, float]:
    """One division with both of its tables, all pairs in memory.

    Args:
        pairs: Present pairs; COCO has 2.9 an image.
    """
    from oodexp.division.base import Matrix
    from oodexp.division.cross_validation import CrossValidation

    rng = np.random.default_rng(0)
    images = round(pairs / PER_IMAGE)
    presence = np.zeros((images, CATEGORIES), np.uint8)
    presence.ravel()[rng.choice(presence.size, pairs, replace=False)] = 1
    names = [f"category {n}" for n in range(CATEGORIES)]
    matrix = Matrix("made", [f"{n:012d}" for n in range(images)], names, presence)
    logits = {}
    for k in range(SCORERS):
        noise = rng.standard_normal(presence.shape, dtype=np.float32)
        cosines = np.float32(0.25) + np.float32(0.03) * (presence + noise)
        logits[f"s{k}"] = np.asarray(100 * cosines, np.float32)
    divider = CrossValidation()
    CrossValidation().divide(
        Matrix("small", matrix.image_ids[:99], names, presence[:99]),
        {name: values[:99] for name, values in logits.items()}, {},
    )  # fmt: skip
    # The least of three: what else runs on the machine only adds.
    cost = min((of_call(lambda: divider.divide(matrix, logits, {})) for _ in range(3)),
               key=lambda one: one.cpu)  # fmt: skip
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
    return {"seconds": cost.cpu, "gb": memory}


if __name__ == "__main__":
    main()
