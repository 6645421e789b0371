"""The paper's division: pairs judged by K contrastive models (OODBench, III-D)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from oodexp import table
from oodexp.division.base import Division, Matrix
from oodexp.division.sample import Sampling, absent_pairs, draw
from oodexp.division.signal import Signals, competes, signals
from oodexp.division.verdict import COMBINATIONS, CRITERIA, RULES, Verdicts, verdicts
from oodexp.error import OodexpError
from oodexp.record import PRESENT, SPLITS, Membership, Signal


class CrossValidation:
    """Divides by verdicts of K >= 1 scorers, then samples.

    Args:
        threshold: T, compared with S in [0, 1].
        thresholds: T of single scorers, by name; overrides `threshold`.
        criterion: `either`, `score`, `rank` or `both`; see `verdict.verdicts`.
        combine: `per_model` or `per_criterion`.
        rule: `all`, `majority`, `mean` or `parity`.
        competitors: `absent` (purified) or `all`; see `signal.competes`.
        unknown: `compete` or `exclude`, for cells that are annotated neither way.
        id_pool: `present`, `random` or `balanced`; see `sample`.
        id_size: `larger` (as many pairs as the larger of OOD-S and OOD-H), `all`, or a number.
        cap: Most pairs per source and split (two questions each); None for no cap.
        seed: Seed of the sampling.

    Raises:
        OodexpError: If an option is not one of its values.
    """

    def __init__(
        self, threshold: float = 0.05, thresholds: Mapping[str, float] | None = None,
        criterion: str = "either", combine: str = "per_model", rule: str = "all",
        competitors: str = "absent", unknown: str = "compete", id_pool: str = "present",
        id_size: str | int = "larger", cap: int | None = 3000, seed: int = 0,
    ) -> None:  # fmt: skip
        _one_of("criterion", criterion, CRITERIA)
        _one_of("combine", combine, COMBINATIONS)
        _one_of("rule", rule, RULES)
        _one_of("competitors", competitors, ("absent", "all"))
        _one_of("unknown", unknown, ("compete", "exclude"))
        self._thresholds = dict(thresholds or {})
        for name, value in {"threshold": threshold, **self._thresholds}.items():
            if not isinstance(value, (int, float)) or not 0 <= value <= 1:
                raise OodexpError(
                    f"division.threshold: {name} is {value}; expected a number in [0, 1], as S is"
                )
        self._threshold = threshold
        self._options = {"criterion": criterion, "combine": combine, "rule": rule}
        self._field = {"competitors": competitors, "unknown": unknown}
        self._sampling = Sampling(id_pool, id_size, cap, seed)

    def divide(
        self, matrix: Matrix, logits: Mapping[str, np.ndarray], reasons: Mapping[str, str]
    ) -> Division:
        """See `base.Divider`."""
        rows, columns = np.nonzero(matrix.presence == PRESENT)
        found, result = self._judge(matrix, logits, rows, columns)
        why = _reasons(matrix, rows, result, list(logits), reasons)
        present = self._memberships(matrix, rows, columns, result, why)
        readable = np.all([np.isfinite(v).all(axis=1) for v in logits.values()], axis=0)
        absent = absent_pairs(matrix, readable, present, self._sampling)
        drawn = draw(present, absent, self._sampling)
        return Division(_signals(matrix, rows, columns, found, result, why), drawn)

    def _judge(
        self, matrix: Matrix, logits: Mapping[str, np.ndarray], rows: np.ndarray,
        columns: np.ndarray,
    ) -> tuple[dict[str, Signals], Verdicts]:  # fmt: skip
        unknown = sorted(set(self._thresholds) - set(logits))
        if unknown:
            raise OodexpError(f"division.thresholds: no scorer {unknown}; have {sorted(logits)}")
        rivals = competes(matrix.presence, **self._field)
        found = {name: signals(values, rivals, rows, columns) for name, values in logits.items()}
        limits = [self._thresholds.get(name, self._threshold) for name in found]
        scores = np.stack([s.score for s in found.values()], axis=1)
        margins = np.stack([s.margin for s in found.values()], axis=1)
        return found, verdicts(scores, margins, limits, **self._options)

    def _memberships(
        self, matrix: Matrix, rows: np.ndarray, columns: np.ndarray, result: Verdicts,
        why: np.ndarray,
    ) -> pd.DataFrame:  # fmt: skip
        scored = result.scored.all(axis=1)
        flags = pd.array(result.flagged.sum(axis=1), dtype="Int64")
        flags[~scored] = pd.NA
        names = np.array([*SPLITS, None], dtype=object)[result.split]
        left_out = scored & (result.split < 0)
        return table.frame(
            Membership,
            {
                "source": [matrix.source] * len(rows),
                "image_id": np.array(matrix.image_ids, dtype=object)[rows],
                "category": np.array(matrix.categories, dtype=object)[columns],
                "present": True,
                "split": names,
                "flags": flags,
                "scorers": result.flagged.shape[1],
                "drawn": False,
                "reason": np.where(left_out, "even number of flags (rule parity)", why),
            },
        )


def _signals(
    matrix: Matrix, rows: np.ndarray, columns: np.ndarray, found: Mapping[str, Signals],
    result: Verdicts, why: np.ndarray,
) -> pd.DataFrame:  # fmt: skip
    ids = np.array(matrix.image_ids, dtype=object)[rows]
    categories = np.array([*matrix.categories, None], dtype=object)
    parts = []
    for k, (name, signal) in enumerate(found.items()):
        scored = result.scored[:, k]
        flagged = pd.array(result.flagged[:, k], dtype="boolean")
        flagged[~scored] = pd.NA
        columns_of = {
            "scorer": [name] * len(rows),
            "source": [matrix.source] * len(rows),
            "image_id": ids,
            "category": categories[columns],
            "score": signal.score,
            "margin": signal.margin,
            "surrogate": categories[signal.surrogate],
            "flagged": flagged,
            "reason": [None if ok else w for ok, w in zip(scored, why, strict=True)],
        }
        parts.append(table.frame(Signal, columns_of))
    return table.concat(Signal, parts)


def _reasons(
    matrix: Matrix, rows: np.ndarray, result: Verdicts, names: list[str], reasons: Mapping[str, str]
) -> np.ndarray:
    """Why each pair is unscored, naming the scorers; None where it is scored."""
    why = np.full(len(rows), None, dtype=object)
    for i in np.flatnonzero(~result.scored.all(axis=1)):
        image = reasons.get(matrix.image_ids[rows[i]])
        missing = [names[k] for k in np.flatnonzero(~result.scored[i])]
        why[i] = image or "; ".join(f"{name}: NaN" for name in missing)
    return why


def _one_of(option: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise OodexpError(f"division.{option}={value}: expected one of {', '.join(allowed)}")
