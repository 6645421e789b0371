"""From verdicts to the tables `signals` and `memberships`.

Names are laid down as codes into short lists of names: a division of a million pairs by four
scorers writes four million rows, and each name once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from oodexp import table
from oodexp.division.base import Matrix
from oodexp.division.signal import Signals
from oodexp.division.verdict import Verdicts
from oodexp.record import SPLITS, Signal

PARITY = "even number of flags (rule parity)"


def signal_rows(
    matrix: Matrix, rows: np.ndarray, columns: np.ndarray, found: Mapping[str, Signals],
    result: Verdicts, why: pd.Categorical,
) -> pd.DataFrame:  # fmt: skip
    """`record.Signal`, a row per scorer and pair, scorer by scorer.

    Args:
        matrix: The annotations.
        rows: Image index of each pair.
        columns: Category index of each pair.
        found: S, Delta and surrogate, by scorer.
        result: The verdicts of the same scorers, in the same order.
        why: Why each pair is unscored (see `reasons`).
    """
    total, scored = len(found), result.scored.ravel(order="F")
    code = np.where(scored, -1, np.tile(np.asarray(why.codes), total))
    values = list(found.values())
    rows, columns = rows.astype(np.int32), columns.astype(np.int32)
    whole = {
        "scorer": names(list(found), np.repeat(np.arange(total, dtype=np.int32), len(rows))),
        "source": names([matrix.source], np.zeros(len(scored), np.int8)),
        "image_id": names(matrix.image_ids, np.tile(rows, total)),
        "category": names(matrix.categories, np.tile(columns, total)),
        "score": _joined([v.score for v in values], np.float32),
        "margin": _joined([v.margin for v in values], np.float32),
        "surrogate": names(matrix.categories, _joined([v.surrogate for v in values], np.int32)),
        "flagged": pd.arrays.BooleanArray(result.flagged.ravel(order="F"), ~scored),
        "reason": names(list(why.categories), code),
    }
    return table.frame(Signal, whole)


def membership_rows(
    matrix: Matrix, rows: np.ndarray, columns: np.ndarray, result: Verdicts, why: pd.Categorical
) -> pd.DataFrame:
    """`record.Membership` of the present pairs, none drawn; not yet checked.

    Args:
        matrix: The annotations.
        rows: Image index of each pair.
        columns: Category index of each pair.
        result: The verdicts.
        why: Why each pair is unscored (see `reasons`).
    """
    scored = result.scored.all(axis=1)
    left_out = scored & (result.split < 0)
    told = [*why.categories, PARITY]
    return pd.DataFrame(
        {
            "source": names([matrix.source], np.zeros(len(rows), np.int8)),
            "image_id": names(matrix.image_ids, rows),
            "category": names(matrix.categories, columns),
            "present": np.ones(len(rows), dtype=bool),
            "split": names(SPLITS, result.split),
            "flags": pd.arrays.IntegerArray(result.flagged.sum(axis=1), ~scored),
            "scorers": np.full(len(rows), result.flagged.shape[1]),
            "drawn": np.zeros(len(rows), dtype=bool),
            "reason": names(told, np.where(left_out, len(told) - 1, np.asarray(why.codes))),
        }
    )


def reasons(
    matrix: Matrix, rows: np.ndarray, result: Verdicts, scorers: Sequence[str],
    told: Mapping[str, str],
) -> pd.Categorical:  # fmt: skip
    """Why each pair is unscored, naming the scorers; null where it is scored.

    Args:
        matrix: The annotations.
        rows: Image index of each pair.
        result: The verdicts.
        scorers: Names of the scorers.
        told: Why an image has no score at all, by image id.
    """
    code, texts = np.full(len(rows), -1), dict[str, int]()
    for i in np.flatnonzero(~result.scored.all(axis=1)):
        missing = [n for n, ok in zip(scorers, result.scored[i], strict=True) if not ok]
        text = told.get(matrix.image_ids[rows[i]]) or "; ".join(f"{n}: NaN" for n in missing)
        code[i] = texts.setdefault(text, len(texts))
    return names(list(texts), code)


def names(known: Sequence[str], codes: np.ndarray) -> pd.Categorical:
    """Names by their number, null for -1.

    Args:
        known: The names, each once.
        codes: A number below `len(known)` a row, or -1.
    """
    return pd.Categorical.from_codes(codes, categories=pd.Index(list(known), dtype="str"))


def _joined(parts: list[np.ndarray], kind: type) -> np.ndarray:
    return np.concatenate([np.zeros(0, kind), *(p.astype(kind, copy=False) for p in parts)])
