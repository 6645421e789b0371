import pytest

from oodexp.answer.declarative import claim
from oodexp.answer.mention import mask
from oodexp.answer.unwrap import in_plain_words


def read(sentence):
    return claim(mask(in_plain_words(sentence), "dog"))


@pytest.mark.parametrize(
    "sentence",
    [
        "There is a dog",
        "There's also a big brown dog in it",
        "There are two cats and a dog",
        "I can see a dog on the left",
        "The image shows a man walking a dog",
        "The image includes a cat, a car, and a dog",
        "This is a dog",
        "A dog is visible",
        "The dog is hiding behind a tree",
        "Dogs can be seen",
        "It is not moving, but a dog is there",
        "No doubt there is a dog",
        "There is a group of dogs",
        "I think there is a dog",
        "The image contains only a dog",
        "there is one",
    ],
)
def test_the_dog_is_there(sentence):
    assert read(sentence) is True


@pytest.mark.parametrize(
    "sentence",
    [
        "There is no dog",
        "There isn't a dog",
        "There are not any dogs",
        "There are no cats or dogs",
        "No dogs are visible",
        "No sign of a dog",
        "Not a single dog is here",
        "The image doesn't contain a dog",
        "The image does not appear to contain a dog",
        "I cannot see any dog",
        "I don't think there is a dog",
        "A dog is not visible",
        "The dog is missing",
        "The dog is not in the image",
        "Neither a cat nor a dog is visible",
        "It is a cat, not a dog",
        "Nothing resembling a dog",
        "An image without a dog",
        "there isn't one",
        "it doesn't",
    ],
)
def test_the_dog_is_not_there(sentence):
    assert read(sentence) is False


@pytest.mark.parametrize(
    "sentence",
    [
        "Is there a dog?",
        "I wonder whether there is a dog",
        "There may be a dog",
        "A picture of a dog",
        "There is no leash on the dog",
        "There is no man with a dog",
        "There is a cat that looks like a dog",
        "The dog is not moving",
        "The dog is not on the sofa",
        "There is no other dog",
        "There are no more than two dogs",
        "I can't identify the dog",
        "As an AI I cannot see dogs",
        "No, a dog",
        "Not only a dog",
        "There is a dog and there is no dog",
        "There is a cat",
        "",
    ],
)
def test_nothing_is_said_about_it(sentence):
    assert read(sentence) is None
