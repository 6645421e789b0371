"""The gallery of the report page: one card a pair, as columns that a script reads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from oodexp.columns import Rows, coded, matching, only, positions
from oodexp.record import SPLITS
from oodexp.report.page_sheet import in_order

PAIR = ["source", "image_id", "category"]
IMAGE = ["source", "image_id"]
WRONG, RIGHT, UNREAD = 0, 1, 2
MOST_CARDS = 50_000
"""Cards of a page; the tables have all pairs."""
DIGITS = 4
"""Decimals of S and Delta on a card."""


class Gallery(NamedTuple):
    """Cards, and the images that they show."""

    data: dict[str, Any]
    """Columns of cards, signals, questions and answers; texts are numbers of `strings`."""
    images: list[tuple[str, str]]
    """Source and id of the image of each thumbnail number; the splits take turns."""
    over: int
    """Pairs that have no card, beyond `MOST_CARDS`."""


class Strings:
    """Each text once: columns hold its number, -1 where there is none."""

    def __init__(self) -> None:
        self.texts: dict[str, int] = {}

    def codes(self, values: pd.Series) -> list[int]:
        """Number of each text."""
        codes, different = pd.factorize(values.astype(object), use_na_sentinel=True)
        own = [self.texts.setdefault(str(text), len(self.texts)) for text in different]
        return [int(n) for n in np.append(np.array(own, dtype=np.int64), -1)[codes]]


def headline_reader(answers: Rows, wanted: str | None) -> str | None:
    """The reader whose readings are shown: the wanted one if it read, else the table's first."""
    readers = coded(answers, "reader").texts
    if wanted in readers:
        return wanted
    return readers[0] if readers else None


def gallery(tables: Mapping[str, Rows], reader: str | None) -> Gallery:
    """Columns of the drawn pairs and of whatever else was asked about, `MOST_CARDS` at the most.

    Args:
        tables: `memberships`, `pairs`, `signals`, `questions`, `completions`, `answers`.
        reader: Name of the reader whose readings are shown; None when there is none.
    """
    cards, over = _cards(tables)
    near = _near(cards, tables, reader)
    strings = Strings()
    images = _images(cards)
    number = {image: n for n, image in enumerate(images)}
    keys = zip(cards["source"].astype(str), cards["image_id"].astype(str), strict=True)
    data = {
        "splits": list(SPLITS),
        "cards": {
            "split": [SPLITS.index(s) if s in SPLITS else -1 for s in cards["split"]],
            **{name: strings.codes(cards[name]) for name in (*PAIR, "planted")},
            "present": cards["present"].astype(int).tolist(),
            "drawn": cards["drawn"].astype(int).tolist(),
            "count": [None if pd.isna(n) else int(n) for n in cards["count"]],
            "thumbnail": [number[key] for key in keys],
        },
        "scorers": _signals(cards, near["signals"], strings),
        **_asked(cards, near, reader, strings),
    }
    return Gallery(data | {"strings": list(strings.texts)}, images, over)


def embed(data: Any) -> str:
    """JSON that cannot end the script element it stands in, nor open a comment there."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _cards(tables: Mapping[str, Rows]) -> tuple[pd.DataFrame, int]:
    """By split: drawn pairs, others that were asked about, absent categories asked about.

    Returns:
        The first `MOST_CARDS`, the splits taking turns, and how many more there are.
    """
    members, questions = tables["memberships"], tables["questions"]
    keys = [*PAIR, "split"]
    place = positions(members, questions, PAIR)
    asked = np.zeros(len(members), bool)
    asked[place[place >= 0]] = True
    drawn = members["drawn"].to_numpy(dtype=bool)
    rows = np.concatenate([np.flatnonzero(drawn), np.flatnonzero(asked & ~drawn)])
    # A question about a pair that no division placed names no split: the pair's own counts.
    rest = members[keys].iloc[:0]
    if (place < 0).any():
        rest = questions[keys][place < 0].drop_duplicates(PAIR)
    split = np.concatenate([_ranks(members)[rows], _ranks(rest)])
    order = np.argsort(split, kind="stable")
    turn = pd.Series(split[order]).groupby(split[order]).cumcount().to_numpy()
    chosen = order[np.sort(np.argsort(turn, kind="stable")[:MOST_CARDS])]
    own = chosen[chosen < len(rows)]
    parts = [
        members[keys].iloc[rows[own]].assign(drawn=drawn[rows[own]], at=own),
        rest.iloc[chosen[chosen >= len(rows)] - len(rows)].assign(
            drawn=False, at=chosen[chosen >= len(rows)]
        ),
    ]
    cards = pd.concat(parts).set_index("at").loc[chosen].reset_index(drop=True)
    known = tables["pairs"]
    pair = positions(known, cards, PAIR)
    for name in ("count", "planted"):
        cards[name] = known[name].reindex(pd.Index(pair)).to_numpy(dtype=object, na_value=None)
    return cards.assign(present=pair >= 0), len(order) - len(chosen)


def _ranks(rows: Rows) -> np.ndarray:
    """Number of each row's split, `len(SPLITS)` for none."""
    split = coded(rows, "split")
    rank = [SPLITS.index(text) if text in SPLITS else len(SPLITS) for text in split.texts]
    return np.array([*rank, len(SPLITS)])[split.codes]


