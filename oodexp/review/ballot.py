"""Verdicts as arrays: what each rater said of each sampled pair."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from oodexp import table
from oodexp.record import OUTCOMES, REASONS, SPLITS, VERDICTS, Review
from oodexp.review.majority import count, majority
from oodexp.review.sample import PAIR

YES, NO, UNSURE = range(3)
WRONG = REASONS.index("wrong label")


@dataclass(frozen=True)
class Ballot:
    """What was said, in the order of the sample's rows."""

    rows: pd.DataFrame
    """Of `Sample.rows`."""
    raters: list[str]
    """Names, sorted."""
    labels: np.ndarray
    """Codes of `record.VERDICTS`, -1 where the rater did not judge, int64, (pair, rater)."""
    reasons: np.ndarray
    """Codes of `record.REASONS`, -1 where none was given, int64, (pair, rater)."""
    image: np.ndarray
    """Number of each pair's image, int64, (pair,)."""
    split: np.ndarray
    """Codes of `record.SPLITS`, int64, (pair,)."""
    stratum: np.ndarray
    """Number of each pair's stratum, int64, (pair,)."""
    population: np.ndarray
    """Number of pairs of each stratum, int64, (stratum,)."""

    @property
    def images(self) -> int:
        """Number of images."""
        return int(self.image.max(initial=-1)) + 1

    @property
    def votes(self) -> np.ndarray:
        """Raters for yes, no and unsure, (pair, 3)."""
        return count(self.labels, len(VERDICTS))

    @property
    def annotation_votes(self) -> np.ndarray:
        """Raters to whom the annotation is right, wrong, or who do not know, (pair, 3).

        Wrong is what is not visible or has the reason `wrong label`, whatever the verdict.
        """
        wrong = (self.labels >= 0) & (self.reasons == WRONG)
        return count(np.where(wrong, NO, self.labels), len(VERDICTS))

    def reviews(self) -> pd.DataFrame:
        """`record.Review`, a row a sampled pair."""
        names = np.array(OUTCOMES, dtype=object)
        votes = self.votes
        columns = {name: self.rows[name].to_numpy() for name in self.rows.columns}
        columns |= {name: votes[:, n] for n, name in enumerate(VERDICTS)}
        columns["outcome"] = names[majority(votes)]
        columns["annotation"] = names[majority(self.annotation_votes)]
        columns["reason"] = self._reason()
        return table.frame(Review, columns)

    def _reason(self) -> np.ndarray:
        votes = count(self.reasons, len(REASONS))
        most = votes.max(axis=1)
        shared = (votes == most[:, None]).sum(axis=1) > 1
        named = np.array(REASONS, dtype=object)[votes.argmax(axis=1)]
        named[shared] = "several"
        named[most == 0] = None
        return named


def ballot(rows: pd.DataFrame, verdicts: pd.DataFrame) -> Ballot:
    """Arrays of a sample and its verdicts.

    Args:
        rows: Of `Sample.rows`.
        verdicts: `record.Verdict`; those on other pairs are not counted.
    """
    raters = sorted(verdicts["rater"].unique().tolist())
    pairs, judged = (pd.MultiIndex.from_frame(t[PAIR].astype(object)) for t in (rows, verdicts))
    pair = pairs.get_indexer(judged)
    rater = pd.Index(raters, dtype=object).get_indexer(verdicts["rater"].astype(object))
    here = pair >= 0
    found = []
    for column, values in (("verdict", VERDICTS), ("reason", REASONS)):
        codes = np.full((len(rows), len(raters)), -1, dtype=np.int64)
        said = pd.Index(values).get_indexer(verdicts[column].astype(object))
        codes[pair[here], rater[here]] = said[here]
        found.append(codes)
    image, _ = pd.factorize(rows["source"] + "\0" + rows["image_id"], sort=True)
    stratum, names = pd.factorize(rows["stratum"], sort=True)
    sizes = rows.groupby("stratum", sort=True)["population"].first()
    return Ballot(
        rows, raters, found[0], found[1], image.astype(np.int64),
        pd.Index(SPLITS).get_indexer(rows["split"]).astype(np.int64), stratum.astype(np.int64),
        sizes.reindex(names).to_numpy(dtype=np.int64),
    )  # fmt: skip
