import pytest
from hypothesis import given
from hypothesis import strategies as st

from oodexp.answer.script import whole_number

HAN = "零一二三四五六七八九"


def roman(n):
    """Write 1 ... 39 in Roman numerals."""
    units = ["", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"]
    return "X" * (n // 10) + units[n % 10]


def han(n):
    """Write 0 ... 99 in Chinese."""
    if n < 10:
        return HAN[n]
    return (HAN[n // 10] if n >= 20 else "") + "十" + (HAN[n % 10] if n % 10 else "")


@given(st.integers(1, 39))
def test_a_roman_number_is_read_back_unless_it_is_one_letter(n):
    text = roman(n)
    assert whole_number(text) == ((str(n), "roman") if len(text) > 1 else None)


@given(st.integers(0, 99), st.sampled_from(["", "只", "个", "。"]))
def test_a_chinese_number_is_read_back(n, ending):
    assert whole_number(han(n) + ending) == (str(n), "other_script")


@pytest.mark.parametrize(
    "text", ["", "ii", "IIII", "MIX", "I", "有五只狗", "一三", "只", "3", "yes"]
)
def test_other_texts_are_no_such_number(text):
    assert whole_number(text) is None
