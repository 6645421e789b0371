"""Scoring against clip_benchmark and the loop of open_clip's README, at full size on the processor.

Same random ViT-B/32 weights, same files, same transform, same prompts, same number format, same
threads; answers are compared first, and without the same answers there is no ratio. Runs alternate,
each in a process of its own; the figure is processor time, children included, without imports and
loading. A ratio is the baseline's time over ours: above 1 we are faster.

Scenarios: S1 one model, S2 four models on the same files, S3 three thresholds by three pairs of
models from stored scores (the baseline runs its models again, as often as its S1 pass costs), S4
killed at half and resumed, S5 80 new names. S1 is in both formats, S2 in bfloat16, S3 and S5 in
float32. Targets on two cores: s1_float32 1.0, s1_bf16 1.5, s2 1.3, s3 50, s5 5, s4_repeated_shards
at most 1, peak_float32 0.6, peak_bf16 0.45, divide_seconds 2, divide_gb 2.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from rich.console import Console

from benchmarks import workload
from benchmarks.environment import clip_benchmark
from benchmarks.ratio import Ratio, in_turn, largest_gap
from benchmarks.task import ROOT, Sides, Task, Told
from benchmarks.timing import show
from benchmarks.workload import FULL, QUICK, Size

BOUND = {"float32": 1e-5, "bfloat16": 2e-3}
"""Largest difference of our cosines from the baseline's in float32 that counts as the same answers:
in bfloat16, too, as there the baseline's own may be further from it than ours."""


