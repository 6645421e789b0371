"""Everything that the trials of an ablation share: worked out once, then only indexed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from oodexp.error import OodexpError
from oodexp.metric.mix import Grouping, groupings

if TYPE_CHECKING:
    from oodexp.ablation.lot import Lot

YES, NO, UNREAD, UNASKED = 1, 0, -1, -2
"""Codes of a reading."""
_POLARITIES = ("present", "absent")


@dataclass(frozen=True, slots=True)
class Stock:
    """Pairs of all sources with what each VLM said of them.

    Pairs stand source by source: the present ones in the order of their lot, then the absent ones
    that questions were asked about.
    """

    lots: list[Lot]
    """The sources."""
    starts: list[int]
    """Number of the first pair of each lot."""
    absent: list[np.ndarray]
    """Absent pairs with questions, by lot: `row * categories + column`, int64, ascending."""
    present: np.ndarray
    """Whether a pair is present by annotation, bool, (pair,)."""
    image: np.ndarray
    """Number of the pair's image among those with questions, int64, (pair,); -1 without any."""
    images: int
    """Number of images with questions."""
    vlms: list[str]
    """Names of the VLMs, sorted."""
    readings: dict[str, np.ndarray]
    """`YES`, `NO`, `UNREAD` or `UNASKED` by reader, int8, (vlm, pair, 2): the answer to the
    question after presence, whose right answer is yes for a present pair, and to that after
    absence."""
    category: np.ndarray
    """Number of the pair's category text, int64, (pair,), the same in all sources."""
    area: np.ndarray
    """Square pixels of the largest instance, float64, (pair,); NaN where not known."""
    count: np.ndarray
    """Number of instances, float64, (pair,); NaN where not known."""
    groupings: list[Grouping]
    """Composition groups of the pairs; an absent pair is in none."""

    @property
    def scored(self) -> np.ndarray:
        """Whether all scorers have a score for a present pair, bool, (pair,)."""
        found = np.zeros(len(self.present), dtype=bool)
        for lot, start in zip(self.lots, self.starts, strict=True):
            whole = np.all([np.isfinite(v) for v in lot.scores.values()], axis=0)
            found[start : start + len(lot.rows)] = whole
        return found


def relaid(stock: Stock, lots: Sequence[Lot]) -> Stock:
    """The same answers over lots with other competitors, or more scorers.

    Args:
        stock: The stock.
        lots: Lots of the same sources and annotations.
    """
    return replace(stock, lots=list(lots))


def stock(
    lots: Sequence[Lot], pairs: pd.DataFrame, questions: pd.DataFrame, answers: pd.DataFrame,
    kind: str = "existence",
) -> Stock:  # fmt: skip
    """The stock of a run.

    Args:
        lots: One of each source.
        pairs: `record.Pair` of the sources.
        questions: `record.Question`; those of other kinds are left aside.
        answers: `record.Answer` of all VLMs and readers; those to other questions are left aside.
        kind: The question set: `existence` or `existence_cot`.

    Raises:
        OodexpError: If a question is about no pair of the lots, or its target is not the lots'.
    """
    asked = questions[(questions["kind"] == kind).to_numpy()].reset_index(drop=True)
    cell = _cells(lots, asked)
    starts, absent, number, total = _numbered(lots, asked, cell)
    present, image_names, categories = _named(lots, absent)
    polarity = (asked["polarity"] == _POLARITIES[1]).to_numpy().astype(np.int64)
    wanted = present[number] == (polarity == 0)
    wrong = np.flatnonzero((asked["target"] == "yes").to_numpy() != wanted)
    if len(wrong):
        raise OodexpError(
            f"question {asked['question_id'][wrong[0]]}: its target does not follow from the "
            "annotations; questions and annotations are of two runs"
        )
    images = np.unique(image_names[number])
    image = pd.Index(images).get_indexer(pd.Index(image_names))
    vlms, readings = _readings(asked, answers, number, polarity, total)
    known = _properties(lots, starts, total, pairs)
    category = np.unique(categories, return_inverse=True)[1]
    return Stock(
        list(lots), starts, absent, present, image, len(images),
        vlms, readings, category, *known,
    )  # fmt: skip


