"""Links 4 to 6: open models lose from ID to OOD, closed ones too, and as much (OODBench, C.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from oodexp.error import OodexpError
from oodexp.evidence.base import (
    ANSWERS,
    CONTRADICTED,
    HOLDS,
    NOT_SHOWN,
    NOT_TESTED,
    Case,
    Found,
    finding,
)
from oodexp.evidence.degradation import OODS, Degradation, degradation, signature
from oodexp.evidence.degradation import Signature as Bands
from oodexp.evidence.link.closed import equivalent, permuted
from oodexp.evidence.permutation import Permutation, permutation_test
from oodexp.evidence.tost import Equivalence, Margin, equivalence
from oodexp.metric.binary import METRICS
from oodexp.record import SPLITS, Finding
from oodexp.report.signature import (
    draw_degradation,
    draw_equivalence,
    draw_intervals,
    draw_null,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BROKEN = "images that are not drawn from the images one speaks about; a few images (below 50)"


@dataclass(frozen=True, slots=True)
class Signature:
    """Loss of every model with intervals, bands of the open models, tests of the closed ones.

    Args:
        closed: Names of the VLMs that count as closed; the others are open.
        ood: `OOD` (both splits together), `OOD-S` or `OOD-H`.
        resamples: Bootstrap resamples over images.
        permutations: Labellings of the permutation test.
        margin: Of the equivalence with the open models: `pooled` (over models and resamples, the
            paper's) or `models`.
        seed: Of all draws.
    """

    NEEDS: ClassVar[frozenset[str]] = frozenset({ANSWERS})

    closed: Sequence[str] = ()
    ood: str = "OOD"
    resamples: int = 10_000
    permutations: int = 2000
    margin: Margin = "pooled"
    seed: int = 0

    def __post_init__(self) -> None:
        """Checks the options.

        Raises:
            OodexpError: If one is not one of its values.
        """
        if self.ood not in OODS:
            raise OodexpError(f"evidence.signature.ood={self.ood}: expected one of {OODS}")
        if self.resamples < 100 or self.permutations < 100 or self.seed < 0:
            raise OodexpError(
                f"evidence.signature: resamples={self.resamples}, permutations="
                f"{self.permutations}, seed={self.seed}: expected at least 100, 100 and 0"
            )

    def check(self, vlms: Sequence[str]) -> None:
        """See `base.Choosy`."""
        unknown = sorted(set(self.closed) - set(vlms))
        if unknown:
            raise OodexpError(
                f"evidence.signature.closed: no VLM {unknown}; expected some of {list(vlms)}, as "
                "in evidence.signature.closed=[gpt_4o], or [] when all are open"
            )

    def run(self, case: Case) -> Found:
        """See `base.Test`."""
        if case.answers is None or not case.test.drawn.any():
            why = "no VLM was asked about a drawn pair"
            return Found([finding("degradation", "all models", "loss", claim="models lose on OOD",
                                  verdict=NOT_TESTED, words=why, reason=why)])  # fmt: skip
        vlms = case.answers.vlms
        closed = [n for n, name in enumerate(vlms) if name in self.closed]
        opens = [n for n, name in enumerate(vlms) if name not in self.closed]
        counts = case.by_image()
        loss = degradation(counts, self.ood, resamples=self.resamples, seed=self.seed)
        bands = signature(loss, opens, vlms)
        found = [*self._losses(vlms, opens, loss), *self._bands(bands, vlms, loss)]
        figures = {"degradation": draw_degradation(
            loss.draws, loss.values, loss.lower, loss.upper, (bands.lower, bands.upper), vlms,
            METRICS, closed,
        )}  # fmt: skip
        tests = {n: self._permuted(case, n) for n in closed}
        equal = {n: equivalence(loss, n, opens, vlms, self.margin) for n in closed}
        for n in closed:
            name = vlms[n]
            for form, test in tests[n].items():
                found += permuted(name, form, test, self.ood, case, self.seed)
            found += equivalent(name, equal[n], loss, n, self.seed)
        return Found(found, figures | _figures(closed, vlms, loss, bands, tests, equal))

    def _losses(
        self, vlms: Sequence[str], opens: Sequence[int], loss: Degradation
    ) -> Iterator[Finding]:
        for m in opens:
            for k, metric in enumerate(METRICS):
                value, low, high = loss.values[m, k], loss.lower[m, k], loss.upper[m, k]
                reason = loss.reasons.get((m, k))
                verdict = NOT_TESTED if np.isnan(low) else HOLDS if low > 0 else NOT_SHOWN
                if verdict == NOT_SHOWN and high < 0:
                    verdict = CONTRADICTED
                told = reason if np.isnan(low) else f"{value:+.3f} [{low:+.3f}, {high:+.3f}]"
                yield finding(
                    "degradation", f"{vlms[m]}, {metric}", f"ID minus {self.ood}",
                    claim=f"{vlms[m]} loses {metric} from ID to {self.ood}", null="no loss",
                    value=value, lower=low, upper=high, level=0.95, bound=0.0,
                    n=loss.questions[m].sum(), clusters=loss.images[m].max(),
                    resamples=self.resamples, seed=self.seed, verdict=verdict, words=told or "",
                    assumption=BROKEN, reason=reason,
                )  # fmt: skip

    def _bands(self, bands: Bands, vlms: Sequence[str], loss: Degradation) -> Iterator[Finding]:
        opens = list(bands.models)
        for k, metric in enumerate(METRICS):
            low, high, reason = bands.lower[k], bands.upper[k], bands.reasons.get(k)
            known = not np.isnan(low)
            told = (
                f"the loss of {len(opens)} open models lies within [{low:+.3f}, {high:+.3f}]"
                if known
                else reason or "no band"
            )
            verdict = NOT_TESTED if not known else HOLDS if low > 0 else NOT_SHOWN
            yield finding(
                "signature", f"open models, {metric}", "band of the loss",
                claim=f"every open model loses {metric}", null="one of them does not",
                lower=low, upper=high, level=0.95, bound=0.0, n=len(opens),
                clusters=int(loss.images[opens].max(initial=0)), resamples=self.resamples,
                seed=self.seed, verdict=verdict, words=told, reason=reason,
                assumption=f"{BROKEN}; few open models: a band of two says little of a third",
            )  # fmt: skip

    def _permuted(self, case: Case, model: int) -> dict[str, Permutation]:
        answers, test = case.answers, case.test
        assert answers is not None
        codes = (1, 2) if self.ood == OODS[-1] else (SPLITS.index(self.ood),)
        used = test.drawn & np.isin(test.split, (0, *codes))
        tested = permutation_test(
            answers.counts[model][used], test.image[used], np.isin(test.split[used], codes),
            permutations=self.permutations, seed=self.seed,
        )  # fmt: skip
        return {"images": tested.images, "pairs": tested.pairs}


def _figures(
    closed: Sequence[int], vlms: Sequence[str], loss: Degradation, bands: Bands,
    tests: dict[int, dict[str, Permutation]], equal: dict[int, Equivalence],
) -> dict[str, Figure]:  # fmt: skip
    """Figures 7 and 8, and the closed models beside the bands; none without closed models."""
    if not closed:
        return {}
    rows, names = list(closed), [vlms[n] for n in closed]
    images = [tests[n]["images"] for n in rows]
    found = [equal[n] for n in rows]
    return {
        "closed": draw_intervals(
            loss.values[rows], loss.lower[rows], loss.upper[rows], (bands.lower, bands.upper),
            names, METRICS,
        ),
        "permutation": draw_null(
            np.stack([t.draws for t in images], axis=1), np.array([t.values for t in images]),
            np.array([t.p for t in images]), names, METRICS,
        ),
        "tost": draw_equivalence(
            np.stack([t.draws for t in found], axis=1), np.array([t.values for t in found]),
            np.array([t.lower for t in found]), np.array([t.upper for t in found]), found[0].eta,
            names, METRICS,
        ),
    }  # fmt: skip