@dataclass(slots=True)
class Bench:
    """Runs the scenarios and collects their figures."""

    size: Size
    sides: Sides
    weights: list[str]
    images: str
    baseline: str
    rows: dict[str, float] = field(default_factory=dict)
    truth: list[np.ndarray] = field(default_factory=list)
    """Cosines in float32: the baseline's of the first model, ours of the others."""
    stores: int = 0

    def task(self, side: str, dtype: str, models: int = 1) -> Task:
        """A whole pass, ours from an empty store."""
        self.stores += 1
        names, store = workload.COCO[: self.size.names], self.sides.folder / f"s{self.stores}"
        return Task(
            side, self.images, self.weights[:models], names, dtype, workload.threads(),
            workers=self.workers(dtype) if side == "clip_benchmark" else 0, store=str(store),
        )  # fmt: skip

    def workers(self, dtype: str) -> int:
        """The baseline's best number of processes, once it has been found."""
        return int(self.rows.get(f"baseline_workers_{dtype}", 0))

    def tune(self, dtype: str) -> None:
        """Finds the number of processes with which the baseline takes least processor time."""
        if self.baseline != "clip_benchmark" or len(self.size.workers) < 2:
            return
        task = self.task(self.baseline, dtype)
        cost = {n: self.sides.run(replace(task, workers=n)).cpu for n in self.size.workers}
        for n, cpu in cost.items():
            self.rows[f"baseline_{dtype}_cpu_seconds_workers_{n}"] = cpu
        self.rows[f"baseline_workers_{dtype}"] = min(cost, key=cost.__getitem__)

    def compare(self, name: str, baseline: str, dtype: str, models: int, pairs: int) -> None:
        """Alternates whole passes of both sides; no ratio where answers differ."""
        told: dict[str, list[Told]] = {baseline: [], "oodexp": []}

        def once(side: str) -> float:
            told[side].append(self.sides.run(self.task(side, dtype, models)))
            return told[side][-1].cpu

        ratio = in_turn(lambda _: once(baseline), lambda _: once("oodexp"), pairs)
        if not self.truth:
            self.truth.extend(told[baseline][0].cosines)
        theirs, mine = told[baseline][0].cosines, told["oodexp"][0].cosines
        exact = np.stack(self.truth[:models])
        gap = largest_gap(mine[: len(exact)], exact)
        self.rows[f"{name}_ours_from_float32"] = gap
        self.rows[f"{name}_baseline_from_float32"] = largest_gap(theirs[: len(exact)], exact)
        self.rows[f"{name}_largest_cosine_gap"] = largest_gap(theirs, mine)
        self.keep(name, ratio if gap <= BOUND[dtype] else Ratio(*[float("nan")] * 3))
        count = self.size.images * models
        for side, runs in told.items():
            label = f"{name}_{'baseline' if side == baseline else 'ours'}"
            self.rows[f"{label}_cpu_seconds_per_image"] = _median(r.cpu for r in runs) / count
            self.rows[f"{label}_images_per_second"] = count / _median(r.wall for r in runs)
            self.rows[f"{label}_start_cpu_seconds"] = _median(r.start for r in runs)
            self.rows[f"{label}_peak_gb"] = max(r.memory for r in runs)
        whole = [[r.cpu + r.start for r in told[side]] for side in (baseline, "oodexp")]
        each = [theirs_cpu / our_cpu for theirs_cpu, our_cpu in zip(*whole, strict=True)]
        self.rows[f"{name}_with_start"] = _median(each)

    def keep(self, name: str, ratio: Ratio) -> None:
        """A ratio with its interval."""
        self.rows[name] = ratio.median
        self.rows |= {f"{name}_lower": ratio.lower, f"{name}_upper": ratio.upper}

    def stored(self, dtype: str) -> None:
        """S3 and S5: what the store saves, against passes of the baseline as measured for S1."""
        first = replace(self.task("oodexp", dtype, self.size.models))
        known = self.sides.run(first).cosines
        self.truth.extend(known[len(self.truth) :])  # of the first, the baseline's own are there
        pairs = min(3, self.size.models - 1)
        once = self.rows[f"s1_{_short(dtype)}_baseline_cpu_seconds_per_image"] * self.size.images
        divided = self.sides.run(replace(first, what="divide"))
        self.rows["s3_ours_cpu_seconds"] = divided.cpu
        self.rows["s3"] = once * 2 * 3 * pairs / divided.cpu if not divided.scored else float("nan")
        others = workload.OTHERS[: self.size.names]
        new = replace(first, weights=first.weights[:1], names=others)
        anew = replace(self.task(self.baseline, dtype), names=others)
        mine, other = self.sides.run(new), self.sides.run(anew)
        gap = largest_gap(mine.cosines, other.cosines)
        self.rows["s5_ours_cpu_seconds"], self.rows["s5_largest_cosine_gap"] = mine.cpu, gap
        same = gap <= BOUND[dtype] and not mine.scored
        self.rows["s5"] = other.cpu / mine.cpu if same else float("nan")

    def killed(self, dtype: str) -> None:
        """S4: killed when half of the shards are there; how many batches are run a second time."""
        log = self.sides.folder / "batches"
        task = replace(self.task("oodexp", dtype), batch=16, log=str(log))
        total = -(-self.size.images // task.batch)
        process = self.sides.start(task, self.sides.folder / "killed")
        while process.poll() is None and len(_shards(task.store)) < total // 2:
            time.sleep(0.01)
        process.kill()
        process.communicate()
        kept = len(_shards(task.store))
        self.sides.run(task)
        self.rows["s4_shards_at_kill"] = kept
        self.rows["s4_repeated_shards"] = log.stat().st_size - total

    def apart(self) -> None:
        """The peak of each number format and the division, each in a process of its own."""
        for dtype in BOUND:
            found = _child("benchmarks.peak", self.weights[0], dtype, str(self.size.seconds))
            short = _short(dtype)
            self.rows[f"peak_{short}"] = found["share"]
            self.rows[f"matmul_{short}_gflops"] = found["peak"] / 1e9
            self.rows[f"forward_{short}_gflops"] = found["forward"] / 1e9
        found = _child("benchmarks.dividing", str(self.size.division))
        self.rows |= {"divide_seconds": found["seconds"], "divide_gb": found["gb"]}


def main() -> None:
    """Runs everything; `--quick` a small version of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures here")
    parser.add_argument("--quick", action="store_true", help="a small version, in a minute or two")
    parser.add_argument("--images", type=int, metavar="N", help="number of images, instead of 512")
    parser.add_argument("--pairs", type=int, metavar="N", help="runs of each side, instead of 5")
    given = parser.parse_args()
    # Threads that wait must not spin, on either side: the figure is processor time.
    os.environ |= {"OMP_WAIT_POLICY": "passive", "HF_HUB_OFFLINE": "1"}
    start, size = time.perf_counter(), QUICK if given.quick else FULL
    size = replace(size, pairs=given.pairs or size.pairs)
    size = replace(size, images=given.images or size.images)
    with tempfile.TemporaryDirectory(prefix="oodexp-bench-") as folder:
        bench, notes = prepare(Path(folder), size)
        run(bench)
    load = os.getloadavg()[1]
    bench.rows |= {"load_average": load, "minutes": (time.perf_counter() - start) / 60}
    show("scoring", bench.rows, notes)
    if given.json is not None:
        given.json.write_text(json.dumps(bench.rows, indent=1) + "\n")


def prepare(folder: Path, size: Size) -> tuple[Bench, str]:
    """Weights, images and the baseline, and what to say of them."""
    python = clip_benchmark(Path.home() / ".cache/oodexp/clip-benchmark")
    kind = workload.photographs(folder / "images", size.images)
    sides = Sides(folder, {"clip_benchmark": python} if python else {})
    baseline = "clip_benchmark" if python else "readme"
    weights = workload.weights(folder / "weights", size.models)
    said = "" if python else "\nclip_benchmark 1.6.2 could not be had: the baseline is the README"
    notes = f"{kind}, {size.names} names, {workload.threads()} threads, baseline {baseline}{said}"
    return Bench(size, sides, weights, str(folder / "images"), baseline), notes


def run(bench: Bench) -> None:
    """All scenarios, said one by one as they end."""
    size, say = bench.size, Console(file=sys.stderr).print
    few = max(1, size.pairs * 2 // 5)
    for dtype in BOUND:
        short = _short(dtype)
        bench.tune(dtype)
        bench.compare(f"s1_{short}", bench.baseline, dtype, 1, size.pairs)
        say(f"S1 {dtype}: {bench.rows[f's1_{short}']:.2f}")
        if dtype in size.plain:
            bench.compare(f"readme_{short}", "readme", dtype, 1, few)
            say(f"README {dtype}: {bench.rows[f'readme_{short}']:.2f}")
    bench.stored("float32")
    say(f"S3: {bench.rows['s3']:.1f}, S5: {bench.rows['s5']:.1f}")
    bench.compare("s2", bench.baseline, "bfloat16", size.models, few)
    say(f"S2: {bench.rows['s2']:.2f}")
    bench.killed("bfloat16")
    bench.apart()


def _child(module: str, *arguments: str) -> dict[str, float]:
    command = [sys.executable, "-W", "ignore", "-m", module, *arguments]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def _shards(store: str) -> list[Path]:
    return list(Path(store).glob("vectors/*/*.parquet"))


def _short(dtype: str) -> str:
    return {"bfloat16": "bf16"}.get(dtype, dtype)


def _median(values: Iterable[float]) -> float:
    return float(np.median(list(values)))


if __name__ == "__main__":
    main()