def _near(
    cards: pd.DataFrame, tables: Mapping[str, Rows], reader: str | None
) -> dict[str, pd.DataFrame]:
    """The signals, questions, completions and answers that the cards show."""
    asked = matching(tables["questions"], cards, PAIR)
    read = only(tables["answers"], "reader", reader or "")
    return {
        "signals": matching(tables["signals"], cards, PAIR),
        "questions": asked,
        "completions": matching(tables["completions"], asked, ["question_id"]),
        "answers": matching(read, asked, ["question_id"]),
    }


def _images(cards: pd.DataFrame) -> list[tuple[str, str]]:
    # The splits take turns, so that a page without room for all shows some of each.
    turn = cards.groupby("split", dropna=False).cumcount()
    order = cards.iloc[np.argsort(turn.to_numpy(), kind="stable")]
    unique = order[IMAGE].drop_duplicates().itertuples(index=False)
    return [(str(source), str(image)) for source, image in unique]


def _signals(cards: pd.DataFrame, signals: pd.DataFrame, strings: Strings) -> list[dict[str, Any]]:
    found = []
    for scorer in in_order(signals["scorer"]):
        mine = signals[signals["scorer"] == scorer]
        own = cards[PAIR].merge(mine, on=PAIR, how="left")
        found.append({
            "name": scorer,
            "score": _rounded(own["score"]),
            "margin": _rounded(own["margin"]),
            "flagged": [None if pd.isna(flag) else int(flag) for flag in own["flagged"]],
            "surrogate": strings.codes(own["surrogate"]),
            "reason": strings.codes(own["reason"]),
        })  # fmt: skip
    return found


def _rounded(values: pd.Series) -> list[float | None]:
    return [None if np.isnan(v) else round(v, DIGITS) for v in values.astype(float).tolist()]


def _asked(
    cards: pd.DataFrame, tables: Mapping[str, pd.DataFrame], reader: str | None, strings: Strings
) -> dict[str, Any]:
    """Questions by card, answers by question; `card` and `question` are positions."""
    position = cards[PAIR].assign(card=np.arange(len(cards)))
    questions = tables["questions"].merge(position, on=PAIR, how="left")
    questions = questions.sort_values("card", kind="stable").reset_index(drop=True)
    vlms = in_order(tables["completions"]["vlm"])
    answers = _read(questions, tables, reader, vlms)
    return {
        "vlms": vlms,
        "questions": {
            "card": questions["card"].astype(int).tolist(),
            **{name: strings.codes(questions[name]) for name in ("kind", "prompt", "target")},
        },
        "answers": {
            "question": answers["question"].astype(int).tolist(),
            "vlm": answers["order"].astype(int).tolist(),
            "verdict": answers["verdict"].astype(int).tolist(),
            **{name: strings.codes(answers[name])
               for name in ("completion", "status", "reason", "reading", "unread", "flag")},
        },
    }  # fmt: skip


def _read(
    questions: pd.DataFrame, tables: Mapping[str, pd.DataFrame], reader: str | None, vlms: list[str]
) -> pd.DataFrame:
    """Every completion with its reading; one that nobody read is unread."""
    answers = tables["answers"]
    read = answers.loc[answers["reader"] == reader].rename(columns={"status": "unread"})
    keys = ["vlm", "question_id"]
    columns = [*keys, "reading", "unread", "flag", "correct"]
    place = pd.DataFrame({"question_id": questions["question_id"], "question": questions.index})
    joined = tables["completions"].merge(read[columns], on=keys, how="left").merge(place)
    joined["order"] = joined["vlm"].map({vlm: n for n, vlm in enumerate(vlms)})
    right = joined["correct"].astype("boolean").fillna(False).to_numpy(dtype=bool)
    unread = joined["reading"].isna().to_numpy()
    joined["verdict"] = np.where(unread, UNREAD, np.where(right, RIGHT, WRONG))
    return joined.sort_values(["question", "order"], kind="stable")
