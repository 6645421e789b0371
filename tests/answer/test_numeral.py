import pytest
from hypothesis import given
from hypothesis import strategies as st

from oodexp.answer.mention import mask
from oodexp.answer.numeral import MOST, TENS, UNITS, numerals, overflows

SMALL = {value: word for word, value in (*UNITS.items(), *TENS.items())}


def spelt(n, link):
    """Write a number below 10,000 out, the other way round than the reader goes."""
    if n in SMALL:
        return SMALL[n]
    if n < 100:
        return f"{SMALL[n - n % 10]}{link}{SMALL[n % 10]}"
    size, name = (1000, "thousand") if n >= 1000 else (100, "hundred")
    rest = n % size
    join = " and " if rest < 20 else " "
    return f"{SMALL[n // size]} {name}" + (f"{join}{spelt(rest, link)}" if rest else "")


@given(
    st.one_of(
        st.integers(0, 999),
        st.builds(lambda a, b: 1000 * a + b, st.integers(1, 9), st.integers(0, 99)),
    ),
    st.sampled_from([" ", "-"]),
)
def test_a_number_that_was_written_out_is_read_back(n, link):
    found = numerals(f"there are {spelt(n, link)} here")
    assert [(number.value, number.status) for number in found] == [(str(n), "read")]


@given(st.integers(0, 10**15))
def test_thousands_may_be_set_apart(n):
    assert [number.value for number in numerals(f"{n:,}")] == [str(n)]


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_a_decimal_fraction_is_invalid_unless_it_is_zero(whole, fraction):
    (number,) = numerals(f"{whole}.{fraction}")
    assert number.status == ("read" if fraction == 0 else "invalid")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("half a dozen", ["6"]),
        ("3 dozen", ["36"]),
        ("dozen", ["12"]),
        ("one two", ["1", "2"]),
        ("twenty ten", ["20", "10"]),
        ("a hundred", ["100"]),
        ("not even a single one", ["0", "1"]),
        ("1,2345", ["1", "2345"]),
        ("a one-eyed dog, a 3-legged dog", []),
        ("image 1, figure 2, #3, option 4, dog 5", []),
        ("1st 2nd 3rd 4th 50% 10:30 3a7 3d", []),
        ("that one, another one, no one", ["0"]),
        ("three of the dogs", []),
    ],
)
def test_only_numbers_that_count_are_found(text, values):
    assert [number.value for number in numerals(mask(text, "dog"))] == values


def test_a_pair_is_two_and_approximate_unless_it_is_one_thing():
    (two,) = numerals("a pair of dogs")
    (one,) = numerals("a pair of scissors", pair=1)
    assert (two.value, two.flag) == ("2", "approximate")
    assert (one.value, one.flag) == ("1", None)


def test_more_numbers_than_are_looked_at_are_noticed():
    assert not overflows("1 " * MOST)
    assert overflows("1 " * (MOST + 1))


def test_a_number_knows_its_place():
    text = "there are twenty-one dogs"
    (number,) = numerals(text)
    assert text[number.start : number.end] == "twenty-one"
