"""A permutation test of MMD^2, against one kernel sum for each permutation.

Made-up features: 20,000 + 20,000 image-category pairs, dimension 768, 80 categories, B = 500.
`mmd_seconds` is our processor time from features to p, bandwidth and kernel included, float64;
`mmd_wall_seconds` the same by the clock, target < 60; `mmd_gb` the peak resident memory of the
process that does it, target < 3. `mmd_skewed_seconds` and `mmd_skewed_gb` are for categories of
unequal size, the largest with a fifth of all pairs; `mmd_images_seconds` for permuted images.
`equivalence_seconds` and `equivalence_gb` are for all of `evidence.equivalence_mmd.equivalence`:
both permutation tests, both margins of 500 splits, and 1,000 draws for the bound.

The plain loop has the same kernel, one float64 matrix for each category, made once by
scikit-learn's `rbf_kernel`; for each permutation it sums the three parts of each matrix. It is
timed for `PLAIN` permutations; its cost per permutation times B, plus that of the matrices, is
`plain_seconds`, and `mmd_ratio` is that over ours, target >= 20. Who knows that the biased value is
v' K v writes a product of matrix and vector instead of three sums: `vector_ratio` is against that.
`largest_gap` is the largest difference of the values of the same permutations.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.timing import json_file, of_call, of_command, publish
from oodexp.process import settle

if TYPE_CHECKING:
    from oodexp.evidence.mmd import Pooled

POINTS, WIDTH, CATEGORIES, PERMUTATIONS = 20_000, 768, 80, 500
PER_IMAGE = 3
PLAIN, RUNS = 5, 3


def main() -> None:
    """Prints the figures; see the top of this file."""
    json_file(__doc__ or "")  # before the work, so that --help answers at once
    notes = (
        f"{POINTS:,} + {POINTS:,} pairs, dimension {WIDTH}, {CATEGORIES} categories, "
        f"{PERMUTATIONS} permutations; plain loop scaled from {PLAIN} permutations"
    )
    publish("Permutation test of MMD^2", measure(), notes, __doc__ or "")


def measure(points: int = POINTS, permutations: int = PERMUTATIONS) -> dict[str, float]:
    """The figures by name.

    Args:
        points: Number of pairs in each sample.
        permutations: Number B.
    """
    runs = [_started(points, permutations, "even") for _ in range(RUNS)]
    skewed = _started(points, permutations, "skewed")
    images = _started(points, permutations, "images")
    whole = _started(points, permutations, "whole")
    ours = median(run["cpu"] for run in runs)
    peer = plain(made(points, False), permutations)
    return {
        "mmd_seconds": ours,
        "mmd_wall_seconds": median(run["wall"] for run in runs),
        "mmd_gb": max(run["memory"] for run in runs),
        "mmd_skewed_seconds": skewed["cpu"],
        "mmd_skewed_gb": skewed["memory"],
        "mmd_images_seconds": images["cpu"],
        "equivalence_seconds": whole["cpu"],
        "equivalence_gb": whole["memory"],
        "plain_seconds": peer["sums"],
        "mmd_ratio": peer["sums"] / ours,
        "vector_ratio": peer["vectors"] / ours,
        "largest_gap": peer["gap"],
    }


def made(points: int, skewed: bool) -> Pooled:
    """Two samples of one law, `PER_IMAGE` pairs an image.

    Args:
        points: Number of pairs in each sample.
        skewed: Whether categories differ in size, as those of photographs do.
    """
    from oodexp.evidence.mmd import Pooled

    rng = np.random.default_rng(0)
    share = 1 / np.arange(1.0, CATEGORIES + 1) if skewed else np.ones(CATEGORIES)
    return Pooled(
        rng.standard_normal((2 * points, WIDTH), dtype=np.float32),
        rng.choice(CATEGORIES, 2 * points, p=share / share.sum()),
        np.arange(2 * points) // PER_IMAGE,
        np.arange(2 * points) < points,
    )


def _started(points: int, permutations: int, what: str) -> dict[str, float]:
    """Cost of our side in a process of its own, so that the peak of memory is its own."""
    with tempfile.TemporaryDirectory(prefix="oodexp-bench-") as folder:
        said, log = Path(folder) / "said.json", Path(folder) / "log"
        call = f"child({points}, {permutations}, {what!r}, {str(said)!r})"
        code = f"from benchmarks.mmd import child; {call}"
        cost = of_command([sys.executable, "-c", code], log)
        if cost.status:
            raise RuntimeError(log.read_text()[-3000:])
        return dict(json.loads(said.read_text())) | {"memory": cost.memory}


def child(points: int, permutations: int, what: str, said: str) -> None:
    """One piece of work, from features on; its cost goes into the file `said`.

    Args:
        points: Number of pairs in each sample.
        permutations: Number B.
        what: `even`, `skewed`, `images` or `whole`.
        said: Name of the file.
    """
    settle()
    pooled = made(points, what == "skewed")
    if what == "whole":
        cost = of_call(lambda: whole(pooled, permutations))
    else:
        cost = of_call(lambda: ours(pooled, permutations, what == "images"))
    Path(said).write_text(json.dumps({"cpu": cost.cpu, "wall": cost.wall}))


def whole(pooled: Pooled, permutations: int) -> object:
    """All that is said about two samples."""
    from oodexp.evidence.equivalence_mmd import equivalence
    from oodexp.evidence.mmd import Sample

    sides = [Sample(*(part[side] for part in pooled[:3])) for side in (pooled.first, ~pooled.first)]
    return equivalence(sides[0], sides[1], 0, permutations=permutations, splits=permutations)


def ours(pooled: Pooled, permutations: int, by_image: bool) -> np.ndarray:
    """MMD^2 of each permutation, (permutation,)."""
    from oodexp.evidence.kernel import bandwidth
    from oodexp.evidence.two_sample import permutation_test

    sigma = bandwidth(pooled.features, pooled.categories)
    rng = np.random.default_rng(0)
    return permutation_test(pooled, sigma, permutations, rng, by_image).null


def plain(pooled: Pooled, permutations: int) -> dict[str, float]:
    """Processor seconds of the two plain loops, scaled to B, and their distance from ours."""
    from sklearn.metrics.pairwise import rbf_kernel

    settle()
    from oodexp.evidence.kernel import Compute, bandwidth
    from oodexp.evidence.two_sample import labelled, relabelled, units

    sigma = bandwidth(pooled.features, pooled.categories).value
    members = [np.flatnonzero(pooled.categories == c) for c in range(CATEGORIES)]
    kernels: list[np.ndarray] = []

    def make() -> None:
        double = pooled.features.astype(np.float64)
        kernels.extend(rbf_kernel(double[own], gamma=0.5 / sigma**2) for own in members)

    chosen = units(pooled, False)
    labels = relabelled(chosen, PLAIN, np.random.default_rng(1))
    sums: list[float] = []
    vectors: list[float] = []
    once = of_call(make).cpu
    by_sums = of_call(lambda: sums.extend(_sums(kernels, members, s) for s in labels.T)).cpu
    by_vectors = of_call(lambda: vectors.extend(_vectors(kernels, members, s) for s in labels.T))
    found = [
        labelled(pooled, sigma, chosen, labels, kind, Compute()) for kind in ("unbiased", "biased")
    ]  # type: ignore[misc]
    gaps = [np.abs(found[0] - sums).max(), np.abs(found[1] - vectors).max()]
    scale = permutations / PLAIN
    return {
        "sums": once + scale * by_sums,
        "vectors": once + scale * by_vectors.cpu,
        "gap": float(max(gaps)),
    }


def _sums(kernels: list[np.ndarray], members: list[np.ndarray], first: np.ndarray) -> float:
    """Unbiased MMD^2 of labels, (n,): three kernel sums for each category."""
    one = two = cross = 0.0
    for kernel, own in zip(kernels, members, strict=True):
        x, y = np.flatnonzero(first[own]), np.flatnonzero(~first[own])
        one += kernel[np.ix_(x, x)].sum() - len(x)
        two += kernel[np.ix_(y, y)].sum() - len(y)
        cross += kernel[np.ix_(x, y)].sum()
    m, n = int(first.sum()), int((~first).sum())
    return one / (m * (m - 1)) + two / (n * (n - 1)) - 2 * cross / (m * n)


def _vectors(kernels: list[np.ndarray], members: list[np.ndarray], first: np.ndarray) -> float:
    """Biased MMD^2 of labels, (n,): a product of matrix and vector for each category."""
    weights = np.where(first, 1 / first.sum(), -1 / (~first).sum())
    return float(
        sum(
            weights[own] @ kernel @ weights[own]
            for kernel, own in zip(kernels, members, strict=True)
        )
    )


if __name__ == "__main__":
    main()
