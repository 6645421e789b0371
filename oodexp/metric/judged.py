"""Answers joined to what they are about, under each convention for unread answers."""

from __future__ import annotations

import pandas as pd

from oodexp.metric.base import Evidence
from oodexp.metric.composition import groups

PAIR = ["source", "image_id", "category"]


def judged(evidence: Evidence, headline: str, paper: str) -> pd.DataFrame:
    """One row per VLM, convention and answered question about a drawn pair.

    Columns: `vlm`, `kind`, `convention`, `source`, `image_id`, `category`, `split`, `groups` (list
    of labels), `answer` and `target` (bool, True is yes), `unread` (bool) and `used` (bool: whether
    the row counts).

    Conventions: `headline` takes an unread answer as the wrong one; `read` leaves it out; `paper`
    reads by the authors' rule, to which only failed requests are unread, and leaves out both
    questions of a pair with a failed request.

    Args:
        evidence: The tables.
        headline: Name of the reader of `headline` and `read`.
        paper: Name of the reader with the authors' rule.
    """
    about = _about(evidence)
    answers = evidence.answers.merge(about, on="question_id", validate="many_to_one")
    read = answers[answers["reader"] == headline]
    authors = answers[answers["reader"] == paper]
    parts = [
        _counted(read, "headline", pd.Series(True, index=read.index)),
        _counted(read, "read", read["reading"].notna()),
        _counted(authors, "paper", ~_pair_failed(authors)),
    ]
    return pd.concat(parts, ignore_index=True)


def _about(evidence: Evidence) -> pd.DataFrame:
    drawn = evidence.memberships[evidence.memberships["drawn"]]
    labels = pd.DataFrame(groups(evidence.pairs)).T
    named = evidence.pairs[PAIR].assign(
        groups=[[v for v in row if isinstance(v, str)] for row in labels.to_numpy()]
        if len(labels)
        else [[] for _ in range(len(evidence.pairs))]
    )
    questions = evidence.questions[["question_id", "kind", *PAIR, "target"]]
    joined = questions.merge(drawn[[*PAIR, "split"]], on=PAIR, validate="many_to_one")
    return joined.merge(named, on=PAIR, how="left", validate="many_to_one")


def _counted(answers: pd.DataFrame, convention: str, used: pd.Series) -> pd.DataFrame:
    target = answers["target"] == "yes"
    unread = answers["reading"].isna()
    answer = (answers["reading"] == "yes").where(~unread, ~target)
    columns = answers[["vlm", "kind", "source", "image_id", "category", "split", "groups"]]
    return columns.assign(
        convention=convention, target=target, answer=answer.astype(bool), unread=unread, used=used
    )


def _pair_failed(answers: pd.DataFrame) -> pd.Series:
    failed = answers["reading"].isna()
    return failed.groupby([answers[c] for c in ("vlm", "kind", *PAIR)]).transform("any")
