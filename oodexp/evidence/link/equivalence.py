"""Links 2 and 3: OOD pairs of training and test split are alike, ID and OOD are not (C.1.4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from oodexp.error import OodexpError
from oodexp.evidence import equivalence_mmd as mmd
from oodexp.evidence.base import (
    CONTRADICTED,
    FEATURES,
    HOLDS,
    NOT_SHOWN,
    NOT_TESTED,
    TRAIN,
    Case,
    Found,
    finding,
    p_words,
)
from oodexp.evidence.base import Sample as Side
from oodexp.evidence.kernel import Compute
from oodexp.evidence.mmd import Sample
from oodexp.record import Finding

ALIKE = "OOD pairs of the training split are distributed as those of the test split"
APART = "ID and OOD pairs are distributed differently"
BROKEN = (
    "features that do not see what differs; images that are no independent draws; categories are "
    "compared one by one, so that one without pairs on both sides says nothing"
)
WRITTEN = "it does not depend on the observed difference: passing it is no evidence of equivalence"


@dataclass(frozen=True, slots=True)
class Equivalence:
    """MMD of image features within categories.

    Args:
        bandwidth: Rule of the bandwidth: `median` (distances within categories), `median_all`, or
            a number; fixed once for each comparison.
        sizes: `matched` (halves and comparison have as many images) or `halves`.
        permutations: Relabellings B.
        splits: Random halves for the margin xi.
        draws: Multiplier draws of the upper bound.
        precision: Of the kernel: `float64`, or `float32` (half the time; values agree to 1e-5).
        device: Device of torch, as `cuda`; null for NumPy.
        seed: Of all draws.
    """

    NEEDS: ClassVar[frozenset[str]] = frozenset({TRAIN, FEATURES})

    bandwidth: str | float = "median"
    sizes: Literal["matched", "halves"] = "matched"
    permutations: int = 500
    splits: int = 500
    draws: int = 1000
    precision: Literal["float64", "float32"] = "float64"
    device: str | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        """Checks the numbers.

        Raises:
            OodexpError: If one is out of range.
        """
        if min(self.permutations, self.splits, self.draws) < 100 or self.seed < 0:
            raise OodexpError(
                f"evidence.equivalence: permutations={self.permutations}, splits={self.splits}, "
                f"draws={self.draws}, seed={self.seed}: expected at least 100 each, and a seed >= 0"
            )

    def run(self, case: Case) -> Found:
        """See `base.Test`."""
        test = case.test
        ood, ids = _points(test, test.split > 0), _points(test, test.split == 0)
        train = None if case.train is None else _points(case.train, case.train.split > 0)
        found: list[Finding] = []
        if train is None or not len(train.images) or not len(ood.images):
            why = "there are no OOD pairs with features on both sides"
            found.append(_untested("equivalence", ALIKE, why))
        else:
            found += self._alike(self._compared(train, ood), train, ood)
        if not len(ids.images) or not len(ood.images):
            why = "there are no ID pairs, or no OOD pairs, with features"
            found.append(_untested("difference", APART, why))
        else:
            found += self._apart(self._compared(ids, ood), ids, ood)
        return Found(found)

    def _compared(self, first: Sample, second: Sample) -> mmd.Equivalence:
        return mmd.equivalence(
            first, second, self.seed, self.bandwidth, self.sizes, self.permutations, self.splits,
            self.draws, Compute(self.precision, self.device),
        )  # fmt: skip

    def _alike(self, found: mmd.Equivalence, one: Sample, two: Sample) -> Iterator[Finding]:
        bound, xi, written = found.bound, found.threshold, found.as_written
        told = f"MMD^2 {bound.value:+.2g}, at most {bound.upper:.2g}; xi {xi.value:.2g}"
        sizes = f"{found.compared[0]} and {found.compared[1]} images compared"
        verdict = NOT_SHOWN
        if bound.equivalent is None:
            verdict = NOT_TESTED
        elif bound.equivalent:
            verdict = HOLDS
        elif found.images.p <= 0.05 and bound.value > xi.value:
            verdict = CONTRADICTED
        yield self._finding(
            "equivalence", "train-OOD and test-OOD", "MMD^2, valid test", one, two, claim=ALIKE,
            null="MMD^2 is xi or more", value=bound.value, lower=0.0, upper=bound.upper,
            level=bound.level, bound=xi.value, p=bound.p, p_floor=bound.floor,
            resamples=self.draws, verdict=verdict, reason=bound.reason or xi.reason,
            words=bound.reason if bound.equivalent is None else f"{told}; {sizes}",
        )  # fmt: skip
        yield self._finding(
            "equivalence", "train-OOD and test-OOD", "quantile of permuted MMD^2, as written",
            one, two, claim=ALIKE, null="as the paper writes it", value=written.quantile,
            bound=xi.value, resamples=self.permutations, reason=written.reason,
            verdict=NOT_TESTED if written.equivalent is None
            else HOLDS if written.equivalent else NOT_SHOWN,
            words=written.reason or f"q {written.quantile:.2g} against xi {written.threshold:.2g}",
            assumption=WRITTEN,
        )  # fmt: skip
        yield from self._equal("equivalence", "train-OOD and test-OOD", found, one, two, "")

    def _apart(self, found: mmd.Equivalence, one: Sample, two: Sample) -> Iterator[Finding]:
        yield from self._equal("difference", "ID and OOD", found, one, two, APART)

    def _equal(
        self, test: str, subject: str, found: mmd.Equivalence, one: Sample, two: Sample, claim: str
    ) -> Iterator[Finding]:
        """Two-sample tests; evidence of a difference when rejected, of nothing when not."""
        for name, tested in (("images", found.images), ("pairs", found.pairs)):
            missing = np.isnan(tested.p)
            verdict = HOLDS if tested.p <= 0.05 else NOT_SHOWN
            told = f"MMD^2 {tested.value:+.2g}, {p_words(tested.p, tested.floor)}"
            yield self._finding(
                test, subject, f"MMD^2, {name} permuted", one, two, claim=claim,
                null="the two are distributed alike", value=tested.value, p=tested.p,
                p_floor=tested.floor, resamples=self.permutations, reason=tested.reason,
                verdict=NOT_TESTED if missing else verdict,
                words=tested.reason or "no p" if missing else told,
                assumption=BROKEN if name == "images" else f"several pairs an image; {BROKEN}",
            )  # fmt: skip

    def _finding(
        self, test: str, subject: str, statistic: str, one: Sample, two: Sample, **more: object
    ) -> Finding:
        images = len(np.unique(one.images)) + len(np.unique(two.images))
        plain = {"assumption": BROKEN, "seed": self.seed}
        return finding(
            test, subject, statistic, n=len(one.images) + len(two.images), clusters=images,
            **(plain | more),
        )  # fmt: skip


def _points(side: Side, chosen: np.ndarray) -> Sample:
    """The chosen pairs whose image has features, as points; images of two sides never mix."""
    features = side.features
    if features is None:
        raise ValueError("no features at hand; name FEATURES among the needs of the test")
    used = chosen & np.isfinite(features).all(axis=1)[side.image]
    image = side.image[used]
    names = np.array(
        [f"{side.sources[s]}\0{k}" for s, k in zip(side.source, side.keys, strict=True)]
    )
    return Sample(features[image], side.category[used], names[image])


def _untested(test: str, claim: str, why: str) -> Finding:
    return finding(
        test, "all pairs", "MMD^2, valid test, images permuted", claim=claim, verdict=NOT_TESTED,
        words=why, reason=why, assumption=BROKEN,
    )  # fmt: skip
