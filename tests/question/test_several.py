"""Question sets side by side."""

from __future__ import annotations

import pytest
from omegaconf import OmegaConf

from oodexp import table
from oodexp.error import OodexpError
from oodexp.question.base import Known
from oodexp.question.existence import Existence
from oodexp.question.several import Several
from oodexp.record import Membership, Pair

WORDS = {"present": "Is there a {}?", "absent": "Is there no {}?"}


@pytest.fixture
def known():
    member = Membership("s", "1", "dog", True, "OOD-S", 1, 2, True, None)
    pair = Pair("s", "1", "dog", 2, None, None, None)
    return Known(table.frame(Membership, [member]), table.frame(Pair, [pair]), [])


def test_each_set_asks_its_own_questions(known):
    sets = {"plain": Existence(WORDS), "steps": Existence(WORDS, kind="cot", max_tokens=99)}
    found = Several(sets).ask(known)
    assert found["kind"].tolist() == ["existence"] * 2 + ["cot"] * 2
    assert found["max_tokens"].tolist()[2:] == [99, 99]
    assert found["max_tokens"].isna().tolist() == [True, True, False, False]
    assert found["split"].tolist() == ["OOD-S"] * 4


def test_two_sets_of_one_kind_are_refused(known):
    with pytest.raises(OodexpError, match="s/1/dog/existence/present"):
        Several({"a": Existence(WORDS), "b": Existence(WORDS)}).ask(known)


def test_no_set_is_refused():
    with pytest.raises(OodexpError, match="at least one"):
        Several({})


def test_chain_of_thought_is_asked_in_the_words_of_the_paper(known, request):
    file = request.config.rootpath / "conf/question/existence_cot.yaml"
    settings = OmegaConf.to_container(OmegaConf.load(file))
    settings.pop("_target_")
    found = Existence(**settings).ask(known)
    assert found["prompt"].tolist() == [
        "Does this image contain dog? Yes or No? Let's break down the information step by step.",
        "Does this image not contain dog? Yes or No? Let's break down the information step by "
        "step.",
    ]
    assert found["target"].tolist() == ["yes", "no"]
