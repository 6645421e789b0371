"""Each completion is read by the reader for what was asked."""

from __future__ import annotations

import pytest
from omegaconf import OmegaConf

from oodexp.answer.by_question import ByQuestion
from oodexp.answer.count import Count
from oodexp.answer.paper import Paper
from oodexp.answer.yes_no import YesNo

READER = ByQuestion(YesNo(), Count())


@pytest.mark.parametrize("polarity", ["present", "absent", "compare"])
def test_a_number_is_no_answer_to_a_yes_no_question(polarity):
    assert READER.read("3", polarity=polarity, category="dog").value is None


@pytest.mark.parametrize("text", ["3", "There are three dogs.", "Yes, there are 3 dogs."])
def test_a_counting_question_is_read_as_a_number(text):
    assert READER.read(text, polarity="count", category="dog").value == "3"


@pytest.mark.parametrize(
    ("text", "value"), [("Yes.", "yes"), ("**No**", "no"), ("No, there are more cats.", "no")]
)
def test_a_comparison_is_read_by_its_yes_or_no(text, value):
    found = READER.read(text, polarity="compare", category="dog")
    assert (found.value, found.status) == (value, "read")


@pytest.mark.parametrize(
    "text", ["There is a dog.", "There are no dogs.", "There are more dogs than cats.", ""]
)
def test_a_sentence_about_a_category_does_not_answer_a_comparison(text):
    assert READER.read(text, polarity="compare", category="dog").value is None


def test_a_sentence_about_a_category_does_not_contradict_a_comparison():
    found = READER.read("Yes. There are no dogs on the left.", polarity="compare", category="dog")
    assert (found.value, found.flag) == ("yes", None)


def test_the_authors_rule_calls_a_comparison_without_a_yes_a_no():
    reader = ByQuestion(Paper(), Count(), name="paper")
    assert reader.read("There are more dogs.", polarity="compare", category="dog").value == "no"
    assert reader.read("two", polarity="count", category="dog").value == "2"


def test_another_polarity_is_refused():
    with pytest.raises(ValueError, match="polarity is 'colour'"):
        READER.read("yes", polarity="colour", category="dog")


def test_the_readers_that_ship_keep_their_own_names(request):
    from hydra.utils import instantiate

    shipped = OmegaConf.load(request.config.rootpath / "conf/answer/progression.yaml")
    readers = instantiate(shipped.readers)
    assert {name: reader.name for name, reader in readers.items()} == {
        "by_question": "by_question", "paper": "paper",
    }  # fmt: skip
    assert shipped.reader in readers
