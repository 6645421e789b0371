import pytest

from oodexp.answer.markup import peel, plain


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        ("x <Answer>yes</ANSWER> y", "yes"),
        ("<answer>no</answer><answer>yes</answer>", "yes"),
        ("<answer>yes", "yes"),
        ("\\boxed{a} \\boxed{b{c}}", "b{c}"),
        ("\\boxed{open", "open"),
        ("```\nyes\n```", "yes"),
        ("```json\nyes\n```", "yes"),
        ('{"final answer": "no", "answer": "yes"}', "no"),
        ('{"verdict": "no"}', "no"),
        ('{"count": 12345678901234567890}', "12345678901234567890"),
        ('{"answer": true}', "True"),
        ('["yes"]', "yes"),
        ('{"a": "yes", "b": "no"}', None),
        ('{"answer": null}', None),
        ('{"answer": {"x": 1}}', None),
        ('["yes", "no"]', None),
        ('{"answer": "yes"', None),
        ("{}", None),
        ("[" * 100_000 + "]" * 100_000, None),
        ("<answer></answer>", None),
        ("yes", None),
    ],
)
def test_one_wrapping_comes_off(text, inner):
    assert peel(text) == inner


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("**Yes**", "Yes"),
        ("__Yes__ snake_case", "Yes snake_case"),
        ("# Title\n\n- item\n> quote", "Title\nitem\nquote"),
        ("> 20", "> 20"),
        (">20", ">20"),
        ("2 - 3 + 4", "2 - 3 + 4"),
        ("-1", "-1"),
        ("~5", "~5"),
        ("~~no~~ yes", "no yes"),
        ("a<br/>b<b>c</b>", "a\nb c"),
        ("Yes<|im_end|></s>", "Yes"),
        ("$\\text{Yes}$ \\(3\\)", "Yes 3"),
        (" a \t b\r\n\n c ", "a b\nc"),
        ("***", ""),
    ],
)
def test_formatting_goes_and_the_words_stay(text, bare):
    assert plain(text) == bare


@pytest.mark.parametrize("text", ["**Yes**", "a_b __c__", "# x\n- y", "<b>z</b>"])
def test_plain_text_stays_as_it_is(text):
    assert plain(plain(text)) == plain(text)
