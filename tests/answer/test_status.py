import pytest

from oodexp.answer.status import is_hedged, is_refusal, silence
from oodexp.answer.unwrap import in_plain_words


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't help with identifying that.",
        "As a text model I cannot see the image.",
        "I am an AI language model",
        "I'm unable to view images",
        "I will not answer",
        "No image was provided",
        "That is against my policy",
    ],
)
def test_an_outright_refusal_is_recognised(text):
    plain = in_plain_words(text)
    assert is_refusal(plain)
    assert silence(plain) == "refused"


@pytest.mark.parametrize(
    "text", ["Not sure", "I cannot determine", "It may be", "Hard to say", "I don't know", "N/A"]
)
def test_doubt_is_recognised_and_is_no_refusal(text):
    plain = in_plain_words(text)
    assert is_hedged(plain)
    assert not is_refusal(plain)
    assert silence(plain) == "unknown"


@pytest.mark.parametrize("text", ["There is a dog", "I cannot see a dog", "dismay", "the helper"])
def test_a_plain_statement_is_neither(text):
    plain = in_plain_words(text)
    assert not is_hedged(plain)
    assert not is_refusal(plain)


def test_an_apology_alone_is_a_refusal_but_not_beside_doubt():
    assert silence("sorry") == "refused"
    assert silence("sorry, i am not sure") == "unknown"