def _cells(lots: Sequence[Lot], rows: pd.DataFrame) -> np.ndarray:
    """Lot and cell of each row with `source`, `image_id`, `category`: int64, (row, 2)."""
    found = np.full((len(rows), 2), -1)
    sources = rows["source"].astype(str).to_numpy()
    for n, lot in enumerate(lots):
        mine = np.flatnonzero(sources == lot.matrix.source)
        row = pd.Index(lot.matrix.image_ids).get_indexer(rows["image_id"].iloc[mine])
        column = pd.Index(lot.matrix.categories).get_indexer(rows["category"].iloc[mine])
        cell = np.where((row < 0) | (column < 0), -1, row * len(lot.matrix.categories) + column)
        found[mine, 0], found[mine, 1] = n, cell
    lost = np.flatnonzero((found < 0).any(axis=1))
    if len(lost):
        first = rows.iloc[int(lost[0])]
        raise OodexpError(
            f"{first['source']}/{first['image_id']}/{first['category']}: no such image or category "
            f"in the sources {', '.join(lot.matrix.source for lot in lots)}"
        )
    return found


def _numbered(
    lots: Sequence[Lot], asked: pd.DataFrame, cell: np.ndarray
) -> tuple[list[int], list[np.ndarray], np.ndarray, int]:
    """First pair and absent cells of each lot, the pair of each question, and how many pairs."""
    starts, absents, total = [], [], 0
    number = np.zeros(len(asked), dtype=np.int64)
    for n, lot in enumerate(lots):
        mine = np.flatnonzero(cell[:, 0] == n)
        present = lot.rows * len(lot.matrix.categories) + lot.columns
        absent = np.setdiff1d(cell[mine, 1], present)
        here = find(present, cell[mine, 1])
        beyond = len(present) + find(absent, cell[mine, 1])
        number[mine] = total + np.where(here >= 0, here, beyond)
        starts.append(total)
        absents.append(absent)
        total += len(present) + len(absent)
    return starts, absents, number, total


def find(known: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Place of each wanted number among known ones: int64; -1 where it is not there.

    Args:
        known: Ascending, each once.
        wanted: Any numbers.
    """
    if not len(known):
        return np.full(len(wanted), -1)
    place = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    return np.where(known[place] == wanted, place, -1)


def _named(
    lots: Sequence[Lot], absent: Sequence[np.ndarray]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Presence, image name and category text of each pair."""
    present, images, categories = [], [], []
    for lot, cells in zip(lots, absent, strict=True):
        rows, columns = np.divmod(cells, max(1, len(lot.matrix.categories)))
        present.append(np.arange(len(lot.rows) + len(cells)) < len(lot.rows))
        # In the order in which `metric.measure` numbers them, so that its draws are these.
        names = np.array([f"{lot.matrix.source}\0{i}" for i in lot.matrix.image_ids], dtype=object)
        images.append(names[np.concatenate([lot.rows, rows])])
        texts = np.array(lot.matrix.categories, dtype=object)
        categories.append(texts[np.concatenate([lot.columns, columns])])
    return np.concatenate(present), np.concatenate(images), np.concatenate(categories)


def _readings(
    asked: pd.DataFrame, answers: pd.DataFrame, number: np.ndarray, polarity: np.ndarray, total: int
) -> tuple[list[str], dict[str, np.ndarray]]:
    of_question = pd.Index(asked["question_id"]).get_indexer(pd.Index(answers["question_id"]))
    known = of_question >= 0
    answers, of_question = answers[known], of_question[known]
    vlm, vlms = pd.factorize(answers["vlm"], sort=True)
    code = np.where(answers["reading"] == "yes", YES, NO)
    code[answers["reading"].isna().to_numpy()] = UNREAD
    readings = {}
    for reader in answers["reader"].unique():
        mine = (answers["reader"] == reader).to_numpy()
        at = of_question[mine]
        found = np.full((len(vlms), total, 2), UNASKED, dtype=np.int8)
        found[vlm[mine], number[at], polarity[at]] = code[mine]
        readings[str(reader)] = found
    return [str(v) for v in vlms], readings


def _properties(
    lots: Sequence[Lot], starts: Sequence[int], total: int, pairs: pd.DataFrame
) -> tuple[np.ndarray, np.ndarray, list[Grouping]]:
    """Area, count and groupings of the pairs, from `record.Pair`."""
    cell = _cells(lots, pairs)
    number = np.full(len(pairs), -1)
    for n, lot in enumerate(lots):
        mine = np.flatnonzero(cell[:, 0] == n)
        place = find(lot.rows * len(lot.matrix.categories) + lot.columns, cell[mine, 1])
        number[mine] = np.where(place >= 0, starts[n] + place, -1)
    known, area, count = number >= 0, np.full(total, np.nan), np.full(total, np.nan)
    area[number[known]] = pairs["area"].to_numpy(dtype=float, na_value=np.nan)[known]
    count[number[known]] = pairs["count"].to_numpy(dtype=float, na_value=np.nan)[known]
    laid = []
    for grouping in groupings(pairs):
        codes = np.full(total, -1)
        codes[number[known]] = grouping.codes[known]
        laid.append(grouping._replace(codes=codes))
    return area, count, laid
