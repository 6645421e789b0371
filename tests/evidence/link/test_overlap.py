"""Overlap of OOD pairs with training corpora (OODBench, IV and C.1).

r = H / |C|; Z = 1 when the upper bound is at most epsilon. Deviation: the verdict takes the bound
over images; the paper's over pairs is the finding's interval.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from oodexp.corpus.base import Text
from oodexp.error import OodexpError
from oodexp.evidence.base import CONTRADICTED, HOLDS, NOT_TESTED
from oodexp.evidence.link.overlap import Overlap


class Captions:
    """Captions that name what they are told to."""

    name = "miniature"

    def __init__(self, texts):
        self._texts = texts

    def read(self, lost):
        yield from self._texts

    def key(self, image):
        return image.removesuffix(".png")

    def fingerprint(self):
        return {}


def captioned(case, taught):
    """A caption an image that names the categories of its pairs where `taught` is true."""
    train = case.train
    texts = []
    for n, key in enumerate(train.keys):
        mine = (train.image == n) & taught
        words = " and ".join(train.categories[c] + "s" for c in train.category[mine])
        texts.append(Text(key, f"a picture of {words or 'nothing'}"))
    return replace(case, corpora={"miniature": Captions(texts)})


def distinct(case):
    """Every pair of an image of another category, so that naming one names no other."""
    train = case.train
    first = np.r_[True, train.image[1:] != train.image[:-1]]
    kept = replace(
        train, image=train.image[first], category=train.category[first], split=train.split[first],
        drawn=train.drawn[first], score=train.score[first],
    )  # fmt: skip
    return replace(case, train=kept)


def rates(found, model="open_clip_miniature"):
    return {f.subject.split(", ")[1]: f for f in found.findings if f.subject.startswith(model)}


def test_pairs_that_no_caption_names_are_new_and_named_ones_are_not(case):
    made = distinct(case())
    found = Overlap("miniature_models").run(captioned(made, made.train.split == 0))
    mine = rates(found)
    assert mine["OOD"].value == 0
    assert mine["OOD"].verdict == HOLDS
    assert mine["ID"].value == 1
    assert mine["OOD-S"].n + mine["OOD-H"].n == mine["OOD"].n == (made.train.split > 0).sum()
    shares = [f for f in found.findings if f.statistic == "share of models"]
    assert len(shares) == 4
    assert all(f.value == 1 for f in shares)


def test_taught_ood_pairs_speak_against_the_claim(case):
    made = distinct(case())
    mine = rates(Overlap("miniature_models").run(captioned(made, made.train.split > 0)))
    assert mine["OOD"].value == 1
    assert mine["OOD"].verdict == CONTRADICTED


def test_rows_of_a_corpus_that_could_not_be_read_are_named(case):
    class Torn(Captions):
        def read(self, lost):
            lost.add("entry 3", "no image")
            yield from super().read(lost)

    made = distinct(case())
    texts = [Text(key, "a sail") for key in made.train.keys]
    found = Overlap("miniature_models").run(replace(made, corpora={"miniature": Torn(texts)}))
    (problem,) = found.problems
    assert (problem.stage, problem.source, problem.subject) == ("corpus", "miniature", "entry 3")


def test_synonyms_are_looked_for(case):
    made = distinct(case())
    texts = [Text(key, "a mug") for key in made.train.keys]
    made = replace(made, corpora={"miniature": Captions(texts)})
    without = rates(Overlap("miniature_models").run(made))["OOD"].value
    with_them = rates(Overlap("miniature_models", synonyms={"cup": ["mug"]}).run(made))["OOD"]
    ood = made.train.split > 0
    assert without == 0
    assert with_them.value == pytest.approx((made.train.category[ood] == 0).mean())


def test_images_that_no_corpus_has_are_no_evidence(case):
    made = distinct(case())
    texts = [Text(f"other-{key}", "a sail") for key in made.train.keys]
    found = Overlap("miniature_models").run(replace(made, corpora={"miniature": Captions(texts)}))
    mine = rates(found)["OOD"]
    assert mine.verdict == NOT_TESTED
    assert "no evidence" in mine.reason


def test_a_missing_corpus_and_a_missing_split_are_named(case):
    found = Overlap("miniature_models").run(case())
    assert {f.verdict for f in found.findings} == {NOT_TESTED}
    assert all("miniature" in f.reason for f in found.findings if f.statistic == "overlap rate")
    (only,) = Overlap("miniature_models").run(replace(case(), train=None)).findings
    assert only.reason == "no pair of a training split is at hand"
    with pytest.raises(OodexpError, match="epsilon=2"):
        Overlap(epsilon=2)
