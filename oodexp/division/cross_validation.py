"""The paper's division: pairs judged by K contrastive models (OODBench, III-D)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np

from oodexp.division.base import Division, Matrix
from oodexp.division.rows import membership_rows, signal_rows
from oodexp.division.rows import reasons as reasons_of
from oodexp.division.sample import Sampling, absent_pairs, draw
from oodexp.division.signal import LINKS, Signals, competes, signals
from oodexp.division.standing import standing
from oodexp.division.uncertain import unsure
from oodexp.division.verdict import COMBINATIONS, CRITERIA, RULES, Verdicts, verdicts
from oodexp.error import OodexpError
from oodexp.record import PRESENT


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
        self._arguments: dict[str, Any] = {
            "threshold": threshold, "thresholds": self._thresholds, "criterion": criterion,
            "combine": combine, "rule": rule, "competitors": competitors, "unknown": unknown,
            "id_pool": id_pool, "id_size": id_size, "cap": cap, "seed": seed,
        }  # fmt: skip
        self._threshold = threshold
        self._options = {"criterion": criterion, "combine": combine, "rule": rule}
        self._field = {"competitors": competitors, "unknown": unknown}
        self._sampling = Sampling(id_pool, id_size, cap, seed)

    @property
    def settings(self) -> dict[str, Any]:
        """All arguments by name."""
        return dict(self._arguments)

    def changed(self, **settings: Any) -> Self:
        """The same division with some arguments replaced."""
        return type(self)(**{**self._arguments, **settings})

    @property
    def cap(self) -> int | None:
        """Most pairs per source and split; None for no cap."""
        return self._sampling.cap

    @property
    def sampling(self) -> Sampling:
        """How ID is drawn and how many pairs each split may hold."""
        return self._sampling

    @property
    def field(self) -> dict[str, str]:
        """`competitors` and `unknown`: what S and Delta rest on beside the logits."""
        return dict(self._field)

    def judge(self, names: Sequence[str], scores: np.ndarray, margins: np.ndarray) -> Verdicts:
        """The verdicts of pairs whose S and Delta are known.

        Args:
            names: The scorers.
            scores: S, float32, (pair, scorer).
            margins: Delta, float32, (pair, scorer).
        """
        self._known(names, {})
        return verdicts(scores, margins, self._limits(names), **self._options)

    def divide(
        self, matrix: Matrix, logits: Mapping[str, np.ndarray], reasons: Mapping[str, str],
        links: Mapping[str, str] | None = None,
    ) -> Division:  # fmt: skip
        """See `base.Divider`."""
        rows, columns = np.nonzero(matrix.presence == PRESENT)
        found, result = self._judge(matrix, logits, links or {}, rows, columns)
        why = reasons_of(matrix, rows, result, list(logits), reasons)
        present = membership_rows(matrix, rows, columns, result, why)
        readable = np.all([np.isfinite(v).all(axis=1) for v in logits.values()], axis=0)
        absent = absent_pairs(matrix, readable, present, self._sampling)
        drawn = draw(present, absent, self._sampling)
        return Division(signal_rows(matrix, rows, columns, found, result, why), drawn)

    def flags(
        self, matrix: Matrix, logits: Mapping[str, np.ndarray],
        links: Mapping[str, str] | None = None,
    ) -> dict[str, np.ndarray]:  # fmt: skip
        """See `base.Refinable`."""
        rows, columns = np.nonzero(matrix.presence == PRESENT)
        _, result = self._judge(matrix, logits, links or {}, rows, columns)
        return _cells(matrix, rows, columns, list(logits), result.flagged)

    def unsure(
        self, matrix: Matrix, logits: Mapping[str, np.ndarray], bands: Mapping[str, np.ndarray],
        links: Mapping[str, str] | None = None,
    ) -> dict[str, np.ndarray]:  # fmt: skip
        """See `base.Refinable`."""
        self._known(logits, links or {})
        rows, columns = np.nonzero(matrix.presence == PRESENT)
        rivals = competes(matrix.presence, **self._field)
        places = {n: standing(values, rivals, rows, columns) for n, values in logits.items()}
        of_pair = {name: bands[name][rows] for name in logits}
        found = unsure(places, of_pair, links or {}, self._limits(logits), self._options)
        return _cells(matrix, rows, columns, list(logits), found)

    def _judge(
        self, matrix: Matrix, logits: Mapping[str, np.ndarray], links: Mapping[str, str],
        rows: np.ndarray, columns: np.ndarray,
    ) -> tuple[dict[str, Signals], Verdicts]:  # fmt: skip
        self._known(logits, links)
        rivals = competes(matrix.presence, **self._field)
        found = {
            name: signals(values, rivals, rows, columns, links.get(name, "softmax"))
            for name, values in logits.items()
        }
        scores = np.stack([s.score for s in found.values()], axis=1)
        margins = np.stack([s.margin for s in found.values()], axis=1)
        return found, self.judge(list(found), scores, margins)

    def _known(self, names: Iterable[str], links: Mapping[str, str]) -> None:
        have = sorted(names)
        unknown = sorted(set(self._thresholds) - set(have))
        if unknown:
            raise OodexpError(f"division.thresholds: no scorer {unknown}; have {have}")
        for name, link in links.items():
            _one_of(f"links.{name}", link, LINKS)

    def _limits(self, names: Iterable[str]) -> list[float]:
        return [self._thresholds.get(name, self._threshold) for name in names]


def _cells(
    matrix: Matrix, rows: np.ndarray, columns: np.ndarray, names: Sequence[str], of_pair: np.ndarray
) -> dict[str, np.ndarray]:
    """What holds for (pair, scorer) as a matrix (image, category) a scorer."""
    found = {name: np.zeros(matrix.presence.shape, dtype=bool) for name in names}
    for k, cells in enumerate(found.values()):
        cells[rows, columns] = of_pair[:, k]
    return found


def _one_of(option: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise OodexpError(f"division.{option}={value}: expected one of {', '.join(allowed)}")
